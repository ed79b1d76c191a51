import type { Address } from "@millrace/core";
import { Effect } from "effect";
import { encodeFunctionData } from "viem/utils";
import type { ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readWord } from "../chain/answers.ts";
import { type ContractCall, tryContract } from "../chain/callContract.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable, SwapCall, SwapRouter } from "../SwapRouter.ts";
import { erc20AllowanceAbi, PERMIT2_AMOUNT_MAX, permit2AllowanceAbi } from "./abis.ts";

export interface ApprovalTerms {
  readonly table: RouterTable;
  /** Tokens known to refuse a new allowance before the old one is zero. Lower case. */
  readonly resetTokens: ReadonlySet<Address>;
  /** Without it allowances are unknown: all approvals are returned. */
  readonly chain?: ChainAccess;
}

type Approvals = Effect.Effect<ReadonlyArray<SwapCall>, ChainAccessError>;

/**
 * The approvals that an intent's sender has to send before the swap, in order; none where the input
 * is native, the allowance is enough, or a permit replaces it. Amounts are exact: a spender that
 * proves to be unsafe has nothing more to take. A Permit2 allowance ends at the intent's deadline;
 * one that ends earlier is renewed. All requests are sent at once. Fails when no node answers. Dies
 * when the amount does not fit Permit2's 160 bits, which the router's `obstacle` rules out.
 */
export const approvalsFor: (
  intent: SwapIntent,
  router: SwapRouter,
  hasPermit: boolean,
  terms: ApprovalTerms,
) => Approvals = Effect.fnUntraced(function* (intent, router, hasPermit, terms) {
  if (intent.isNativeIn || router.allowance === "none") return [];
  if (router.allowance === "erc20")
    return hasPermit ? [] : yield* tokenApprovals(intent, router.address, terms);
  const permit2 = terms.table.universalRouter?.permit2;
  if (permit2 === undefined) throw new Error("a router takes tokens by Permit2 and none is known");
  if (intent.amountInMax > PERMIT2_AMOUNT_MAX)
    throw new RangeError(`Permit2 holds amounts below 2^160, not ${intent.amountInMax}`);
  const ofToken = tokenApprovals(intent, permit2, terms);
  if (hasPermit) return yield* ofToken;
  const ofPermit2 = permit2Approvals(intent, permit2, router.address, terms.chain);
  return (yield* Effect.all([ofToken, ofPermit2], { concurrency: 2 })).flat();
});

/** Approves a spender of the input: up to two calls of the token. */
const tokenApprovals: (intent: SwapIntent, spender: Address, terms: ApprovalTerms) => Approvals =
  Effect.fnUntraced(function* ({ tokenIn, sender, amountInMax }, spender, { chain, resetTokens }) {
    const approve = approval(tokenIn, spender, amountInMax);
    const withReset = [approval(tokenIn, spender, 0n), approve];
    const isKnownToNeedReset = resetTokens.has(tokenIn);
    const unasked = isKnownToNeedReset ? withReset : [approve];
    if (chain === undefined) return unasked;
    const [allowance, isAccepted] = yield* Effect.all(
      [
        readAllowance(chain, {
          to: tokenIn,
          data: encodeFunctionData({
            abi: erc20AllowanceAbi,
            functionName: "allowance",
            args: [sender, spender],
          }),
        }),
        accepts(chain, { from: sender, to: approve.to, data: approve.data }),
      ],
      { concurrency: 2 },
    );
    if (allowance === undefined) return unasked;
    if (allowance >= amountInMax) return [];
    return allowance > 0n && (isKnownToNeedReset || !isAccepted) ? withReset : [approve];
  });

/** Approves a router in Permit2 until the deadline: at most one call. */
const permit2Approvals: (
  intent: SwapIntent,
  permit2: Address,
  router: Address,
  chain: ChainAccess | undefined,
) => Approvals = Effect.fnUntraced(function* (
  { tokenIn, sender, amountInMax, deadline },
  permit2,
  router,
  chain,
) {
  const data = encodeFunctionData({
    abi: permit2AllowanceAbi,
    functionName: "approve",
    args: [tokenIn, router, amountInMax, deadline],
  });
  const approve: SwapCall = { to: permit2, data, value: 0n };
  if (chain === undefined) return [approve];
  const answer = yield* tryContract(chain, {
    to: permit2,
    data: encodeFunctionData({
      abi: permit2AllowanceAbi,
      functionName: "allowance",
      args: [sender, tokenIn, router],
    }),
  });
  const [amount, expiration] = [readWord(answer, 0), readWord(answer, 1)];
  const isEnough = amount !== undefined && amount >= amountInMax;
  return isEnough && expiration !== undefined && expiration >= deadline ? [] : [approve];
});

const readAllowance = (chain: ChainAccess, call: ContractCall) =>
  Effect.map(tryContract(chain, call), (answer) => readWord(answer));

/**
 * Whether a token accepts a new allowance while an old one stands: `approve` neither reverts nor
 * returns false. Some tokens return nothing.
 */
const accepts = (chain: ChainAccess, call: ContractCall) =>
  Effect.map(tryContract(chain, call), (answer) => answer !== undefined && readWord(answer) !== 0n);

const approval = (token: Address, spender: Address, amount: bigint): SwapCall => ({
  to: token,
  data: encodeFunctionData({
    abi: erc20AllowanceAbi,
    functionName: "approve",
    args: [spender, amount],
  }),
  value: 0n,
});
