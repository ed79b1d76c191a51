import type { BlockStamp, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";

/** The most pools on a path. */
export const HOPS_MAX = 4;

/** The least and the greatest gap that a request may have. */
export const GAP_BPS_MIN = 0.01;
export const GAP_BPS_MAX = 1_000;

/** The side of a swap that is fixed: exactly so much goes in, or comes out. */
export type QuoteKind = "exactIn" | "exactOut";

/**
 * A quote request for two different tokens of the market. An invalid one is refused with a
 * QuoteRequestError that says why.
 */
export interface QuoteRequest {
  readonly tokenIn: TokenIndex;
  readonly tokenOut: TokenIndex;
  /** The side that `amount` fixes. */
  readonly kind: QuoteKind;
  /** In smallest units of that side's token: 1 to 2^256 - 1. */
  readonly amount: bigint;
  /** The most pools of one path: 1 … HOPS_MAX. */
  readonly maxHops: number;
  /**
   * The most paths that the amount is split over: a whole number from 1 up, or Infinity; default 1.
   */
  readonly maxSplits?: number | undefined;
  /**
   * The cost of a unit of gas, in smallest units of the token whose amount is sought, from 0 to
   * 2^256; default 0. Routes are ranked by output minus the cost of their gas (`netOf`), or by
   * input plus it, even if the cost exceeds the output.
   */
  readonly gasPrice?: number | undefined;
  readonly filter?: PoolFilter | undefined;
  /** Adds `certificate` to the quote. */
  readonly certify?: boolean | undefined;
  /**
   * As few paths as come within so many basis points (GAP_BPS_MIN to GAP_BPS_MAX) of a
   * certificate's bound, at most `maxSplits`, without limit by default. Where none come as close,
   * all that were found. The quote has its `certificate`.
   */
  readonly gapBps?: number | undefined;
}

/** The pools that a path may use; all by default. */
export interface PoolFilter {
  /** Indexes of `graph.dexes`: only these DEXes. */
  readonly onlyDexes?: ReadonlyArray<number>;
  /** Sets of indexes: all pools of a route are of DEXes of one set. */
  readonly dexSets?: ReadonlyArray<ReadonlyArray<number>>;
  readonly withoutDexes?: ReadonlyArray<number>;
  readonly withoutPools?: ReadonlyArray<PoolIndex>;
}

export type QuoteResult = Quote | NoQuote;

/**
 * One path: for exact input, no path of at most `maxHops` pools gives more; for exact output, none
 * costs less; of equals, one with the fewest pools. Several paths: never worse than the one path.
 * With a gas price, all this holds net of gas, and the quote is never worse than the one found
 * without.
 */
export interface Quote {
  readonly found: true;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * In the order of execution, path after path; see `pathsOf`. On a path, each step gives what the
   * next takes. A pool on several paths is used again in the state that earlier paths left.
   */
  readonly steps: ReadonlyArray<QuoteStep>;
  /** Upper bound of the gas of the pools' swaps, by their families' estimates; within the limit. */
  readonly gas: number;
  /**
   * Gas that the swaps usually add to a transaction; see `PoolFamily.typicalGas`. Absent where the
   * request has no gas price, not even 0.
   */
  readonly typicalGas?: number;
  /** How much worse than the price of an infinitely small trade, without fees: 0.01 = 1 %. */
  readonly priceImpact: number;
  /** The block of the answer. */
  readonly stamp: BlockStamp;
  /** Where the request asked for it, unless floats cannot represent the prices of a pool. */
  readonly certificate?: Certificate;
}

/** The greatest distance of a quote from the best possible routing. */
export interface Certificate {
  /**
   * No routing over any number of paths of at most `hops` pools gives more for an exact input, or
   * costs less for an exact output; after gas, where the request has a gas price.
   */
  readonly bound: bigint;
  /** The quote's distance from the bound, in basis points of its amount. */
  readonly gapBps: number;
  readonly hops: number;
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
 * The paths of a quote: no path visits a token twice, so each step from the first token begins one.
 */
export function pathsOf({ steps }: Pick<Quote, "steps">): ReadonlyArray<ReadonlyArray<QuoteStep>> {
  const paths: QuoteStep[][] = [];
  for (const step of steps) {
    if (step.tokenIn === steps[0]!.tokenIn) paths.push([step]);
    else paths[paths.length - 1]!.push(step);
  }
  return paths;
}

/**
 * - NoRoute: no path of at most `maxHops` allowed pools links the tokens.
 * - AmountTooSmall: every path rounds to zero, and a larger amount would not.
 * - InsufficientLiquidity: paths exist, but none can fill the whole amount within the gas limit.
 */
export type NoQuoteReason = "NoRoute" | "AmountTooSmall" | "InsufficientLiquidity";
