import type { SwapIntent } from "../SwapIntent.ts";

/**
 * Whether a router gets the input amount instead of the output amount. A router that computes the
 * input of an exact output may ask for more than the least input. Where no more than that may go
 * in, it is encoded as an exact input: the review has checked that it gives enough, and the minimum
 * output enforces it.
 */
export function takesExactInput(
  intent: Pick<SwapIntent, "kind" | "amountIn" | "amountInMax">,
): boolean {
  return intent.kind === "exactIn" || intent.amountInMax === intent.amountIn;
}
