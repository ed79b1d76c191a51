import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import type { PoolFamily } from "../Protocol.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";

/**
 * The market with assumptions on top; the market itself is not touched. An overlay follows its
 * market: after a block the assumptions stand on the new state.
 */
export interface Overlay {
  readonly refused: false;
  /** The read view with the assumptions in it. */
  readonly graph: PoolGraph;
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  readonly quoteUnsafe: (request: QuoteRequest) => QuoteResult;
}
