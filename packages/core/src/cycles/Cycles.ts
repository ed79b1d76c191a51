import type { BlockStamp, TokenIndex } from "../graph/PoolGraph.ts";
import type { AppliedBlock } from "../graph/PoolGraphWriter.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { QuoteStep } from "../search/quote.ts";

/** A round trip that ends with more than it began with. Amounts are exact. */
export interface Cycle {
  /** In the order of execution; the first takes `amountIn` of the token, the last gives it back. */
  readonly steps: ReadonlyArray<QuoteStep>;
  /** The size of the greatest profit. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** amountOut − amountIn, > 0. Gas is not counted. */
  readonly profit: bigint;
  /** See `Quote.gas`. */
  readonly gas: number;
  readonly stamp: BlockStamp;
}

/** Finds round trips of one market, and keeps what it found until a block touches it. */
export class Cycles {
  constructor(_market: OpenMarket) {}

  /** To be told of every block, after it was applied. */
  applied(_block: AppliedBlock): void {}

  /** Profitable round trips from a token through 2 … maxHops pools now, the most profitable first. */
  find(_token: TokenIndex, _maxHops: number): ReadonlyArray<Cycle> {
    throw new Error("being built");
  }
}
