import type { BuiltSwap } from "./BuiltSwap.ts";
import type { ReadSwap } from "./readSwapCall.ts";
import { type Decoded, decoded } from "./transactions.ts";

/** Uniswap's Permit2, which has this address on all chains but a few. */
const PERMIT2 = "0x000000000022d473030f116ddee9f6b43ac78ba3";

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
  const allowed = { router: answer.transactions.at(-1)!.to, most: asked };
  const doubts = [
    ...(isOther ? ["It does more than to approve what goes in, and to swap it."] : []),
    ...(isMore ? ["It sends more of the native token than is shown."] : []),
    ...(before.every((does) => isNeeded(does, before, allowed))
      ? []
      : ["It allows more than the swap needs, or somebody else."]),
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

interface Allowed {
  readonly router: string;
  readonly most: bigint;
}

/** Whether an approval is of the router or of Permit2, and of no more than goes in. */
function isNeeded(does: Decoded, all: ReadonlyArray<Decoded>, { router, most }: Allowed): boolean {
  if (does.kind === "swap") return true;
  if (does.amount > most) return false;
  if (isSame(does.spender, router)) return true;
  const isPermit2 = (address: string) =>
    isSame(address, PERMIT2) ||
    all.some((other) => other.kind === "permit2Approve" && isSame(other.permit2, address));
  return does.kind === "approve" && isPermit2(does.spender);
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
