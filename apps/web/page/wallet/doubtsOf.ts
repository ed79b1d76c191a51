import type { BuiltSwap } from "./BuiltSwap.ts";
import type { ReadSwap } from "./readSwapCall.ts";

/** Where the bytes to sign say otherwise than was asked for, or than the service says of them. */
export function doubtsOf(
  { quote, answer, account }: BuiltSwap,
  call: ReadSwap | undefined,
): ReadonlyArray<string> {
  if (call === undefined) return [];
  const { mostIn, leastOut, recipient = account, feeBps } = call;
  const asked = BigInt(answer.maxAmountIn ?? quote.amountIn);
  const promised = BigInt(answer.minAmountOut ?? quote.amountOut);
  return [
    ...(mostIn !== undefined && mostIn > asked ? ["It may take more than is shown."] : []),
    ...(leastOut < promised ? ["It may bring less than is shown."] : []),
    ...(recipient.toLowerCase() === account.toLowerCase() ? [] : ["It pays somebody else."]),
    ...(feeBps > 0 && answer.feeAmount === "0" ? ["It keeps a fee that is not shown."] : []),
  ];
}
