import type { Hex } from "@millrace/protocols";
import type { BlockId } from "../follow/Header.ts";

/** Blocks, both ends inclusive, all of whose swaps the market's reader has from an earlier life. */
export interface KnownRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly toHash: Hex;
  /**
   * The newest of them that the reader knows by their hashes, the last one included: where
   * the chain has the end of the range no longer, it counts up to the newest of these that it has.
   */
  readonly blocks?: ReadonlyArray<BlockId>;
}
