import type { BuiltSwap } from "./BuiltSwap.ts";
import type { ReadSwap } from "./readSwapCall.ts";
import { decoded } from "./transactions.ts";

/** Differences between the bytes to sign and the request, or the service's description of them. */
export function doubtsOf(
  { quote, answer, account, into }: BuiltSwap,
  call: ReadSwap | undefined,
): ReadonlyArray<string> {
  const asked = BigInt(answer.maxAmountIn ?? quote.amountIn);
  const before = answer.transactions.slice(0, -1).map(decoded);
  const isOther = before.some(
    (does) =>
      does.kind === "swap" || does.token.toLowerCase() !== into.contractAddress.toLowerCase(),
  );
  const native = answer.transactions.reduce((sum, { value }) => sum + BigInt(value), 0n);
  const isMore = native > (quote.isNativeIn ? asked : 0n);
  const doubts = [
    ...(isOther ? ["It does more than to approve what goes in, and to swap it."] : []),
    ...(isMore ? ["It sends more of the native token than is shown."] : []),
  ];
  if (call === undefined) return doubts;
  const { mostIn, leastOut, recipient = account, feeBps } = call;
  const promised = BigInt(answer.minAmountOut ?? quote.amountOut);
  return [
    ...doubts,
    ...(mostIn !== undefined && mostIn > asked ? ["It may take more than is shown."] : []),
    ...(leastOut < promised ? ["It may bring less than is shown."] : []),
    ...(recipient.toLowerCase() === account.toLowerCase() ? [] : ["It pays somebody else."]),
    ...(feeBps > 0 && answer.feeAmount === "0" ? ["It keeps a fee that is not shown."] : []),
  ];
}
