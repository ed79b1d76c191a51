import type { PoolIndex } from "../graph/PoolGraph.ts";
import type { NoQuoteReason, Quote } from "../search/quote.ts";

/** Where a quote's output went, or what stood in the way of one. */
export type Explanation = RouteExplanation | RefusalExplanation;

/**
 * The difference between what the route would give at mid prices, without fees and without moving
 * them, and the answer; in basis points of the former, parts adding up to the whole.
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
  /** The best route of the same kind that lacks at least one of this one's pools. */
  readonly runnerUp: Quote | undefined;
}

export interface StepExplanation {
  readonly pool: PoolIndex;
  readonly feeBps: number;
  readonly curveBps: number;
}

export interface RefusalExplanation {
  readonly kind: "refusal";
  readonly reason: NoQuoteReason;
  readonly limit: RefusalLimit;
}

/** Which limit stood in the way, and what would do. */
export type RefusalLimit =
  /** No path at all, however long, or only one of more pools: then how many it needs. */
  | { readonly kind: "hops"; readonly maxHops: number; readonly neededHops: number | undefined }
  /** Paths exist, but the request's filter leaves none. */
  | { readonly kind: "filter" }
  /** The least input, or output, that gives anything. */
  | { readonly kind: "leastAmount"; readonly amount: bigint }
  /** The most that one path can fill, within the gas limit, to a part in 2^10 and never too much. */
  | { readonly kind: "capacity"; readonly amount: bigint }
  /** Pools could fill it, but not within the gas limit of one transaction. */
  | { readonly kind: "gas"; readonly gasLimit: number; readonly amount: bigint };
