/**
 * What a rule of trading would have gained on a recorded day: after each block it takes the best
 * round trip of ether, where that pays for its gas. The engine is opened as of the first block that
 * is kept, and stepped: its quotes are those that it would have given then.
 *
 *     node apps/examples/src/pastRoundTrips.ts [HISTORY.sqlite CHAIN_ID FIRST_BLOCK]
 *
 * Without words it first records a short day of a devnet. Nobody saw these trades: what stays open
 * from block to block is counted once, when a block opens it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedHistory, recordStates } from "@millrace/history";
import { curves } from "@millrace/protocols";
import { Effect } from "effect";
import { type MillraceEngine, openEngine } from "millrace";

const BLOCKS = 40;
const GAS_PRICE_WEI = 1_000_000_000n;
const folder = mkdtempSync(join(tmpdir(), "millrace-day-"));
const [path, id, first] = process.argv.slice(2);
const asOf =
  path === undefined
    ? await recordDay(join(folder, "day.sqlite"))
    : { file: path, chainId: Number(id), block: Number(first) };

const engine = await openEngine({ asOf });
let gained = 0n;
let trips = 0;
let blocks = 0;
for (let head = await engine.step(); head !== undefined; head = await engine.step()) {
  blocks++;
  const [best] = engine.cycles("WETH");
  const isNew = best?.steps.some(({ pool }) => head?.changedPools.includes(pool));
  if (best === undefined || isNew !== true) continue;
  const gain = await gainOf(engine, best.steps[0]!.tokenOut, best.amountIn);
  if (gain <= 0n) continue;
  console.log(`block ${head.number}: ${gain} wei after gas`);
  gained += gain;
  trips++;
}
console.log(`${blocks} blocks, ${trips} round trips: ${gained} wei gained after gas`);
await engine.close();
rmSync(folder, { recursive: true });

/** Ether into another token and back, each by the best routes, less the gas of both. */
async function gainOf(engine: MillraceEngine, middle: string, amountIn: bigint): Promise<bigint> {
  const there = await engine.quote({ tokenIn: "WETH", tokenOut: middle, amountIn, maxSplits: 4 });
  const back = await engine.quote({
    ...{ tokenIn: middle, tokenOut: "WETH", amountIn: there.amountOut, maxSplits: 4 },
  });
  if (there.gasEstimate === undefined || back.gasEstimate === undefined) return 0n;
  const gas = there.gasEstimate + back.gasEstimate;
  return back.amountOut - amountIn - gas * GAS_PRICE_WEI;
}

/** Some blocks of a devnet, in a file; a service writes one with `history.states`. */
async function recordDay(file: string) {
  const source = { kind: "devnet", market: "ETH", trafficEveryMs: 100 };
  const config = { id: "ETH", name: "Devnet", chainId: 0x6d696c01, source };
  const live = await openEngine({ config });
  const recording = Effect.gen(function* () {
    const store = yield* embeddedHistory({ path: file, chainId: live.chainId });
    const write = (change: Parameters<typeof store.write>[0][number]) =>
      Effect.runPromise(Effect.as(store.write([change]), true));
    const isDone = Effect.promise<void>((signal) => blocksPassed(live, signal));
    yield* Effect.scoped(
      Effect.andThen(recordStates({ engine: live.core, curves, write }), isDone),
    );
    return (yield* store.stateRange)!.fromBlock;
  });
  const block = await Effect.runPromise(Effect.scoped(recording));
  await live.close();
  return { file, chainId: live.chainId, block };
}

function blocksPassed(live: MillraceEngine, signal: AbortSignal): Promise<void> {
  let left = BLOCKS;
  return new Promise((resolve) => {
    const stop = live.onBlock(() => {
      if (--left === 0) resolve();
    });
    signal.addEventListener("abort", stop);
  });
}
