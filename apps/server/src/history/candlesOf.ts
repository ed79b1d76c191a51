import type { PoolGraph, PoolIndex } from "@millrace/core";
import type { CandlesQuery, HistoryCandle, HistoryError } from "@millrace/history";
import {
  CANDLE_LENGTHS,
  type Candle,
  type CandleInterval,
  type CandleRange,
  type PoolPair,
} from "@millrace/market";
import { Clock, Effect } from "effect";
import type { Opened } from "../routes/marketOf.ts";

/** A request for candles: how to read them from memory, and from the history. */
export interface CandlesAsked {
  /** The client of the request. */
  readonly client: string;
  readonly interval: CandleInterval;
  readonly range: CandleRange;
  /** An interval in which nothing traded gets a candle of the last price. */
  readonly fill: boolean;
  readonly inMemory: (range: CandleRange) => ReadonlyArray<Candle>;
  readonly of: CandlesQuery["of"];
  /** A candle of the history in the units of those in memory. */
  readonly convert: (candle: HistoryCandle) => Candle;
}

/** Memory has all swaps of so long, where the day before the start was read within an hour. */
const SURE_MS = 23 * 3_600_000;

/**
 * Candles of a range, ascending: the newest from memory, older ones from the history. Fails where
 * the range has a bound, needs the history, and the history cannot be read.
 */
export const candlesOf = Effect.fnUntraced(function* (
  opened: Opened,
  asked: CandlesAsked,
): Effect.fn.Return<ReadonlyArray<Candle>, HistoryError> {
  const { interval, range, fill } = asked;
  const stepMs = 1_000 * CANDLE_LENGTHS.find(({ name }) => name === interval)!.seconds;
  const candles = yield* tradedCandles(opened, asked, stepMs);
  return fill ? filled(candles, stepMs, range) : candles;
});

/** The candles of intervals in which something traded. */
const tradedCandles = Effect.fnUntraced(function* (
  { network, market }: Opened,
  asked: CandlesAsked,
  stepMs: number,
): Effect.fn.Return<ReadonlyArray<Candle>, HistoryError> {
  const { range } = asked;
  const inMemory = asked.inMemory(range);
  const { past } = market;
  if (past === undefined) return inMemory;
  const nowMs = yield* Clock.currentTimeMillis;
  const { problem, progress } = past.standing(nowMs);
  const isRead = progress !== undefined && progress.missingTo === undefined;
  const isCurrent = problem === undefined && isRead;
  const sinceMs = wholeSince(network.history?.sinceMs, market);
  const newest = inMemory.filter(({ startMs }) => startMs >= sinceMs);
  if (newest.length >= range.limit) return newest;
  const [first] = newest;
  const toMs = Math.min(range.toMs ?? LAST_MS, (first?.startMs ?? LAST_MS + 1) - 1);
  const query = {
    of: asked.of,
    seconds: stepMs / 1_000,
    limit: range.limit - newest.length,
    fromMs: range.fromMs,
    toMs,
  };
  const isNamed = range.fromMs !== undefined || range.toMs !== undefined;
  const older = yield* past.readFor(asked.client, past.store.candles(query)).pipe(
    Effect.map((candles) => candles.map(asked.convert)),
    Effect.catch((error) => (isNamed ? Effect.fail(error) : Effect.succeed(undefined))),
  );
  if (older === undefined) return inMemory;
  if (isCurrent) return [...older, ...newest];
  // Of swaps that are not written or read yet, memory may know more, even if not all.
  const partial = inMemory.filter(({ startMs }) => startMs < sinceMs);
  return [...fuller(older, partial), ...newest].slice(-range.limit);
});

/**
 * The candles of both lists; of two for one interval, each of a part of its swaps, the one of more
 * volume.
 */
function fuller(one: ReadonlyArray<Candle>, other: ReadonlyArray<Candle>): Candle[] {
  const candles = new Map(one.map((candle) => [candle.startMs, candle]));
  for (const candle of other) {
    const former = candles.get(candle.startMs);
    if (former === undefined || former.volumeUsd < candle.volumeUsd) {
      candles.set(candle.startMs, candle);
    }
  }
  return [...candles.values()].sort((a, b) => a.startMs - b.startMs);
}

/** The latest time that a Date can hold, in Unix ms. */
const LAST_MS = 8.64e15;

function wholeSince(sinceMs: number | undefined, market: Opened["market"]): number {
  const headMs = market.engine.graph.stamp.timestampMs;
  return Math.max(sinceMs ?? headMs, headMs - SURE_MS);
}

/**
 * How the history holds the candles of a pool's pair: in whole tokens of the quote for one base.
 */
export function candlesOfPair(
  graph: PoolGraph,
  pool: PoolIndex,
  { base, quote }: PoolPair,
): Pick<CandlesAsked, "of" | "convert"> {
  const [baseAddress, quoteAddress] = [graph.tokenAddress(base), graph.tokenAddress(quote)];
  const isBaseFirst = baseAddress < quoteAddress;
  const ratio = 10 ** (graph.tokenDecimals[base]! - graph.tokenDecimals[quote]!);
  const priced = (price: number) => (isBaseFirst ? price * ratio : ratio / price);
  return {
    of: {
      kind: "pair",
      pool: graph.poolAddress(pool),
      token0: isBaseFirst ? baseAddress : quoteAddress,
      token1: isBaseFirst ? quoteAddress : baseAddress,
    },
    convert: ({ open, high, low, close, ...candle }) => ({
      ...candle,
      open: priced(open),
      high: priced(isBaseFirst ? high : low),
      low: priced(isBaseFirst ? low : high),
      close: priced(close),
    }),
  };
}

/** Adds a candle for each interval between two: at the last price, without volume. */
function filled(
  candles: ReadonlyArray<Candle>,
  stepMs: number,
  { limit }: CandleRange,
): ReadonlyArray<Candle> {
  const all: Candle[] = [];
  for (const candle of candles.toReversed()) {
    const next = all.at(-1);
    if (next !== undefined) {
      const { close } = candle;
      for (let startMs = next.startMs - stepMs; startMs > candle.startMs; startMs -= stepMs) {
        if (all.length >= limit) return all.reverse();
        all.push({ startMs, open: close, high: close, low: close, close, volumeUsd: 0 });
      }
    }
    if (all.length >= limit) break;
    all.push(candle);
  }
  return all.reverse();
}
