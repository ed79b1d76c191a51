import type { Address } from "@millrace/core";
import type { Effect } from "effect";
import type { ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable, SwapCall, SwapRouter } from "../SwapRouter.ts";

export interface ApprovalTerms {
  readonly table: RouterTable;
  /** Tokens known to refuse a new allowance before the old one is zero. Lower case. */
  readonly resetTokens: ReadonlySet<Address>;
  /** Without it nothing is known of allowances: all approvals are given. */
  readonly chain?: ChainAccess;
  readonly nowSeconds: number;
}

/**
 * The approvals that an intent's sender has to send before the swap, in order; none where the input
 * is native, the allowance is enough, or a permit stands in. Exact amounts. Being built.
 */
export const approvalsFor: (
  intent: SwapIntent,
  router: SwapRouter,
  hasPermit: boolean,
  terms: ApprovalTerms,
) => Effect.Effect<ReadonlyArray<SwapCall>, ChainAccessError> = () => {
  throw new Error("being built");
};
