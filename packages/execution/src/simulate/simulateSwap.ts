import type { Effect } from "effect";
import type { ChainAccess } from "../ChainAccess.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapCall } from "../SwapRouter.ts";

/**
 * What became of a swap when a node tried it.
 * `done`: it went through. `tooLittle`: it reverted, or gave less than the minimum or took more than
 * the maximum. `untested`: the node cannot say.
 */
export type Simulation =
  | {
      readonly kind: "done";
      readonly amountIn: bigint;
      readonly amountOut: bigint;
      readonly gas: bigint;
    }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "untested"; readonly detail: string };

/**
 * Tries approvals and swap on the newest block by one `eth_call`, as the sender, who is given by
 * state override what they lack of the input (allowances need no slots: the approvals are made).
 * Amounts are changes of balances: what the sender paid, what the recipient gained. Being built.
 */
export const simulateSwap: (
  intent: SwapIntent,
  approvals: ReadonlyArray<SwapCall>,
  swap: SwapCall,
  chain: ChainAccess,
) => Effect.Effect<Simulation> = () => {
  throw new Error("being built");
};
