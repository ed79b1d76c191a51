import type { PoolListing, PoolState } from "@millrace/core";
import type { FamilyPool } from "@millrace/devnet";

/** A pool of a further family in a market's form, read from its contracts at the newest block. */
export interface FamilyReading {
  readonly pool: Pick<FamilyPool, "id"> & { readonly kind: string };
  readonly listing: PoolListing;
  readonly state: PoolState;
}
