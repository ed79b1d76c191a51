import type { PoolListing } from "@millrace/core";
import type { FollowedDex, FollowedState } from "@millrace/protocols";

/** A loaded pool as of some block. Never changed once made. */
export interface FollowedPool {
  readonly listing: PoolListing;
  readonly dex: FollowedDex;
  readonly state: FollowedState;
}
