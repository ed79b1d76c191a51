import type { SwapIntent } from "../SwapIntent.ts";

/**
 * Whether a router is to be given what goes in, and not what comes out. Where an exact output has no
 * room above its least input, routers cannot work that input back: they may ask for a unit more.
 * As much put in gives as much, and the minimum holds it to that.
 */
export function takesExactInput(intent: SwapIntent): boolean {
  return intent.kind === "exactIn" || intent.amountInMax === intent.amountIn;
}
