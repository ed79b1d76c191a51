import { type BlockStamp, runToEnd } from "@millrace/core";
import { type TradedBlock, type TradedSwap, VALUES_A_DOLLAR } from "../src/activity/TradedBlock.ts";
import type { BlockCandles } from "../src/candles/blockCandles.ts";
import { CANDLE_LENGTHS, type Candle, type CandleInterval } from "../src/candles/Candle.ts";
import type { Candles } from "../src/candles/Candles.ts";
import type { PricesNow } from "../src/candles/pastPrices.ts";

/** A block, and the dollar prices of its tokens at its end; 0 where there is none. */
export interface TrafficBlock extends TradedBlock {
  readonly prices: ReadonlyMap<number, number>;
}

/** Adds a block as it comes, all at once. */
export function addBlock(
  candles: Candles,
  block: TradedBlock,
  tokenPriceUsd: (token: number) => number,
): void {
  addRead(candles, runToEnd(candles.read(block, tokenPriceUsd)));
}

/** Adds a block of the past, all at once. */
export function addPastBlock(candles: Candles, block: TradedBlock, now: PricesNow): void {
  const prices = runToEnd(candles.pastPrices(block, now));
  addRead(candles, runToEnd(candles.read(block, (token) => prices.get(token) ?? 0)));
}

function addRead(candles: Candles, block: BlockCandles): void {
  candles.add(block);
  runToEnd(candles.settleOldest(block));
}

export interface Subject {
  readonly kind: "pool" | "token";
  readonly number: number;
}

interface Point {
  readonly seconds: number;
  readonly price: number;
  readonly value: number;
}

/** Candles by the plainest of ways: all trades, of blocks in the order of the chain, in boxes. */
export function referenceCandles(
  blocks: ReadonlyArray<TrafficBlock>,
  subject: Subject,
  interval: CandleInterval,
): Candle[] {
  const { seconds } = CANDLE_LENGTHS.find(({ name }) => name === interval)!;
  const boxes = new Map<number, Point[]>();
  for (const block of blocks) {
    for (const point of pointsOf(block, subject)) {
      const start = Math.floor(point.seconds / seconds) * seconds;
      const box = boxes.get(start);
      if (box === undefined) boxes.set(start, [point]);
      else box.push(point);
    }
  }
  return [...boxes]
    .sort(([a], [b]) => a - b)
    .flatMap(([start, points]) => candleOf(start, points) ?? []);
}

function pointsOf(block: TrafficBlock, subject: Subject): Point[] {
  const seconds = Math.floor(block.stamp.timestampMs / 1_000);
  return block.swaps.flatMap((swap) => {
    const { value } = swap;
    if (subject.kind === "pool") {
      return swap.pool === subject.number ? { seconds, price: swap.priceAfter, value } : [];
    }
    if (swap.tokenIn !== subject.number && swap.tokenOut !== subject.number) return [];
    return { seconds, price: block.prices.get(subject.number) ?? 0, value };
  });
}

function candleOf(start: number, points: ReadonlyArray<Point>): Candle | undefined {
  const prices = points.map(({ price }) => price).filter((price) => price > 0);
  if (prices.length === 0) return undefined;
  return {
    startMs: 1_000 * start,
    open: prices[0]!,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1)!,
    volumeUsd: points.reduce((sum, { value }) => sum + value, 0) / VALUES_A_DOLLAR,
  };
}

export function stampOf(number: number, seconds: number, branch = 0): BlockStamp {
  return { number, hash: `0x${number.toString(16)}b${branch}`, timestampMs: 1_000 * seconds };
}

export function swapOf(pool: number, part: Partial<TradedSwap>): TradedSwap {
  return {
    pool,
    series: part.pool ?? pool,
    tokenIn: pool,
    tokenOut: pool + 1,
    amountIn: 1n,
    amountOut: 1n,
    sellsToken0: true,
    value: VALUES_A_DOLLAR,
    priceAfter: 1,
    transactionHash: "0x",
    transaction: 0,
    logIndex: 0,
    ...part,
  };
}

export interface Traffic {
  readonly pools: number;
  readonly swapsMax: number;
}

/** Swaps among a few pools of a ring of tokens; some without a price, some without a value. */
export function randomBlock(
  next: () => number,
  stamp: BlockStamp,
  { pools, swapsMax }: Traffic,
): TrafficBlock {
  const swaps = Array.from({ length: Math.floor(swapsMax * next()) }, (_, logIndex) => {
    // Low numbers trade often, high ones seldom.
    const pool = Math.floor(pools * next() ** 3);
    const sells = next() < 0.5;
    const [tokenIn, tokenOut] = sells ? [pool, (pool + 1) % pools] : [(pool + 1) % pools, pool];
    return swapOf(pool, {
      tokenIn,
      tokenOut,
      sellsToken0: sells,
      value: next() < 0.1 ? 0 : Math.floor(1e9 * next() ** 4),
      priceAfter: next() < 0.1 ? 0 : randomPrice(next),
      logIndex,
    });
  });
  const prices = new Map<number, number>();
  for (const token of swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])) {
    prices.set(token, token % 5 === 4 || next() < 0.1 ? 0 : randomPrice(next));
  }
  return { stamp, swaps, prices };
}

function randomPrice(next: () => number): number {
  return Math.exp(20 * next() - 10);
}
