import type { SwapIntent } from "../SwapIntent.ts";

/**
 * Whether a router is to be given what goes in, and not what comes out. Where an exact output may
 * take no more than its least input, routers cannot work that input back: they may ask for more.
 * It is put in instead, which the review has found to give enough, and the minimum holds it to
 * that.
 */
export function takesExactInput(
  intent: Pick<SwapIntent, "kind" | "amountIn" | "amountInMax">,
): boolean {
  return intent.kind === "exactIn" || intent.amountInMax === intent.amountIn;
}
