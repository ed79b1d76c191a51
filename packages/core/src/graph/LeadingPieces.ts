import type { PoolFamily } from "../Curve.ts";
import { allocate, grown } from "./buffers.ts";
import { PIECE_STRIDE, type PoolGraph, type PoolIndex } from "./PoolGraph.ts";

/** Keeps the leading pieces of all edges, each at the two slots that carry it. */
export class LeadingPieces {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  /** Index: pool. The version of its pieces plus one; 0 where there are none. */
  #versions = allocate(Uint32Array, 0);

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
  }

  /** Writes the pieces of a pool in its current state. */
  write(pool: PoolIndex): void {
    const graph = this.#graph;
    const family = this.#families[graph.poolCurve[pool]!]!;
    const count = graph.poolTokenCount[pool]!;
    for (let from = 0; from < count; from++) {
      for (let to = 0; to < count; to++) {
        if (from === to) continue;
        const outAt = graph.poolSlot(pool, from, to) * PIECE_STRIDE;
        const inAt = graph.poolSlot(pool, to, from) * PIECE_STRIDE;
        family.leadingPiece(pool, from, to, graph.slotOut, outAt);
        for (let part = 0; part < PIECE_STRIDE; part++) {
          graph.slotIn[inAt + part] = graph.slotOut[outAt + part]!;
        }
      }
    }
    this.#versions[pool] = graph.poolVersion[pool]! + 1;
  }

  /** Makes room for all pools of the graph. */
  reserve(): void {
    this.#versions = grown(Uint32Array, this.#versions, this.#graph.poolCount);
  }

  /** Lays out slots anew: moves the pieces of unchanged pools, and writes those of the others. */
  moveWith(rebuild: () => void): void {
    const graph = this.#graph;
    const poolSlotStart = graph.poolSlotStart.slice();
    const poolSlots = graph.poolSlots.slice();
    const slotIn = graph.slotIn.slice();
    const slotOut = graph.slotOut.slice();
    rebuild();
    this.reserve();
    for (let pool = 0; pool < graph.poolCount; pool++) {
      if (this.#versions[pool] !== graph.poolVersion[pool]! + 1) {
        this.write(pool as PoolIndex);
        continue;
      }
      const count = graph.poolTokenCount[pool]!;
      for (let edge = 0; edge < count * (count - 1); edge++) {
        const before = poolSlots[poolSlotStart[pool]! + edge]! * PIECE_STRIDE;
        const now = graph.poolSlots[graph.poolSlotStart[pool]! + edge]! * PIECE_STRIDE;
        for (let part = 0; part < PIECE_STRIDE; part++) {
          graph.slotIn[now + part] = slotIn[before + part]!;
          graph.slotOut[now + part] = slotOut[before + part]!;
        }
      }
    }
  }
}
