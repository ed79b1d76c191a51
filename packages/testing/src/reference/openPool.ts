import type { OpenMarket, PoolFamily, PoolIndex } from "@millrace/core";
import { engineMarket, poolIndexOf } from "./engineMarket.ts";
import type { FamilyPool } from "./plainMarket.ts";

/** A graph that holds one pool, with its family. */
export interface OpenPool {
  readonly open: OpenMarket;
  readonly family: PoolFamily;
  readonly index: PoolIndex;
}

export function openPool(pool: FamilyPool): OpenPool {
  const open = engineMarket({ chainId: 1, block: 1, pools: [pool] });
  const index = poolIndexOf(open, pool);
  return { open, index, family: open.families[open.graph.poolCurve[index]!]! };
}
