import type { PoolListing } from "@millrace/core";
import type { ChainProtocol, FollowedState } from "@millrace/protocols";

/** A loaded pool as of some block. Never changed once made. */
export interface FollowedPool {
  readonly listing: PoolListing;
  readonly chain: ChainProtocol;
  readonly state: FollowedState;
}
