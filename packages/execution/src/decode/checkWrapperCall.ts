import { must, same, type WordReader } from "@millrace/protocols";
import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";

const DEPOSIT = "0xd0e30db0"; // deposit()
const WITHDRAW = "0x2e1a7d4d"; // withdraw(uint256)

/**
 * Native to wrapped and back, at the wrapped token itself: it knows no recipient, fee or permit.
 */
export function checkWrapperCall(
  intent: SwapIntent,
  permit: Permit | undefined,
  selector: string,
  words: WordReader,
): void {
  must(intent.isNativeIn !== intent.isNativeOut, "neither native to wrapped nor back");
  same("token in", intent.tokenIn, intent.wrappedNative);
  same("token out", intent.tokenOut, intent.wrappedNative);
  same("recipient", intent.sender, intent.recipient);
  same("fee in basis points", 0, intent.fee?.bps ?? 0);
  must(permit === undefined, "permit: the call has none");
  same("selector", selector, intent.isNativeIn ? DEPOSIT : WITHDRAW);
  if (!intent.isNativeIn) same("amount in", words.uint(), intent.amountIn);
  words.end();
  same("most in", intent.amountIn, intent.amountInMax);
  same("amount out", intent.amountIn, intent.amountOut);
  same("least out", intent.amountIn, intent.amountOutMin);
}
