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
    writePieces(graph, this.#families[graph.poolCurve[pool]!]!, pool);
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
        const before = poolSlots[poolSlotStart[pool]! + edge]!;
        const now = graph.poolSlots[graph.poolSlotStart[pool]! + edge]!;
        for (let part = 0; part < PIECE_STRIDE; part++) {
          const at = now * PIECE_STRIDE + part;
          graph.slotIn[at] = slotIn[before * PIECE_STRIDE + part]!;
          graph.slotOut[at] = slotOut[before * PIECE_STRIDE + part]!;
        }
        writeRates(graph, now);
      }
    }
  }
}

/** Writes the pieces of a pool in its current state, and their rates; `family` is the pool's. */
export function writePieces(graph: PoolGraph, family: PoolFamily, pool: PoolIndex): void {
  const { slotIn, slotOut, slotRateIn, slotRateOut } = graph;
  const count = graph.poolTokenCount[pool]!;
  for (let from = 0; from < count; from++) {
    for (let to = 0; to < count; to++) {
      if (from === to) continue;
      const outward = graph.poolSlot(pool, from, to);
      const inward = graph.poolSlot(pool, to, from);
      const outAt = outward * PIECE_STRIDE;
      family.leadingPiece(pool, from, to, slotOut, outAt);
      for (let part = 0; part < PIECE_STRIDE; part++)
        slotIn[inward * PIECE_STRIDE + part] = slotOut[outAt + part]!;
      slotRateOut[outward] = slotOut[outAt + 1]! / slotOut[outAt]!;
      slotRateIn[inward] = slotRateOut[outward]!;
    }
  }
}

/** Writes the rates of a slot that has its pieces. */
export function writeRates(graph: PoolGraph, slot: number): void {
  const { slotIn, slotOut, slotRateIn, slotRateOut } = graph;
  const at = slot * PIECE_STRIDE;
  slotRateIn[slot] = slotIn[at + 1]! / slotIn[at]!;
  slotRateOut[slot] = slotOut[at + 1]! / slotOut[at]!;
}
