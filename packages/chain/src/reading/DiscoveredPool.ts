import { NO_CONSTANTS, type PoolListing } from "@millrace/core";

/** A pool that a configured factory announced, loaded or not. */
export interface DiscoveredPool {
  readonly listing: PoolListing;
  /** Number of the block that created it. */
  readonly createdBlock: number;
}

/** A creation whose pool is never loaded. */
export interface RefusedCreation {
  readonly dexId: string;
  readonly reason: string;
  /** Number of the block that created it. */
  readonly block: number;
}

/** True when both are the same pool, created in the same block. */
export function isSamePool(left: DiscoveredPool, right: DiscoveredPool): boolean {
  const [one, other] = [left.listing, right.listing];
  return (
    left.createdBlock === right.createdBlock &&
    one.dexId === other.dexId &&
    one.curve === other.curve &&
    one.feePips === other.feePips &&
    one.parameter === other.parameter &&
    areEqual(one.constants ?? NO_CONSTANTS, other.constants ?? NO_CONSTANTS) &&
    one.tokens.length === other.tokens.length &&
    one.tokens.every((token, position) => token === other.tokens[position])
  );
}

function areEqual(one: BigUint64Array, other: BigUint64Array): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
