import type { PoolFamily } from "../Curve.ts";
import type { Explanation } from "../explain/Explanation.ts";
import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import type { RefusedAssumption } from "./Assumption.ts";

/**
 * The market with assumptions on top; the market itself is not touched. An overlay follows its
 * market: after a block the assumptions stand on the new state, the pools being those of the same
 * addresses. It is a list and nothing else: it need not be closed, and there may be many.
 *
 * A block can make an assumption impossible: a pool that left the market, a swap that it would no
 * longer fill. Whoever keeps an overlay over a block asks `refusal` first; the other members throw
 * a RangeError where that would have told. A pool that is assumed to be gone may well go.
 */
export interface Overlay {
  readonly refused: false;
  /** Which assumption the market as it now is does not allow, if any. */
  readonly refusal: () => RefusedAssumption | undefined;
  /**
   * The read view with the assumptions in it; a removed pool stands there empty. All overlays of a
   * market take turns on one graph: read, and read no more after another overlay or a block.
   */
  readonly graph: PoolGraph;
  /** The arithmetic of a pool, to be used as `graph` is. */
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  /** As `Engine.quoteUnsafe`, of a market that really is in this state. */
  readonly quoteUnsafe: (request: QuoteRequest) => QuoteResult;
  /** As `Engine.explain`; to a refusal, a removed pool is one that the filter leaves out. */
  readonly explain: (request: QuoteRequest, result: QuoteResult) => Explanation;
}
