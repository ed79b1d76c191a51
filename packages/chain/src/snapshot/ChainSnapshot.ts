import type { Address, BlockStamp, TokenListing } from "@millrace/core";
import type { FollowedState } from "@millrace/protocols";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";

/** All that a chain source needs to go on from a block. */
export interface ChainSnapshot {
  readonly chainId: number;
  /** Differs when the configured DEXes differ: then nothing else in it can be relied on. */
  readonly dexes: string;
  readonly stamp: BlockStamp;
  /** Every pool that was created up to the stamp's block. */
  readonly discovered: ReadonlyArray<DiscoveredPool>;
  /** Creations up to that block whose pools are never loaded. */
  readonly refusals: ReadonlyArray<RefusalCount>;
  readonly tokens: ReadonlyArray<TokenListing>;
  /** States of the loaded pools among them. */
  readonly states: ReadonlyArray<{ readonly pool: Address; readonly state: FollowedState }>;
}

/** How many creations of a DEX were refused for a reason. */
export interface RefusalCount {
  readonly dexId: string;
  readonly reason: string;
  readonly count: number;
}
