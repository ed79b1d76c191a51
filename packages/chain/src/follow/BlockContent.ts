import type { Address, TokenListing } from "@millrace/core";
import type { CallAnswer, ChainLog, FollowedState, PoolRefusal } from "@millrace/protocols";
import type { CreatedPool } from "../reading/creations.ts";
import type { RefusedCreation } from "../reading/DiscoveredPool.ts";
import type { TokenProblem } from "../reading/readTokens.ts";
import type { Header } from "./Header.ts";

/** Everything that matters about a block, fetched and checked. */
export interface BlockContent extends LoggedContent {
  readonly readings: BlockReadings;
}

/** What a block's logs tell, with the tokens of the pools they create. */
export interface LoggedContent {
  readonly header: Header;
  readonly logs: ReadonlyArray<ChainLog>;
  /** Pools that it creates. */
  readonly creations: ReadonlyArray<CreatedPool>;
  readonly refused: ReadonlyArray<RefusedCreation>;
  /** Answers of the tokens that were not known before. */
  readonly tokens: ReadonlyArray<TokenListing | TokenProblem>;
}

/** What no log tells about pools, read at the end of a block. */
export interface BlockReadings {
  /** Pools that were read again; undefined where their answers make no sense. */
  readonly states: ReadonlyMap<Address, FollowedState | PoolRefusal | undefined>;
  /** Answers to `FollowedDex.eachBlock`. */
  readonly answers: ReadonlyMap<Address, ReadonlyArray<CallAnswer>>;
}
