import type { PoolListing } from "@millrace/core";

/** A pool that a configured factory told of, loaded or not. */
export interface DiscoveredPool {
  readonly listing: PoolListing;
  /** Number of the block that created it. */
  readonly createdBlock: number;
}
