import type { PoolGraph, PoolIndex } from "@millrace/core";

/** Caches what `read` gives for a pool, once for each version of its state. */
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
