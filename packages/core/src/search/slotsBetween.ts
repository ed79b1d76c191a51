import type { PoolGraph } from "../graph/PoolGraph.ts";

export interface SlotRange {
  readonly start: number;
  readonly end: number;
}

/** The slots of a token's list with a given neighbour: its pools with that token. */
export function slotsBetween(graph: PoolGraph, token: number, neighbour: number): SlotRange {
  const { slotEnd, slotNeighbour, slotStart, slotTransitEnd } = graph;
  // The list has two parts, each ascending by neighbour; a token stands in one of them.
  const transitEnd = slotTransitEnd[token]!;
  const transit = rangeOf(slotNeighbour, slotStart[token]!, transitEnd, neighbour);
  if (transit.start < transit.end) return transit;
  return rangeOf(slotNeighbour, transitEnd, slotEnd[token]!, neighbour);
}

function rangeOf(values: Uint32Array, from: number, to: number, value: number): SlotRange {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < to && values[end] === value) end++;
  return { start: low, end };
}
