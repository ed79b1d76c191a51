import type { MarketBlock } from "./MarketBlock.ts";
import type { BlockStamp, PoolIndex } from "./PoolGraph.ts";

/** The effect of applying a block. */
export interface AppliedBlock {
  readonly stamp: BlockStamp;
  /** Pools whose state the block set, in the block's order; a pool may appear twice. */
  readonly changedPools: ReadonlyArray<PoolIndex>;
  /** True when pools came or went. */
  readonly topologyChanged: boolean;
  /** Parts of the block that are impossible, and were left out, with the reason. */
  readonly rejected: ReadonlyArray<RejectedChange>;
  readonly block: MarketBlock;
}

export interface RejectedChange {
  readonly what: "dex" | "token" | "pool" | "state" | "removal";
  /** The address, or the id of a DEX. */
  readonly address: string;
  readonly reason: string;
}
