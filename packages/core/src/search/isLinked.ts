import type { PoolGraph } from "../graph/PoolGraph.ts";
import type { PoolMask } from "./PoolMask.ts";
import { slotsBetween } from "./slotsBetween.ts";

/** Whether a path of at most `maxHops` unmasked pools leads from one token to the other. */
export function isLinked(
  graph: PoolGraph,
  mask: PoolMask,
  from: number,
  to: number,
  maxHops: number,
): boolean {
  const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = graph;
  const seen = new Set([from]);
  let frontier = [from];
  // Breadth first: a shortest walk visits no token twice, and passes only transits.
  for (let hop = 1; hop <= maxHops; hop++) {
    if (frontier.some((token) => isNext(graph, mask, token, to))) return true;
    const next: number[] = [];
    for (const token of hop === maxHops ? [] : frontier) {
      for (let slot = slotStart[token]!; slot < slotTransitEnd[token]!; slot++) {
        const neighbour = slotNeighbour[slot]!;
        if (seen.has(neighbour) || mask.blocks(slotPool[slot]!)) continue;
        seen.add(neighbour);
        next.push(neighbour);
      }
    }
    frontier = next;
  }
  return false;
}

function isNext(graph: PoolGraph, mask: PoolMask, token: number, to: number): boolean {
  const range = slotsBetween(graph, token, to);
  for (let slot = range.start; slot < range.end; slot++) {
    if (!mask.blocks(graph.slotPool[slot]!)) return true;
  }
  return false;
}
