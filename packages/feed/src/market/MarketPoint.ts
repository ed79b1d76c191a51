import type { BlockStamp } from "@millrace/core";

/** Identifies a market: its block, and a digest of its content. */
export interface MarketPoint extends Pick<BlockStamp, "number" | "hash"> {
  readonly digest: bigint;
}

export const isSamePoint = (one: MarketPoint, other: MarketPoint): boolean =>
  one.number === other.number && one.hash === other.hash && one.digest === other.digest;
