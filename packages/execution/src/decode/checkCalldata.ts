import { Mismatch, must, same, WordReader } from "@millrace/protocols";
import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable, SwapCall } from "../SwapRouter.ts";
import { checkExecutorCall } from "./checkExecutorCall.ts";
import { checkUniversalRouterCall } from "./checkUniversalRouterCall.ts";
import { checkWrapperCall } from "./checkWrapperCall.ts";

/** A selector, and whole words. */
const CALLDATA = /^0x[0-9a-f]{8}(?:[0-9a-f]{64})*$/;
const SELECTOR_END = 10;

/**
 * Decodes a transaction, sharing no code with the encoders, and compares every field with the
 * intent: target, value, tokens, pools and directions, amounts, limits, recipient, fee, deadline,
 * permit. Nothing else may be in it. Gives the first difference in words; undefined when there is
 * none.
 */
export function checkCalldata(
  table: RouterTable,
  intent: SwapIntent,
  permit: Permit | undefined,
  call: SwapCall,
): string | undefined {
  try {
    check(table, intent, permit, call);
    return undefined;
  } catch (error) {
    if (error instanceof Mismatch) return error.message;
    throw error;
  }
}

function check(
  table: RouterTable,
  intent: SwapIntent,
  permit: Permit | undefined,
  { to, data, value }: SwapCall,
): void {
  same("chain", table.chainId, intent.chainId);
  same("wrapped native", table.wrappedNative, intent.wrappedNative);
  if (intent.isNativeIn) same("native input", intent.tokenIn, intent.wrappedNative);
  if (intent.isNativeOut) same("native output", intent.tokenOut, intent.wrappedNative);
  same("value", value, intent.isNativeIn ? intent.amountInMax : 0n);
  must(intent.amountOutMin > 0n, "least out: nothing");
  must(CALLDATA.test(data), "the calldata is not a selector and words, in lower-case hex");
  const selector = data.slice(0, SELECTOR_END);
  const words = new WordReader(data, SELECTOR_END, data.length);
  if (intent.paths.length === 0) {
    same("target", to, table.wrappedNative);
    return checkWrapperCall(intent, permit, selector, words);
  }
  if (to === table.executor) return checkExecutorCall(intent, permit, selector, words);
  must(to === table.universalRouter?.address, `target: ${to} is no router of the network`);
  checkUniversalRouterCall(table.universalRouter!, intent, permit, selector, words);
}
