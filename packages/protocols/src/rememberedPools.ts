import type { PoolGraph, PoolIndex } from "@millrace/core";

/** What `read` makes of a pool, made once for each version of its state. */
export function rememberedPools<A>(
  graph: PoolGraph,
  read: (pool: PoolIndex) => A,
): (pool: PoolIndex) => A {
  const known: Array<{ readonly version: number; readonly value: A } | undefined> = [];
  return (pool) => {
    const version = graph.poolVersion[pool]!;
    const found = known[pool];
    if (found !== undefined && found.version === version) return found.value;
    const value = read(pool);
    known[pool] = { version, value };
    return value;
  };
}
