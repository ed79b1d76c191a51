import type { PoolFamily } from "./Curve.ts";
import type { PoolIndex } from "./graph/PoolGraph.ts";
import type { OpenMarket } from "./openMarket.ts";
import { isIndex, noSuchPool } from "./search/arguments.ts";

/** The arithmetic of a pool. Throws a QuoteRequestError for an index that is not in the market. */
export function familyOfPool(
  { graph, families }: Pick<OpenMarket, "graph" | "families">,
  pool: PoolIndex,
): PoolFamily {
  if (!isIndex(pool, graph.poolCount)) throw noSuchPool("pool", pool);
  return families[graph.poolCurve[pool]!]!;
}
