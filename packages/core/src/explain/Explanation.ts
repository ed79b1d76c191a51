import type { PoolIndex } from "../graph/PoolGraph.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { NoQuoteReason, Quote } from "../search/quote.ts";

/** What an explanation reads: of a market, or of one with assumptions on top. */
export type ExplainedMarket = Pick<OpenMarket, "graph" | "families" | "options" | "router">;

/** Where a quote's output went, or what stood in the way of one. */
export type Explanation = RouteExplanation | RefusalExplanation;

/**
 * The difference between what the route would give at mid prices, without fees and without moving
 * them, and the answer; in basis points of the former. Steps' parts add up to the route's, and
 * those to the total: 1 − amountOut / (amountIn × midPrice).
 */
export interface RouteExplanation {
  readonly kind: "route";
  /** Output per input at mid prices along the route, in smallest units; paths weighted by input. */
  readonly midPrice: number;
  readonly totalBps: number;
  readonly feesBps: number;
  /** That prices move with the swaps, and roundings. */
  readonly curveBps: number;
  /** By step of the quote. */
  readonly steps: ReadonlyArray<StepExplanation>;
  /**
   * What the answer was better than. For one path: the best route that lacks at least one of its
   * pools. For several: the best route without the pool that most of the input goes through. Best
   * as the request ranks routes: after gas, where that has a price.
   */
  readonly runnerUp: Quote | undefined;
}

export interface StepExplanation {
  readonly pool: PoolIndex;
  /** The pool's fee on the value that goes in. */
  readonly feeBps: number;
  /**
   * What else the step loses. Below 0 where the step gives more: a rounding in favour of the
   * trader, or a price that an earlier path of the same quote has moved.
   */
  readonly curveBps: number;
}

export interface RefusalExplanation {
  readonly kind: "refusal";
  readonly reason: NoQuoteReason;
  readonly limit: RefusalLimit;
}

/** Which limit stood in the way, and what would do. */
export type RefusalLimit =
  /**
   * The request's pools link the tokens by paths of `neededHops` pools and more; undefined where
   * not even all pools of the market do, however long the path.
   */
  | { readonly kind: "hops"; readonly maxHops: number; readonly neededHops: number | undefined }
  /** Its filter leaves no path; without it, `neededHops` pools do. More than asked: both limit. */
  | { readonly kind: "filter"; readonly neededHops: number }
  /** The least input above the asked one that gives anything; one unit less does not. */
  | { readonly kind: "leastAmount"; readonly amount: bigint }
  /**
   * The most that one path can fill, to a part in 2^10 and never too much; 0 where nothing can be
   * filled, pools being empty. Several paths may fill more, though not what was asked.
   */
  | { readonly kind: "capacity"; readonly amount: bigint }
  /** A path could fill it, but not within the gas of one transaction; the most within, likewise. */
  | { readonly kind: "gas"; readonly gasLimit: number; readonly amount: bigint };
