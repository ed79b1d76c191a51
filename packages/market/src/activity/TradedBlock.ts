import type { Address, BlockStamp } from "@millrace/core";

/** A block's swaps, in the order of the chain, with what each was worth. */
export interface TradedBlock {
  readonly stamp: BlockStamp;
  readonly swaps: ReadonlyArray<TradedSwap>;
}

/**
 * Pools and tokens are numbered by `Subjects`: a swap may be of a pool that is not in the market.
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
  /** `tokenIn` is the token0 of the two: that with the lower address. */
  readonly sellsToken0: boolean;
  /** Ten-thousandths of a US dollar, whole; 0 when neither token has a price. */
  readonly value: number;
  /**
   * The pool's mid price right after it, of one token0 in the other, both in smallest units:
   * decimals may become known only when the pool enters the graph. 0 when unknown.
   */
  readonly priceAfter: number;
  readonly transactionHash: string;
  /** See `SwapEvent.maker`. */
  readonly maker?: Address | undefined;
  /** Which of the block's transactions with swaps it is, from 0; they stand together. */
  readonly transaction: number;
  readonly logIndex: number;
}

/**
 * Values are whole numbers of this part of a US dollar: sums of them are exact, whatever comes and
 * goes.
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
 * What happened in a window. Of a token, a buy is a swap whose pool pays it out; of a pool, one
 * that pays out the token with the lower address of the two that are swapped.
 */
export interface WindowSums {
  readonly volumeUsd: number;
  readonly transactions: number;
  readonly buys: number;
  readonly sells: number;
}

/** By what a swap may be looked for. */
export type TradeParties = Pick<TradedSwap, "maker" | "transactionHash">;

/** One swap as it is listed. */
export interface Trade {
  /** Of the chain's order, unique: `blockNumber-logIndex`. */
  readonly id: string;
  readonly stamp: BlockStamp;
  readonly pool: Address;
  readonly transactionHash: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly valueUsd: number;
  /** Of the base that the trades were asked by: a buy is a swap whose pool paid the base out. */
  readonly side: "buy" | "sell";
  /**
   * What was paid of the other token for one base, in whole tokens, fees included; 0 where an
   * amount is 0 or the decimals are unknown.
   */
  readonly price: number;
  /** See `SwapEvent.maker`. */
  readonly maker?: Address;
  readonly logIndex: number;
}
