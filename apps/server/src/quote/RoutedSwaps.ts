import type { QuotedSwap } from "@millrace/chain";
import type { PoolGraph, QuoteStep } from "@millrace/core";

/** More than the chain is asked about after a block, since some are of one pool. */
const KEPT = 8;

/**
 * A sample of the steps of quotes since the last `take`, each as likely as any other: a pool is in
 * it as often as routes use it. Every quote is noted, so that takes only some tens of ns.
 */
export class RoutedSwaps {
  #kept: QuotedSwap[] = [];
  #heard = 0;

  note(graph: PoolGraph, steps: ReadonlyArray<QuoteStep>): void {
    for (const step of steps) {
      const at = this.#next();
      if (at < KEPT) this.#kept[at] = swapOf(graph, step);
    }
  }

  /** Adds a sample that another thread took of its quotes. */
  heard(swaps: ReadonlyArray<QuotedSwap>): void {
    for (const swap of swaps) {
      const at = this.#next();
      if (at < KEPT) this.#kept[at] = swap;
    }
  }

  /** The place of the next step; beyond all places if it is not kept. */
  #next(): number {
    const place = this.#heard++;
    return place < KEPT ? place : Math.floor(Math.random() * (place + 1));
  }

  /** The sample, in no particular order; a new one begins. */
  readonly take = (): ReadonlyArray<QuotedSwap> => {
    const taken = this.#kept;
    this.#kept = [];
    this.#heard = 0;
    return taken;
  };
}

/** An index may stand for another pool after the next block: the swap holds addresses. */
function swapOf(graph: PoolGraph, { pool, tokenIn, tokenOut, amountIn }: QuoteStep): QuotedSwap {
  return {
    pool: graph.poolAddress(pool),
    positionIn: graph.poolPosition(pool, tokenIn),
    positionOut: graph.poolPosition(pool, tokenOut),
    amountIn,
  };
}
