import type { Hex } from "@millrace/protocols";
import type { BlockId } from "../follow/Header.ts";

/** Blocks, both ends inclusive, all of whose swaps the market's reader has from an earlier life. */
export interface KnownRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly toHash: Hex;
  /**
   * The newest blocks of the range whose hashes the reader knows, including the last one. Where the
   * chain no longer has the end of the range, the range counts up to the newest of these that the
   * chain has.
   */
  readonly blocks?: ReadonlyArray<BlockId>;
}
