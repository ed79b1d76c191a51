import type { BlockStamp, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";

/** The most pools that a path may pass. */
export const HOPS_MAX = 4;

/** What to quote. The caller has checked that both tokens exist and differ, and 1 ≤ amount < 2^256. */
export interface QuoteRequest {
  readonly tokenIn: TokenIndex;
  readonly tokenOut: TokenIndex;
  /** Which side `amount` fixes: all of it goes in, or exactly it comes out. */
  readonly kind: "exactIn" | "exactOut";
  /** In smallest units of that side's token. */
  readonly amount: bigint;
  /** 1 … HOPS_MAX. */
  readonly maxHops: number;
  readonly filter?: PoolFilter;
}

/** Which pools a path may use; all, where nothing is said. */
export interface PoolFilter {
  /** Indexes of `graph.dexes`: no others. */
  readonly onlyDexes?: ReadonlyArray<number>;
  readonly withoutDexes?: ReadonlyArray<number>;
  readonly withoutPools?: ReadonlyArray<PoolIndex>;
}

export type QuoteResult = Quote | NoQuote;

/**
 * The best path: for exact input none of at most `maxHops` pools gives more, for exact output none
 * costs less; of equals, one with the fewest pools.
 */
export interface Quote {
  readonly found: true;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** In the order of execution; each gives what the next takes. */
  readonly steps: ReadonlyArray<QuoteStep>;
  /** How much worse than the price of an infinitely small trade, fees apart: 0.01 = 1 %. */
  readonly priceImpact: number;
  /** The block that the answer is true for. */
  readonly stamp: BlockStamp;
}

export interface QuoteStep {
  readonly pool: PoolIndex;
  readonly tokenIn: TokenIndex;
  readonly tokenOut: TokenIndex;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

export interface NoQuote {
  readonly found: false;
  readonly reason: NoQuoteReason;
}

/**
 * - NoRoute: no path of at most `maxHops` allowed pools links the tokens.
 * - AmountTooSmall: every path rounds to nothing, and a larger amount would not.
 * - InsufficientLiquidity: paths exist, and none can fill all of the amount.
 */
export type NoQuoteReason = "NoRoute" | "AmountTooSmall" | "InsufficientLiquidity";
