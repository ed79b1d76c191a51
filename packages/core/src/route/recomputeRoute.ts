import type { BlockStamp, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { QuoteStep } from "../search/quote.ts";

/** A route that is given, not sought. Its pools are live and have the tokens of their hops. */
export interface PlannedRoute {
  readonly kind: "exactIn" | "exactOut";
  /** In the order of execution. A pool that several paths use is used in the state it was left in. */
  readonly paths: ReadonlyArray<PlannedPath>;
}

export interface PlannedPath {
  /** exactIn: goes into the first hop. exactOut: comes out of the last. ≥ 1. */
  readonly amount: bigint;
  readonly hops: ReadonlyArray<Pick<QuoteStep, "pool" | "tokenIn" | "tokenOut">>;
}

/** What a planned route takes and gives in the newest block. */
export interface RecomputedRoute {
  readonly filled: true;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The steps of each path. */
  readonly paths: ReadonlyArray<ReadonlyArray<QuoteStep>>;
  /** See `Quote.gas`, a bound; and `PoolFamily.typicalGas`, of all steps. */
  readonly gas: number;
  readonly typicalGas: number;
  readonly stamp: BlockStamp;
}

/** A hop that cannot fill its amount, or gives nothing for it. */
export interface UnfilledRoute {
  readonly filled: false;
  readonly pool: PoolIndex;
  readonly tokenIn: TokenIndex;
  readonly reason: "AmountTooSmall" | "InsufficientLiquidity";
}

/** Being built. */
export function recomputeRoute(
  _market: Pick<OpenMarket, "graph" | "protocols" | "families">,
  _route: PlannedRoute,
): RecomputedRoute | UnfilledRoute {
  throw new Error("being built");
}
