import type { RouteStep } from "./FoundRoute.ts";

/**
 * A request for a quote: exactly one of `amountIn` and `amountOut`, in smallest units. Names and
 * meanings are those of the service's request; `assume` takes amounts as bigints.
 */
export interface RouteRequest {
  /** An address or an unambiguous symbol; the native token has its own. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn?: bigint;
  /** Exactly this output. */
  readonly amountOut?: bigint;
  /** The most pools of one path: 1 to 4, default 3. */
  readonly maxHops?: number;
  /** The most paths that the amount is split over: 1 to 64, default 1. */
  readonly maxSplits?: number;
  /** Only pools of this DEX. */
  readonly dexId?: string;
  readonly excludeDexIds?: ReadonlyArray<string>;
  /** Addresses, or ids of 32 bytes. */
  readonly excludePools?: ReadonlyArray<string>;
  /** Ranks routes net of gas at this price, in wei. */
  readonly gasPriceWei?: bigint;
  /** The same at the network's current gas price. */
  readonly gasAware?: boolean;
  /**
   * Whether one router must be able to execute the route; by default true with a node and a usable
   * router.
   */
  readonly executable?: boolean;
  /** Adds `certificate` to the quote: how much better any routing could be. */
  readonly certify?: boolean;
  /**
   * As few paths as come within so many basis points, 0.01 to 1000, of the best that any routing
   * could give. In place of `maxSplits`: at most 64 paths, or 8 with `explain` or `assume`. The
   * quote has a `certificate`.
   */
  readonly gapBps?: number;
  /** Adds `explanation` to the quote, or to the error. Then at most 8 paths. */
  readonly explain?: boolean;
  /** Assumptions, one after the other. Then at most 8 paths. */
  readonly assume?: ReadonlyArray<RouteAssumption>;
}

/** A change of the market that the quote takes as given. */
export type RouteAssumption =
  /** The pool is gone. */
  | { readonly removePool: string }
  /** A pool that is defined by its reserves alone holds these, in the order of its tokens. */
  | { readonly pool: string; readonly reserves: ReadonlyArray<bigint> }
  /** The steps of an earlier quote were executed. */
  | { readonly routePlan: ReadonlyArray<RouteStep> };
