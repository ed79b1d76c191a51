import { allocate, grown } from "../graph/buffers.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";

/** Marks on transits, which are all taken back at once. */
export class RankMarks {
  /** Index: rank. `current` on marked transits, another number on the others. */
  marks = allocate(Uint32Array, 0);
  current = 0;

  /** Takes back all marks, and makes room for the graph's transits. */
  begin({ transitCount }: PoolGraph): void {
    this.marks = grown(Uint32Array, this.marks, transitCount);
    if (this.current === 2 ** 32 - 1) {
      this.marks.fill(0);
      this.current = 0;
    }
    this.current++;
  }

  add(rank: number): void {
    this.marks[rank] = this.current;
  }

  has(rank: number): boolean {
    return this.marks[rank] === this.current;
  }

  /** Marks the transits next to a token. */
  addNeighbours({ slotRank, slotStart, slotTransitEnd }: PoolGraph, token: number): void {
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) this.add(slotRank[slot]!);
  }
}
