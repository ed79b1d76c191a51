import type { AppliedBlock, PoolGraph } from "@millrace/core";
import { enlarged } from "../enlarged.ts";

/** Times of the last blocks that changed or brought each pool, and a pool of each token. */
export class UpdateTimes {
  readonly #graph: PoolGraph;
  tokenMs: Float64Array<ArrayBuffer>; // index: token
  poolMs: Float64Array<ArrayBuffer>; // index: pool
  #stampedTokens: number;

  /** Everything in the market gets the time of the graph's block. */
  constructor(graph: PoolGraph) {
    const { tokenCount, poolCount, stamp } = graph;
    this.#graph = graph;
    this.tokenMs = new Float64Array(tokenCount).fill(stamp.timestampMs);
    this.#stampedTokens = tokenCount;
    this.poolMs = new Float64Array(poolCount).fill(stamp.timestampMs);
  }

  /** Takes in a block that the graph shows now. */
  follow(applied: AppliedBlock): void {
    const graph = this.#graph;
    const { timestampMs } = applied.stamp;
    this.tokenMs = enlarged(this.tokenMs, graph.tokenCount);
    this.tokenMs.fill(timestampMs, this.#stampedTokens, graph.tokenCount);
    this.#stampedTokens = graph.tokenCount;
    this.poolMs = enlarged(this.poolMs, graph.poolCount);
    const listed = applied.block.pools.map(({ address }) => graph.findPool(address));
    for (const pool of [...applied.changedPools, ...listed]) {
      if (pool === undefined) continue;
      this.poolMs[pool] = timestampMs;
      for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
        this.tokenMs[graph.poolToken(pool, position)] = timestampMs;
      }
    }
  }
}
