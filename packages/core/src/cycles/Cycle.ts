import type { BlockStamp } from "../graph/PoolGraph.ts";
import type { QuoteStep } from "../search/quote.ts";

/** A round trip that ends with more than it began with. Amounts are exact. */
export interface Cycle {
  /** In the order of execution; the first takes `amountIn` of the token, the last gives it back. */
  readonly steps: ReadonlyArray<QuoteStep>;
  /**
   * The size of the greatest profit. No other size gives more by as much as one rounded unit of
   * each token on the way, after the fee, is worth in the end, or by a 10^9th of the profit. (Where
   * a pool rounds its price by more than a unit of a token, as above 2^96 units of liquidity, by
   * that.)
   */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** amountOut − amountIn, > 0. Gas is not counted. */
  readonly profit: bigint;
  /** See `Quote.gas`; within the market's limit at `amountIn`. */
  readonly gas: number;
  readonly stamp: BlockStamp;
}
