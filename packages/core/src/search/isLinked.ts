import type { PoolGraph } from "../graph/PoolGraph.ts";
import type { PoolMask } from "./PoolMask.ts";

/** Whether a path of at most `maxHops` unmasked pools leads from one token to the other. */
export function isLinked(
  graph: PoolGraph,
  mask: PoolMask,
  from: number,
  to: number,
  maxHops: number,
): boolean {
  const { slotNeighbour, slotPool, slotStart } = graph;
  const seen = new Uint8Array(graph.tokenCount);
  seen[from] = 1;
  let frontier = [from];
  // Breadth first: a shortest walk visits no token twice.
  for (let hop = 0; hop < maxHops; hop++) {
    const next: number[] = [];
    for (const token of frontier) {
      for (let slot = slotStart[token]!; slot < slotStart[token + 1]!; slot++) {
        const neighbour = slotNeighbour[slot]!;
        if (seen[neighbour] === 1 || mask.blocks(slotPool[slot]!)) continue;
        if (neighbour === to) return true;
        seen[neighbour] = 1;
        next.push(neighbour);
      }
    }
    frontier = next;
  }
  return false;
}
