import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";

/** The pools of a round trip, in the order of execution. */
export interface CyclePath {
  readonly pools: ReadonlyArray<PoolIndex>;
  /** By hop: position of the token in × 8 + position of the token out, in the pool. */
  readonly positions: ReadonlyArray<number>;
}

/** The path along slots; each slot is in the list of its token in. */
export function pathAlong(graph: PoolGraph, slots: ReadonlyArray<number>): CyclePath {
  return {
    pools: slots.map((slot) => graph.slotPool[slot]! as PoolIndex),
    positions: slots.map((slot) => graph.slotPositions[slot]!),
  };
}
