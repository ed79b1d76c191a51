import type { QuoteKind, QuoteStep } from "../search/quote.ts";

/** A given route through pools of the market. */
export interface PlannedRoute {
  readonly kind: QuoteKind;
  /**
   * In the order of execution. A pool on several paths is used in the state that earlier paths
   * left.
   */
  readonly paths: ReadonlyArray<PlannedPath>;
}

export interface PlannedPath {
  /** exactIn: the input of the first hop. exactOut: the output of the last. ≥ 1. */
  readonly amount: bigint;
  readonly hops: ReadonlyArray<Pick<QuoteStep, "pool" | "tokenIn" | "tokenOut">>;
}
