import type { BlockStamp, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";

/** The most pools that a path may pass. */
export const HOPS_MAX = 4;

/** The least and the greatest gap that can be asked for. */
export const GAP_BPS_MIN = 0.01;
export const GAP_BPS_MAX = 1_000;

/** Which side of a swap is fixed: all of it goes in, or exactly it comes out. */
export type QuoteKind = "exactIn" | "exactOut";

/**
 * What to quote: of two tokens of the market that differ. What makes no sense is refused with a
 * QuoteRequestError, which says what of it.
 */
export interface QuoteRequest {
  readonly tokenIn: TokenIndex;
  readonly tokenOut: TokenIndex;
  /** Which side `amount` fixes. */
  readonly kind: QuoteKind;
  /** In smallest units of that side's token: 1 to 2^256 - 1. */
  readonly amount: bigint;
  /** The most pools of one path: 1 … HOPS_MAX. */
  readonly maxHops: number;
  /**
   * The most paths that the amount is split over, 1 where nothing is said: a whole number from 1
   * up, or Infinity.
   */
  readonly maxSplits?: number | undefined;
  /**
   * What a unit of gas costs, in smallest units of the token whose amount is sought, from 0 to
   * 2^256: routes are ranked by output less what they use (`netOf`), or by input plus it, be it
   * more than all of the output. 0 where nothing is said.
   */
  readonly gasPrice?: number | undefined;
  readonly filter?: PoolFilter | undefined;
  /** Adds `certificate` to the quote. */
  readonly certify?: boolean | undefined;
  /**
   * As few paths as come within so many basis points (GAP_BPS_MIN to GAP_BPS_MAX) of the bound that
   * a certificate states, and at most `maxSplits`: any number where nothing is said. Where none
   * come as close, all that are found. The quote has its `certificate`.
   */
  readonly gapBps?: number | undefined;
}

/** Which pools a path may use; all, where nothing is said. */
export interface PoolFilter {
  /** Indexes of `graph.dexes`: no others. */
  readonly onlyDexes?: ReadonlyArray<number>;
  /** Sets of them: all pools of the route are of DEXes of one set. */
  readonly dexSets?: ReadonlyArray<ReadonlyArray<number>>;
  readonly withoutDexes?: ReadonlyArray<number>;
  readonly withoutPools?: ReadonlyArray<PoolIndex>;
}

export type QuoteResult = Quote | NoQuote;

/**
 * One path: for exact input none of at most `maxHops` pools gives more, for exact output none costs
 * less; of equals, one with the fewest pools. Split over several: never worse than the one path.
 * With a price of gas all that is meant net of it; and never worse than what would be found
 * without.
 */
export interface Quote {
  readonly found: true;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * In the order of execution, path after path; see `pathsOf`. On a path each step gives what the
   * next takes. A pool that stands in several paths is used again in the state that it was left in.
   */
  readonly steps: ReadonlyArray<QuoteStep>;
  /** What the pools' swaps need at most, by their families' estimates; never above the limit. */
  readonly gas: number;
  /**
   * What the swaps add to a transaction as a rule; see `PoolFamily.typicalGas`. Absent where the
   * request says no price of gas, not even 0.
   */
  readonly typicalGas?: number;
  /** How much worse than the price of an infinitely small trade, fees apart: 0.01 = 1 %. */
  readonly priceImpact: number;
  /** The block that the answer is true for. */
  readonly stamp: BlockStamp;
  /** Where the request asked for it, but for pools whose prices floats cannot hold. */
  readonly certificate?: Certificate;
}

/** How far a quote is at most from the best that any routing could do. */
export interface Certificate {
  /**
   * No routing over any number of paths of at most `hops` pools gives more for an exact input, and
   * none costs less for an exact output; after gas, where the request has a price of it.
   */
  readonly bound: bigint;
  /** How far the quote is from that, in basis points of its amount. */
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
 * The paths of a quote: no path visits a token twice, so each step from its first token begins one.
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
 * - AmountTooSmall: every path rounds to nothing, and a larger amount would not.
 * - InsufficientLiquidity: paths exist, and none can fill all of the amount within the gas limit.
 */
export type NoQuoteReason = "NoRoute" | "AmountTooSmall" | "InsufficientLiquidity";
