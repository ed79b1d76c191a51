import type { PoolListing, PoolState } from "@millrace/core";
import type { FamilyPool } from "@millrace/devnet";

/** A pool of a further family as a market has it, by what its contracts say at the newest block. */
export interface FamilyReading {
  readonly pool: Pick<FamilyPool, "id"> & { readonly kind: string };
  readonly listing: PoolListing;
  readonly state: PoolState;
}
