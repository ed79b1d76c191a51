import { NO_RANK, type TokenIndex } from "../graph/PoolGraph.ts";
import { PoolMask } from "../search/PoolMask.ts";
import type { PoolFilter } from "../search/quote.ts";
import type { ExplainedMarket } from "./explainQuote.ts";

/** Pools of the shortest path between two tokens that a filter allows; undefined for no path. */
export function hopsBetween(
  { graph }: Pick<ExplainedMarket, "graph">,
  from: TokenIndex,
  to: TokenIndex,
  filter: PoolFilter | undefined,
): number | undefined {
  const { slotNeighbour, slotPool, slotStart, tokenRank } = graph;
  const mask = new PoolMask(graph);
  mask.set(filter);
  // Index: token.
  const seen = new Uint8Array(graph.tokenCount);
  seen[from] = 1;
  let frontier: number[] = [from];
  for (let hops = 1; frontier.length > 0; hops++) {
    const next: number[] = [];
    for (const token of frontier) {
      for (let slot = slotStart[token]!; slot < slotStart[token + 1]!; slot++) {
        const neighbour = slotNeighbour[slot]!;
        if (seen[neighbour] === 1 || mask.blocks(slotPool[slot]!)) continue;
        if (neighbour === to) return hops;
        seen[neighbour] = 1;
        if (tokenRank[neighbour] !== NO_RANK) next.push(neighbour);
      }
    }
    frontier = next;
  }
  return undefined;
}
