import type { ChainProtocol, FollowedState, PoolListing } from "@millrace/core";

/** A loaded pool as of some block. Never changed once made. */
export interface FollowedPool {
  readonly listing: PoolListing;
  readonly chain: ChainProtocol;
  readonly state: FollowedState;
}
