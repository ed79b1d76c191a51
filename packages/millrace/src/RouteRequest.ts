import type { RouteStep } from "./FoundRoute.ts";

/**
 * What to quote: exactly one of `amountIn` and `amountOut`, in smallest units. Names and meanings
 * are those of the service's request; `assume` takes amounts as bigints.
 */
export interface RouteRequest {
  /** An address or an unambiguous symbol; the native token has its own. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn?: bigint;
  /** Exactly so much comes out. */
  readonly amountOut?: bigint;
  /** The most pools of one path: 1 to 4, 3 where nothing is said. */
  readonly maxHops?: number;
  /** The most paths that the amount is split over: 1 to 64, 1 where nothing is said. */
  readonly maxSplits?: number;
  /** Pools of this DEX alone. */
  readonly dexId?: string;
  readonly excludeDexIds?: ReadonlyArray<string>;
  /** Addresses, or ids of 32 bytes. */
  readonly excludePools?: ReadonlyArray<string>;
  /** Ranks routes net of gas at this price, in wei. */
  readonly gasPriceWei?: bigint;
  /** The same at the price that the network has now. */
  readonly gasAware?: boolean;
  /** Whether one router has to be able to execute the route; as a rule so where there is a node. */
  readonly executable?: boolean;
  /** Adds `certificate` to the quote: how far any routing could be better. */
  readonly certify?: boolean;
  /**
   * As few paths as come within so many basis points of the best that any routing could give, 0.01
   * to 1000, in place of `maxSplits`: at most 64, or 8 with `explain` or `assume`. The quote has a
   * `certificate`.
   */
  readonly gapBps?: number;
  /** Adds `explanation` to the quote, or to the error. With it at most 8 paths. */
  readonly explain?: boolean;
  /** What the quote takes as given, one after the other. With it at most 8 paths. */
  readonly assume?: ReadonlyArray<RouteAssumption>;
}

/** Something that is not so, to be quoted as if it were. */
export type RouteAssumption =
  /** The pool is gone. */
  | { readonly removePool: string }
  /** A pool that is its reserves and nothing more holds these, in the order of its tokens. */
  | { readonly pool: string; readonly reserves: ReadonlyArray<bigint> }
  /** The steps of an earlier quote were executed. */
  | { readonly routePlan: ReadonlyArray<RouteStep> };
