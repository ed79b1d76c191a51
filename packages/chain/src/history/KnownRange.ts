import type { Hex } from "@millrace/core";

/** Blocks, both ends inclusive, all of whose swaps the market's reader has from an earlier life. */
export interface KnownRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly toHash: Hex;
}
