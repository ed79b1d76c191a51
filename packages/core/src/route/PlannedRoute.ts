import type { QuoteKind, QuoteStep } from "../search/quote.ts";

/** A route that is given, not sought, through pools of the market. */
export interface PlannedRoute {
  readonly kind: QuoteKind;
  /**
   * In the order of execution. A pool that several paths use is used in the state it was left in.
   */
  readonly paths: ReadonlyArray<PlannedPath>;
}

export interface PlannedPath {
  /** exactIn: goes into the first hop. exactOut: comes out of the last. ≥ 1. */
  readonly amount: bigint;
  readonly hops: ReadonlyArray<Pick<QuoteStep, "pool" | "tokenIn" | "tokenOut">>;
}
