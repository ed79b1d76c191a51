import type { Address, PastBlock, TokenListing } from "@millrace/core";
import type { FollowedState } from "@millrace/protocols";
import type { PublishedRange } from "../history/PublishedBlocks.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { TokenProblem } from "../reading/readTokens.ts";
import type { BlockId, Header } from "./Header.ts";
import type { Refusals } from "./Refusals.ts";

/** A whole market, read at one block. */
export interface MarketContent {
  readonly header: Header;
  readonly discovered: ReadonlyArray<DiscoveredPool>;
  readonly refusals: Refusals;
  readonly tokens: ReadonlyArray<TokenListing | TokenProblem>;
  readonly states: ReadonlyArray<{ readonly pool: Address; readonly state: FollowedState }>;
}

/** What comes before a market that was read whole. */
export interface Past {
  /** The number of the newest block that the reader knows and that still counts; or -1. */
  readonly keptTo: number;
  /** Blocks before it, ascending, up to each of which its pools are known to be complete. */
  readonly checkpoints: ReadonlyArray<BlockId>;
  /** What the reader knows of it from an earlier life. */
  readonly known?: ReadonlyArray<KnownPart>;
}

/** What the reader knows of the past from an earlier life. */
export interface KnownPart {
  readonly range: PublishedRange;
  /** Some of its blocks that the reader knows, ascending. */
  readonly blocks: ReadonlyArray<BlockId>;
}

/** The upper part of a gap, read whole. */
export interface PastPart {
  readonly range: PublishedRange;
  /** Its blocks in which something was swapped, and its last one, newest first. */
  readonly blocks: ReadonlyArray<PastBlock>;
  /** How many logs were read for it, others' included. */
  readonly logCount: number;
}
