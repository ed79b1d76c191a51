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

/** What precedes a market that was read whole. */
export interface Past {
  /** Number of the newest block that the reader knows and that is still valid; or -1. */
  readonly keptTo: number;
  /** Earlier blocks, ascending; up to each of them all its pools are known. */
  readonly checkpoints: ReadonlyArray<BlockId>;
  /** Past blocks that the reader knows from an earlier life. */
  readonly known?: ReadonlyArray<KnownPart>;
}

/** A part of the past that the reader knows from an earlier life. */
export interface KnownPart {
  readonly range: PublishedRange;
  /** Some of its blocks whose hashes the reader knows, ascending. */
  readonly blocks: ReadonlyArray<BlockId>;
}

/** The upper part of a gap, read completely. */
export interface PastPart {
  readonly range: PublishedRange;
  /** Its blocks with swaps, and its last block, newest first. */
  readonly blocks: ReadonlyArray<PastBlock>;
  /** How many logs were read for it, including logs of other contracts. */
  readonly logCount: number;
}
