import type { QuotedSwap } from "@millrace/chain";
import type { PoolGraph, QuoteStep } from "@millrace/core";

/** More than are asked of the chain after a block, as some are of one pool. */
const KEPT = 8;

/**
 * A sample of the steps of quotes since it was last taken, each as likely as any other: pools are
 * in it by how much routes lead through them. Heard of with every quote, so in some tens of ns.
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

  /** A sample that another thread has taken of its quotes. */
  heard(swaps: ReadonlyArray<QuotedSwap>): void {
    for (const swap of swaps) {
      const at = this.#next();
      if (at < KEPT) this.#kept[at] = swap;
    }
  }

  /** Where the next one is kept; beyond all places if it is not. */
  #next(): number {
    const place = this.#heard++;
    return place < KEPT ? place : Math.floor(Math.random() * (place + 1));
  }

  /** The sample, in no order of the quotes; begins anew. */
  readonly take = (): ReadonlyArray<QuotedSwap> => {
    const taken = this.#kept;
    this.#kept = [];
    this.#heard = 0;
    return taken;
  };
}

/** Indexes may stand for others once a block has come. */
function swapOf(graph: PoolGraph, { pool, tokenIn, tokenOut, amountIn }: QuoteStep): QuotedSwap {
  return {
    pool: graph.poolAddress(pool),
    positionIn: graph.poolPosition(pool, tokenIn),
    positionOut: graph.poolPosition(pool, tokenOut),
    amountIn,
  };
}
