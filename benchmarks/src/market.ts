import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Address,
  type MarketBlock,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { Effect, Stream } from "effect";
import { BenchmarkError } from "./BenchmarkError.ts";

const DATA = new URL("../../../shared/data/ethereum-2026-03/", import.meta.url);

/** 1,350 real pools, and the blocks that followed. */
export const UNIVERSE_FILE = fileURLToPath(new URL("universe-a.json", DATA));

/** The universe after all updates. */
export const openUniverse: Effect.Effect<OpenMarket, BenchmarkError> = Effect.gen(function* () {
  const { chainId, blocks } = yield* marketFile(UNIVERSE_FILE);
  const market = openMarket(chainId, curves);
  for (const block of yield* Stream.runCollect(blocks)) market.writer.applyBlock(block);
  return market;
}).pipe(Effect.catchTag("MarketSourceError", unreadable));

/** The universe as it was recorded, then its updates, decoded. */
export const recordedBlocks: Effect.Effect<ReadonlyArray<MarketBlock>, BenchmarkError> = marketFile(
  UNIVERSE_FILE,
  { replayMs: 1 },
).pipe(
  Effect.flatMap(({ blocks }) => Stream.runCollect(blocks)),
  Effect.catchTag("MarketSourceError", unreadable),
);

/** A real trade that somebody made on some DEX. */
export interface Trade {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  /** Its value at that time, in US dollars. */
  readonly usd: number;
}

/** 2,500 real trades between tokens of the universe, or the first `count` of them. */
export function readTrades(count: number): ReadonlyArray<Trade> {
  const file = JSON.parse(readFileSync(new URL("workload-a.json", DATA), "utf8")) as {
    readonly trades: ReadonlyArray<readonly [Address, Address, string, string, number]>;
  };
  return file.trades.slice(0, count).map(([tokenIn, tokenOut, amountIn, , usd]) => ({
    tokenIn,
    tokenOut,
    amountIn: BigInt(amountIn),
    usd,
  }));
}

/** The trades as requests for exact input. */
export function exactInRequests(
  { graph }: OpenMarket,
  trades: ReadonlyArray<Trade>,
  maxHops: number,
): ReadonlyArray<QuoteRequest> {
  return trades.flatMap((trade) => {
    const tokenIn = graph.findToken(trade.tokenIn);
    const tokenOut = graph.findToken(trade.tokenOut);
    if (tokenIn === undefined || tokenOut === undefined) return [];
    return [{ tokenIn, tokenOut, kind: "exactIn", amount: trade.amountIn, maxHops }];
  });
}

/** The deepest pool's holding of a token. */
export function deepestHolding({ graph, families }: OpenMarket, token: TokenIndex): bigint {
  let most = 0n;
  for (let slot = graph.slotStart[token]!; slot < graph.slotEnd[token]!; slot++) {
    const pool = graph.slotPool[slot]! as PoolIndex;
    const held = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
    const amount = held[graph.slotPositions[slot]! >> 3]!;
    if (amount > most) most = amount;
  }
  return most;
}

/** A quote, as a number for the sink. */
export function quoteForSink({ router }: OpenMarket, request: QuoteRequest): number {
  const result = router.quote(request);
  return result.found ? result.steps.length : 0;
}

function unreadable(error: { readonly source: string; readonly detail: string }) {
  return Effect.fail(new BenchmarkError({ message: `${error.source}: ${error.detail}` }));
}
