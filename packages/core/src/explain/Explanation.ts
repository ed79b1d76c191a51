import type { PoolIndex } from "../graph/PoolGraph.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { NoQuoteReason, Quote } from "../search/quote.ts";

/** What an explanation reads of a market, or of one with assumptions on top. */
export type ExplainedMarket = Pick<OpenMarket, "graph" | "families" | "options" | "router">;

/** Where a quote's output went, or why there is no quote. */
export type Explanation = RouteExplanation | RefusalExplanation;

/**
 * The difference between the route's output at mid prices, without fees or price moves, and the
 * answer, in basis points of the former. The parts of steps add up to the route's, and these to the
 * total: 1 − amountOut / (amountIn × midPrice).
 */
export interface RouteExplanation {
  readonly kind: "route";
  /** Output per input at mid prices along the route, in smallest units; paths weighted by input. */
  readonly midPrice: number;
  readonly totalBps: number;
  readonly feesBps: number;
  /** Price moves by the swaps themselves, and rounding. */
  readonly curveBps: number;
  /** By step of the quote. */
  readonly steps: ReadonlyArray<StepExplanation>;
  /**
   * The second-best route. For one path: the best route that lacks at least one of its pools. For
   * several: the best route without the pool that takes most of the input. Best as the request
   * ranks routes: after gas, where gas has a price.
   */
  readonly runnerUp: Quote | undefined;
}

export interface StepExplanation {
  readonly pool: PoolIndex;
  /** The pool's fee on the value that goes in. */
  readonly feeBps: number;
  /**
   * The step's other losses. Below 0 where the step gives more: rounding in favour of the trader,
   * or a price that an earlier path of the same quote has moved.
   */
  readonly curveBps: number;
}

export interface RefusalExplanation {
  readonly kind: "refusal";
  readonly reason: NoQuoteReason;
  readonly limit: RefusalLimit;
}

/** The limit that stood in the way, and what would suffice. */
export type RefusalLimit =
  /**
   * Paths of at least `neededHops` of the request's pools link the tokens; undefined where even all
   * pools of the market link them by no path of any length.
   */
  | { readonly kind: "hops"; readonly maxHops: number; readonly neededHops: number | undefined }
  /**
   * The filter leaves no path; without it, `neededHops` pools link the tokens. More than `maxHops`:
   * both limit.
   */
  | { readonly kind: "filter"; readonly neededHops: number }
  /** The least input above the requested one that gives anything; one unit less gives nothing. */
  | { readonly kind: "leastAmount"; readonly amount: bigint }
  /**
   * The most that one path can fill, within a part in 2^10 and never too much; 0 where nothing can
   * be filled because pools are empty. Several paths may fill more, but not the request.
   */
  | { readonly kind: "capacity"; readonly amount: bigint }
  /**
   * A path could fill it, but not within the gas of one transaction; `amount`: the most within it,
   * likewise.
   */
  | { readonly kind: "gas"; readonly gasLimit: number; readonly amount: bigint };
