import type { BuiltSwap } from "./BuiltSwap.ts";
import type { ReadSwap } from "./readSwapCall.ts";
import { decoded } from "./transactions.ts";

/** Uniswap's Permit2: on all chains but those of zkSync, and on those. */
const PERMIT2 = [
  "0x000000000022d473030f116ddee9f6b43ac78ba3",
  "0x0000000000225e31d15943971f47ad3022f714fa",
];

/** Differences between the bytes to sign and the request, or the service's description of them. */
export function doubtsOf(
  { quote, answer, account, into, out }: BuiltSwap,
  call: ReadSwap | undefined,
): ReadonlyArray<string> {
  const asked = BigInt(answer.maxAmountIn ?? quote.amountIn);
  const before = answer.transactions.slice(0, -1).map(decoded);
  const isOther = before.some(
    (does) => does.kind === "swap" || !isSame(does.token, into.contractAddress),
  );
  const native = answer.transactions.reduce((sum, { value }) => sum + BigInt(value), 0n);
  const isMore = native > (quote.isNativeIn ? asked : 0n);
  const spenders = [answer.transactions.at(-1)!.to, ...PERMIT2];
  const isWide = before.some(
    (does) =>
      does.kind !== "swap" &&
      (does.amount > asked || !spenders.some((spender) => isSame(spender, does.spender))),
  );
  const doubts = [
    ...(isOther ? ["It does more than to approve what goes in, and to swap it."] : []),
    ...(isMore ? ["It sends more of the native token than is shown."] : []),
    ...(isWide ? ["It allows more than the swap needs, or somebody else."] : []),
  ];
  if (call === undefined) return doubts;
  const { tokenIn, tokenOut, mostIn, leastOut, recipient = account, feeBps } = call;
  const promised = BigInt(answer.minAmountOut ?? quote.amountOut);
  const isOtherToken =
    !isSame(tokenIn ?? into.contractAddress, into.contractAddress) ||
    !isSame(tokenOut ?? out.contractAddress, out.contractAddress);
  return [
    ...doubts,
    ...(isOtherToken ? ["It swaps other tokens than are shown."] : []),
    ...(mostIn !== undefined && mostIn > asked ? ["It may take more than is shown."] : []),
    ...(leastOut < promised ? ["It may bring less than is shown."] : []),
    ...(isSame(recipient, account) ? [] : ["It pays somebody else."]),
    // This page never asks for a fee.
    ...(feeBps > 0 ? ["It keeps a fee that nobody has asked for."] : []),
  ];
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
