import type { BlockStamp } from "@millrace/core";

/** Which market something is of: the block that it stands at, and a digest of all that is in it. */
export interface MarketPoint extends Pick<BlockStamp, "number" | "hash"> {
  readonly digest: bigint;
}

export const isSamePoint = (one: MarketPoint, other: MarketPoint): boolean =>
  one.number === other.number && one.hash === other.hash && one.digest === other.digest;
