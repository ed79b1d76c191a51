import type { MarketBlock } from "./MarketBlock.ts";
import type { BlockStamp, PoolIndex } from "./PoolGraph.ts";

/** What applying a block did. */
export interface AppliedBlock {
  readonly stamp: BlockStamp;
  /** Pools whose state the block set, in its order; a pool may stand twice. */
  readonly changedPools: ReadonlyArray<PoolIndex>;
  /** True when pools came or went. */
  readonly topologyChanged: boolean;
  /** Parts of the block that are impossible, left out with the reason. */
  readonly rejected: ReadonlyArray<RejectedChange>;
  readonly block: MarketBlock;
}

export interface RejectedChange {
  readonly what: "dex" | "token" | "pool" | "state" | "removal";
  /** The address, or the id of a DEX. */
  readonly address: string;
  readonly reason: string;
}
