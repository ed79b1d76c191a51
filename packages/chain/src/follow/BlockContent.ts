import type { TokenListing } from "@millrace/core";
import type { ChainLog, NewPool } from "@millrace/protocols";
import type { TokenProblem } from "../reading/readTokens.ts";
import type { Header } from "./Header.ts";

/** All that matters of a block, fetched and checked. */
export interface BlockContent {
  readonly header: Header;
  readonly logs: ReadonlyArray<ChainLog>;
  /** Pools that it creates. */
  readonly creations: ReadonlyArray<NewPool>;
  /** What was asked of tokens that were not known before. */
  readonly tokens: ReadonlyArray<TokenListing | TokenProblem>;
}
