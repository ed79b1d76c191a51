import type { PoolFamily } from "../../Curve.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import { HOPS_MAX } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import type { PathFlows } from "./PathFlows.ts";

/**
 * The paths through a pool that allows one swap in a route (`PoolFamily.feeFollowsSwaps`) and that
 * a path with a greater input uses.
 */
export function repeatedPaths(
  graph: PoolGraph,
  families: ReadonlyArray<PoolFamily>,
  edges: CandidateEdges,
  flows: PathFlows,
): ReadonlySet<number> {
  const users = new Map<number, PoolIndex[]>();
  for (let path = 0; path < flows.count; path++) {
    const pools: PoolIndex[] = [];
    for (let at = path * HOPS_MAX; at < path * HOPS_MAX + flows.hops[path]!; at++) {
      const pool = edges.pool[flows.edges[at]!]! as PoolIndex;
      if (families[graph.poolCurve[pool]!]!.feeFollowsSwaps?.(pool)) pools.push(pool);
    }
    if (pools.length > 0) users.set(path, pools);
  }
  const byInput = [...users].sort(([a], [b]) => flows.amountIn[b]! - flows.amountIn[a]!);
  const taken = new Set<PoolIndex>();
  const repeated = new Set<number>();
  for (const [path, pools] of byInput) {
    if (pools.some((pool) => taken.has(pool))) repeated.add(path);
    else for (const pool of pools) taken.add(pool);
  }
  return repeated;
}
