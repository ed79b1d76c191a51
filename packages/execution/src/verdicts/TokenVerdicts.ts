import type { Address, Engine } from "@millrace/core";
import type { Effect } from "effect";
import type { ChainAccess } from "../ChainAccess.ts";
import type { RouterTable } from "../SwapRouter.ts";
import type { TokenVerdict } from "./TokenVerdict.ts";

export interface VerdictOptions {
  readonly engine: Engine["Service"];
  readonly table: RouterTable;
  readonly chain: ChainAccess;
  /** Tokens that need no test: known to be plain. Lower case. */
  readonly plainTokens: ReadonlySet<Address>;
  /** How long a verdict stands. */
  readonly retestMs: number;
}

/**
 * Verdicts on the tokens of a market, found in the background: new tokens first, then the oldest
 * verdict again. Bars what bites from the middle of routes (`Engine.barFromTransit`).
 */
export interface TokenVerdicts {
  readonly of: (token: Address) => TokenVerdict | undefined;
  readonly all: () => Iterable<TokenVerdict>;
  /** Tests for ever; never fails. */
  readonly run: Effect.Effect<never>;
}

/** Being built. */
export const makeTokenVerdicts: (options: VerdictOptions) => TokenVerdicts = () => {
  throw new Error("being built");
};
