import {
  type Curve,
  openMarket,
  type PoolFamily,
  type PoolIndex,
  type TokenListing,
} from "@millrace/core";
import type { FollowedPool } from "./FollowedPool.ts";
import type { Mirror } from "./Mirror.ts";

/** A pool's arithmetic at one state of the pool. */
export interface QuotedPool {
  readonly family: PoolFamily;
  readonly index: PoolIndex;
}

/**
 * Families that quote through the given pools, in their order; undefined for a pool that no market
 * would accept. The tokens are the mirror's.
 */
export function quotePools(
  curves: ReadonlyArray<Curve>,
  { tokens, head }: Pick<Mirror, "tokens" | "head">,
  pools: ReadonlyArray<FollowedPool>,
): ReadonlyArray<QuotedPool | undefined> {
  const { graph, families, writer } = openMarket(0, curves);
  const known = new Set(pools.flatMap(({ listing }) => listing.tokens));
  writer.applyBlock({
    stamp: head!,
    dexes: [...new Set(pools.map(({ dex }) => dex.dex))],
    tokens: [...known].map((token) => tokens.get(token) as TokenListing),
    pools: pools.map(({ listing }) => listing),
    removedPools: [],
    states: pools.map(({ listing, state: { words, book } }) => ({
      pool: listing.address,
      state: book === undefined ? { words } : { words, book },
    })),
    swaps: [],
    supplies: [],
  });
  return pools.map(({ listing }) => {
    const index = graph.findPool(listing.address);
    return index === undefined ? undefined : { family: families[graph.poolCurve[index]!]!, index };
  });
}
