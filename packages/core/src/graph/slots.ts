import { grown } from "./buffers.ts";
import { writeRates } from "./LeadingPieces.ts";
import type { NewSlot } from "./mergedList.ts";
import { PIECE_STRIDE, type PoolGraph } from "./PoolGraph.ts";

/** Makes room for slots. */
export function reserveSlots(graph: PoolGraph, count: number): void {
  graph.slotNeighbour = grown(Uint32Array, graph.slotNeighbour, count);
  graph.slotRank = grown(Uint32Array, graph.slotRank, count);
  graph.slotPool = grown(Uint32Array, graph.slotPool, count);
  graph.slotPositions = grown(Uint8Array, graph.slotPositions, count);
  graph.slotIn = grown(Float64Array, graph.slotIn, count * PIECE_STRIDE);
  graph.slotOut = grown(Float64Array, graph.slotOut, count * PIECE_STRIDE);
  graph.slotRateIn = grown(Float64Array, graph.slotRateIn, count);
  graph.slotRateOut = grown(Float64Array, graph.slotRateOut, count);
}

/** Writes a slot without its pieces. */
export function writeSlot(
  graph: PoolGraph,
  slot: number,
  pool: number,
  positions: number,
  neighbour: number,
): void {
  graph.slotNeighbour[slot] = neighbour;
  graph.slotRank[slot] = graph.tokenRank[neighbour]!;
  graph.slotPool[slot] = pool;
  graph.slotPositions[slot] = positions;
  graph.poolSlots[graph.poolSlotStart[pool]! + edgeOffset(graph, pool, positions)] = slot;
}

/** The content of one slot. */
export interface KeptSlot extends NewSlot {
  readonly inward: Float64Array;
  readonly outward: Float64Array;
}

export function keptSlot(graph: PoolGraph, slot: number): KeptSlot {
  const [from, to] = [PIECE_STRIDE * slot, PIECE_STRIDE * (slot + 1)];
  return {
    pool: graph.slotPool[slot]!,
    positions: graph.slotPositions[slot]!,
    neighbour: graph.slotNeighbour[slot]!,
    inward: graph.slotIn.slice(from, to),
    outward: graph.slotOut.slice(from, to),
  };
}

/** Writes a slot with the content of another. */
export function putKept(graph: PoolGraph, slot: number, kept: KeptSlot): void {
  writeSlot(graph, slot, kept.pool, kept.positions, kept.neighbour);
  graph.slotIn.set(kept.inward, PIECE_STRIDE * slot);
  graph.slotOut.set(kept.outward, PIECE_STRIDE * slot);
  writeRates(graph, slot);
}

/** Moves slots in a row, with their pieces. The ranks of their neighbours stay the same. */
export function moveSlots(graph: PoolGraph, from: number, to: number, count: number): void {
  const { poolSlots, poolSlotStart, slotPool, slotPositions } = graph;
  const { slotNeighbour, slotRank, slotRateIn, slotRateOut } = graph;
  for (const array of [slotNeighbour, slotRank, slotPool, slotPositions, slotRateIn, slotRateOut])
    array.copyWithin(to, from, from + count);
  for (const pieces of [graph.slotIn, graph.slotOut])
    pieces.copyWithin(PIECE_STRIDE * to, PIECE_STRIDE * from, PIECE_STRIDE * (from + count));
  for (let slot = to; slot < to + count; slot++) {
    const pool = slotPool[slot]!;
    poolSlots[poolSlotStart[pool]! + edgeOffset(graph, pool, slotPositions[slot]!)] = slot;
  }
}

function edgeOffset(graph: PoolGraph, pool: number, positions: number): number {
  const own = positions >> 3;
  const other = positions & 7;
  return own * (graph.poolTokenCount[pool]! - 1) + (other < own ? other : other - 1);
}
