import { HOPS_MAX } from "../quote.ts";
import type { SplitSearch } from "./SplitSearch.ts";

/**
 * The price impact of a split, compared with each path's first unit: these rates include the fees,
 * so the rest is due to the curves.
 */
export function priceImpactOf(
  { edges, flows }: Pick<SplitSearch, "edges" | "flows">,
  amountOut: bigint,
): number {
  let withoutImpact = 0;
  for (let path = 0; path < flows.count; path++) {
    let amount = flows.amountIn[path]!;
    for (let hop = 0; hop < flows.hops[path]!; hop++) {
      const edge = flows.edges[path * HOPS_MAX + hop]!;
      amount *= edges.y[edge]! / edges.x[edge]!;
    }
    withoutImpact += amount;
  }
  return Math.min(Math.max(1 - Number(amountOut) / withoutImpact, 0), 1);
}
