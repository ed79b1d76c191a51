import type { AppliedBlock, PoolGraph } from "@millrace/core";

/**
 * How many pools each DEX has. Counted when pools come or go, while a block is applied: a request
 * that went through all pools of a large market would hold the event loop for milliseconds.
 */
export class DexPools {
  readonly #graph: PoolGraph;
  // Index: DEX.
  #counts: ReadonlyArray<number> = [];

  constructor(
    graph: PoolGraph,
    onApplied: (listener: (block: AppliedBlock) => void) => () => void,
  ) {
    this.#graph = graph;
    this.#count();
    onApplied(({ topologyChanged }) => {
      if (topologyChanged) this.#count();
    });
  }

  of(dexIndex: number): number {
    return this.#counts[dexIndex] ?? 0;
  }

  #count(): void {
    const { dexes, poolCount, poolTokenCount, poolDex } = this.#graph;
    const counts = new Array<number>(dexes.length).fill(0);
    for (let pool = 0; pool < poolCount; pool++) {
      // A pool that has left keeps its index, with no tokens.
      if (poolTokenCount[pool]! > 0) counts[poolDex[pool]!]!++;
    }
    this.#counts = counts;
  }
}
