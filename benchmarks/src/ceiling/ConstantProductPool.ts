import type { OpenMarket, PoolIndex } from "@millrace/core";

/** A pool of x·y = k with its fee on the input. Reserves are in smallest units, above 0. */
export interface ConstantProductPool {
  readonly token0: number;
  readonly token1: number;
  readonly reserve0: number;
  readonly reserve1: number;
  /** Hundredths of a basis point. */
  readonly feePips: number;
}

/** The pools of a market as the ceiling takes them. Throws for any pool that is not x·y = k. */
export function constantProductPools({
  graph,
  families,
}: Pick<OpenMarket, "graph" | "families">): ReadonlyArray<ConstantProductPool> {
  const pools: ConstantProductPool[] = [];
  for (let index = 0; index < graph.poolCount; index++) {
    const pool = index as PoolIndex;
    if (!graph.isLive(pool)) continue;
    const protocol = graph.poolCurve[pool]!;
    if (graph.curveNames[protocol] !== "constant-product") {
      throw new RangeError(`a pool of ${graph.curveNames[protocol]}`);
    }
    const [reserve0, reserve1] = families[protocol]!.tokenAmounts(pool).map(Number);
    if (reserve0 === 0 || reserve1 === 0) continue;
    pools.push({
      token0: graph.poolToken(pool, 0),
      token1: graph.poolToken(pool, 1),
      reserve0: reserve0!,
      reserve1: reserve1!,
      feePips: graph.poolFeePips[pool]!,
    });
  }
  return pools;
}
