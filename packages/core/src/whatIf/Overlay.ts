import type { PoolFamily } from "../Curve.ts";
import type { Explanation } from "../explain/Explanation.ts";
import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import type { RefusedAssumption } from "./Assumption.ts";

/**
 * The market with assumptions on top; the market itself stays unchanged. An overlay follows its
 * market: after a block, the assumptions apply to the new state, to the pools with the same
 * addresses. It is only a list: it need not be closed, and there may be many.
 *
 * A block can make an assumption impossible: a pool may leave the market, or no longer fill a swap.
 * Call `refusal` first after a block; the other members throw a RangeError where it returns a
 * refusal. A pool that is assumed to be removed may also leave the market.
 */
export interface Overlay {
  readonly refused: false;
  /** The assumption that the current market does not allow, if any. */
  readonly refusal: () => RefusedAssumption | undefined;
  /**
   * The read view with the assumptions in it; removed pools are empty there. All overlays of a
   * market share one graph: do not read it any more after using another overlay, or after a block.
   */
  readonly graph: PoolGraph;
  /** The arithmetic of a pool, under the same terms as `graph`. */
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  /** As `Engine.quoteUnsafe` in a market that really has this state. */
  readonly quoteUnsafe: (request: QuoteRequest) => QuoteResult;
  /** As `Engine.explain`; for a refusal, a removed pool counts as one that the filter excludes. */
  readonly explain: (request: QuoteRequest, result: QuoteResult) => Explanation;
}
