import type { Address, BlockStamp } from "@millrace/core";

/** A block's swaps, in the order of the chain, with their values. */
export interface TradedBlock {
  readonly stamp: BlockStamp;
  readonly swaps: ReadonlyArray<TradedSwap>;
}

/**
 * Pools and tokens have numbers of `Subjects`: a swap may be of a pool that is not in the market.
 */
export interface TradedSwap {
  readonly pool: number;
  /** See `PairSeries`. */
  readonly series: number;
  readonly tokenIn: number;
  readonly tokenOut: number;
  /** Smallest units. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** `tokenIn` is the pair's token0, the one with the lower address. */
  readonly sellsToken0: boolean;
  /** Whole ten-thousandths of a US dollar; 0 when neither token has a price. */
  readonly value: number;
  /**
   * The pool's mid price right after the swap, of one token0 in token1, both in smallest units,
   * since decimals may become known only when the pool enters the graph. 0 when unknown.
   */
  readonly priceAfter: number;
  readonly transactionHash: string;
  /** See `SwapEvent.maker`. */
  readonly maker?: Address | undefined;
  /**
   * Number of the swap's transaction among those of the block with swaps, from 0; the swaps of one
   * stand together.
   */
  readonly transaction: number;
  readonly logIndex: number;
}

/**
 * Values are whole multiples of this part of a US dollar: sums of them are exact, whatever comes
 * and goes.
 */
export const VALUES_A_DOLLAR = 10_000;

export type WindowName = (typeof WINDOWS)[number]["name"];

/** Rolling windows, which end with the newest block. */
export const WINDOWS = [
  { name: "5m", seconds: 300 },
  { name: "1h", seconds: 3_600 },
  { name: "6h", seconds: 21_600 },
  { name: "24h", seconds: 86_400 },
] as const;

/**
 * The sums of a window. For a token, a buy is a swap whose pool pays it out; for a pool, one that
 * pays out the lower-address token of the two swapped.
 */
export interface WindowSums {
  readonly volumeUsd: number;
  readonly transactions: number;
  readonly buys: number;
  readonly sells: number;
}

/** Properties by which a swap may be looked for. */
export type TradeParties = Pick<TradedSwap, "maker" | "transactionHash">;

/** One swap as listed. */
export interface Trade {
  /** Unique, from its place on the chain: `blockNumber-logIndex`. */
  readonly id: string;
  readonly stamp: BlockStamp;
  readonly pool: Address;
  readonly transactionHash: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly valueUsd: number;
  /** As seen from the base of the query: a buy is a swap whose pool paid the base out. */
  readonly side: "buy" | "sell";
  /**
   * The amount of the other token for one base, in whole tokens, fees included; 0 where an amount
   * is 0 or the decimals are unknown.
   */
  readonly price: number;
  /** See `SwapEvent.maker`. */
  readonly maker?: Address;
  readonly logIndex: number;
}
