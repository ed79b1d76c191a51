import { NO_RANK, type TokenIndex } from "../graph/PoolGraph.ts";
import { PathRouter } from "../search/PathRouter.ts";
import { PoolMask } from "../search/PoolMask.ts";
import {
  HOPS_MAX,
  type NoQuoteReason,
  type PoolFilter,
  type QuoteRequest,
} from "../search/quote.ts";
import { findCapacity, findLeastInput } from "./amountLimits.ts";
import type { ExplainedMarket, RefusalLimit } from "./Explanation.ts";

/** The limit that stood in the way of a refused request. */
export function findLimit(
  market: ExplainedMarket,
  request: QuoteRequest,
  reason: NoQuoteReason,
): RefusalLimit {
  switch (reason) {
    case "NoRoute":
      return limitOfLinks(market, request);
    case "AmountTooSmall": {
      const amount = findLeastInput(market, request);
      return amount === undefined ? limitOfPools(market, request) : { kind: "leastAmount", amount };
    }
    case "InsufficientLiquidity":
      return limitOfPools(market, request);
  }
}

/**
 * More hops, where they suffice with the filter; else the filter; where neither suffices, the hops.
 */
function limitOfLinks(market: ExplainedMarket, request: QuoteRequest): RefusalLimit {
  const { tokenIn, tokenOut, maxHops, filter } = request;
  const filtered = hopsBetween(market, tokenIn, tokenOut, filter);
  if (filtered === undefined || filtered > HOPS_MAX) {
    const neededHops = filter && hopsBetween(market, tokenIn, tokenOut, undefined);
    // Where both paths are longer than any request may ask for, the filter is not to blame.
    const isFiltered = filtered === undefined || (neededHops ?? filtered) <= HOPS_MAX;
    if (neededHops !== undefined && isFiltered) return { kind: "filter", neededHops };
  }
  return { kind: "hops", maxHops, neededHops: filtered };
}

function limitOfPools(market: ExplainedMarket, request: QuoteRequest): RefusalLimit {
  const { graph, families, options } = market;
  const amount = findCapacity(market, request);
  const unlimited = new PathRouter(graph, families, Number.POSITIVE_INFINITY);
  if (unlimited.quote(request).found) return { kind: "gas", gasLimit: options.gasLimit, amount };
  if (amount === 0n && request.kind === "exactIn") {
    // Paths may take only amounts between two doublings of the requested one.
    const least = findLeastInput(market, request);
    if (least !== undefined) return { kind: "leastAmount", amount: least };
  }
  return { kind: "capacity", amount };
}

/** Pools on the shortest path between two tokens that a filter allows; undefined for no path. */
function hopsBetween(
  { graph }: Pick<ExplainedMarket, "graph">,
  from: TokenIndex,
  to: TokenIndex,
  filter: PoolFilter | undefined,
): number | undefined {
  const { slotEnd, slotNeighbour, slotPool, slotStart, tokenRank } = graph;
  const mask = new PoolMask(graph);
  mask.set(filter);
  // Index: token.
  const seen = new Uint8Array(graph.tokenCount);
  seen[from] = 1;
  let frontier: number[] = [from];
  for (let hops = 1; frontier.length > 0; hops++) {
    const next: number[] = [];
    for (const token of frontier) {
      for (let slot = slotStart[token]!; slot < slotEnd[token]!; slot++) {
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
