import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TokenIndex } from "@millrace/core";
import { embeddedHistory, recordStates } from "@millrace/history";
import { curves } from "@millrace/protocols";
import { law, type RandomSource, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { type MillraceEngine, MillraceError, openEngine, type RouteRequest } from "millrace";
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest";

const CHAIN_ID = 0x6d696c01;
const BLOCK_MS = 60;
const QUOTES_A_BLOCK = 25;
const STEPS_MAX = 3;

let folder: string;
let live: MillraceEngine;
const scope = new TestScope();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-past-"));
  const source = { kind: "devnet", market: "ETH", trafficEveryMs: BLOCK_MS };
  const config = { id: "ETH", name: "Devnet", chainId: CHAIN_ID, source, headAgeLimitMs: null };
  live = await openEngine({ config, timeoutMs: 300_000 });
}, 300_000);
afterAll(async () => {
  await live?.close();
  await scope.close();
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly request: RouteRequest;
  readonly answer: unknown;
}

describe("an engine as of a block", { timeout: 3_000_000 }, () => {
  it("quotes as the live one did then, there and step by step", async () => {
    const quotes = law("quotes of the past", 250);
    const random = quotes.random();
    const file = join(folder, "history.sqlite");
    const asked = await recorded(file, random, quotes.cases);
    const blocks = [...asked.keys()].sort((one, other) => one - other);
    let compared = 0;
    while (compared < quotes.cases) {
      const block = random.pick(blocks);
      const past = await openEngine({ asOf: { file, chainId: CHAIN_ID, block } });
      try {
        for (let step = 0; step <= STEPS_MAX; step++) {
          const { number } = past.health().block;
          for (const { request, answer } of asked.get(number) ?? []) {
            assert.deepEqual(await answered(past, request), answer, `as of ${block}, at ${number}`);
            compared++;
          }
          if ((await past.step()) === undefined) break;
        }
      } finally {
        await past.close();
      }
    }
    expect(compared).toBeGreaterThanOrEqual(quotes.cases);
  });

  it("says what it cannot open: blocks that nobody kept, another chain, no file, damage", async () => {
    const file = join(folder, "history.sqlite");
    const code = (asOf: { file: string; chainId: number; block: number }) =>
      openEngine({ asOf }).then(
        (engine) => engine.close().then(() => "none"),
        (error: MillraceError) => error.code,
      );
    expect(await code({ file, chainId: CHAIN_ID, block: 1 })).toBe("NOT_RECORDED");
    expect(await code({ file, chainId: CHAIN_ID, block: 1e9 })).toBe("NOT_RECORDED");
    expect(await code({ file, chainId: 1, block: 1 })).toBe("UNREADABLE_MARKET");
    const nowhere = join(folder, "nowhere.sqlite");
    expect(await code({ file: nowhere, chainId: CHAIN_ID, block: 1 })).toBe("INVALID_CONFIG");
    await expect(live.step()).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});

/** Runs the chain, and asks after each block, `wanted` times in total. */
async function recorded(file: string, random: RandomSource, wanted: number) {
  const store = await scope.run(embeddedHistory({ path: file, chainId: CHAIN_ID }));
  const recording = new TestScope();
  const write = (change: Parameters<typeof store.write>[0][number]) =>
    recording.run(Effect.as(store.write([change]), true));
  await recording.run(recordStates({ engine: live.core, curves, everyBlocks: 20, write }));
  const asked = new Map<number, Asked[]>();
  const count = () => [...asked.values()].reduce((sum, { length }) => sum + length, 0);
  const { graph } = live.core;
  while (count() < wanted) {
    await new Promise<void>((resolve) => {
      const stop = live.core.onApplied(() => {
        stop();
        resolve();
      });
    });
    const { version, stamp } = graph;
    const ofBlock: Asked[] = [];
    while (ofBlock.length < QUOTES_A_BLOCK) {
      const request = anyRequest(live, random);
      ofBlock.push({ request, answer: await answered(live, request) });
    }
    // An answer between two blocks, or between two parts of one, is not of one market.
    await new Promise<void>((resolve) => {
      const stop = live.core.onPart(({ stamp: next }) => {
        stop();
        if (next.number > stamp.number && graph.version === version + 1) {
          asked.set(stamp.number, ofBlock);
        }
        resolve();
      });
    });
  }
  await recording.close();
  // The first blocks are not kept, since the whole market was not written yet.
  const { fromBlock } = (await scope.run(store.stateRange))!;
  for (const number of asked.keys()) if (number < fromBlock) asked.delete(number);
  return asked;
}

function anyRequest({ core: { graph } }: MillraceEngine, random: RandomSource): RouteRequest {
  const token = (): TokenIndex => random.integer(graph.tokenCount) as TokenIndex;
  const tokenIn = token();
  let tokenOut = token();
  while (tokenOut === tokenIn) tokenOut = token();
  const isExactIn = random.chance(0.6);
  const decimals = graph.tokenDecimals[isExactIn ? tokenIn : tokenOut]!;
  const amount = 1n + random.bigint(10n ** BigInt(decimals + random.between(-2, 3)));
  return {
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    ...(isExactIn ? { amountIn: amount } : { amountOut: amount }),
    ...{ maxHops: random.between(1, 4), maxSplits: random.pick([1, 1, 2, 8]) },
    // Without a node there are no routers.
    executable: false,
  };
}

/** The parts of an answer that the market alone determines; gas depends on routers, too. */
async function answered(engine: MillraceEngine, request: RouteRequest): Promise<unknown> {
  try {
    const { amountIn, amountOut, priceImpact, block, steps } = await engine.quote(request);
    const path = steps.map(({ pool, tokenIn, tokenOut, amountIn: given, amountOut: taken }) => [
      ...[pool, tokenIn, tokenOut, given, taken],
    ]);
    return { amountIn, amountOut, priceImpact, block, path };
  } catch (error) {
    if (error instanceof MillraceError) return error.code;
    throw error;
  }
}
