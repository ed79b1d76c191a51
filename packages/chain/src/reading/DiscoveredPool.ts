import type { PoolListing } from "@millrace/core";

/** A pool that a configured factory announced, loaded or not. */
export interface DiscoveredPool {
  readonly listing: PoolListing;
  /** Number of the block that created it. */
  readonly createdBlock: number;
}

/** True when both are the same pool, made in the same block. */
export function isSamePool(left: DiscoveredPool, right: DiscoveredPool): boolean {
  const [one, other] = [left.listing, right.listing];
  return (
    left.createdBlock === right.createdBlock &&
    one.dexId === other.dexId &&
    one.feePips === other.feePips &&
    one.parameter === other.parameter &&
    one.tokens.length === other.tokens.length &&
    one.tokens.every((token, position) => token === other.tokens[position])
  );
}
