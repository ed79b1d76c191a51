import type { PoolIndex } from "../graph/PoolGraph.ts";
import { netOf } from "../search/netOf.ts";
import { pathsOf, type Quote, type QuoteRequest } from "../search/quote.ts";
import type { ExplainedMarket } from "./Explanation.ts";

/** See `RouteExplanation.runnerUp`: one quote more for each pool of one path, one for a split. */
export function findRunnerUp(
  { router }: ExplainedMarket,
  request: QuoteRequest,
  quote: Quote,
): Quote | undefined {
  let best: Quote | undefined;
  for (const pool of poolsToLeaveOut(quote)) {
    const withoutPools = [...(request.filter?.withoutPools ?? []), pool];
    const other = router.quote({ ...request, filter: { ...request.filter, withoutPools } });
    if (other.found && (best === undefined || netOf(request, other) > netOf(request, best)))
      best = other;
  }
  return best;
}

/**
 * A route that lacks a pool of one path lacks its first, or its second, and so on. For a split,
 * leaving out the smallest branch would give nearly the same route again: the main pool tells more.
 */
function poolsToLeaveOut(quote: Quote): ReadonlyArray<PoolIndex> {
  const paths = pathsOf(quote);
  if (paths.length === 1) return quote.steps.map(({ pool }) => pool);
  const inputs = new Map<PoolIndex, bigint>();
  for (const path of paths) {
    for (const { pool } of path) {
      inputs.set(pool, (inputs.get(pool) ?? 0n) + path[0]!.amountIn);
    }
  }
  let main = quote.steps[0]!.pool;
  for (const [pool, input] of inputs) if (input > inputs.get(main)!) main = pool;
  return [main];
}
