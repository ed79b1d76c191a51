import type { RecomputedRoute } from "@millrace/core";
import type { SwapOrder } from "../SwapOrder.ts";

const PPM = 1_000_000n;

interface Limits {
  readonly amountInMax: bigint;
  /** Before the fee; ≥ 1. */
  readonly grossOutMin: bigint;
}

/**
 * The maximum input and the minimum output, from the better of the quoted and the recomputed
 * amount; undefined when the recomputed one is worse than quoted by more than the slippage. The
 * limits always admit the recomputed amount: it is a whole number within the bound, and rounding
 * the bound down does not pass it.
 */
export function findLimits(
  order: Pick<SwapOrder, "kind" | "amountIn" | "amountOut" | "slippagePpm">,
  now: Pick<RecomputedRoute, "amountIn" | "amountOut" | "inputBounds">,
): Limits | undefined {
  const slippagePpm = BigInt(order.slippagePpm);
  if (order.kind === "exactIn") {
    const kept = PPM - slippagePpm;
    if (now.amountOut * PPM < order.amountOut * kept) return undefined;
    const isMore = now.amountOut > order.amountOut;
    const better = isMore ? now.amountOut : order.amountOut;
    const least = (better * kept) / PPM;
    return { amountInMax: now.amountIn, grossOutMin: least > 0n ? least : 1n };
  }
  const allowed = PPM + slippagePpm;
  if (now.amountIn * PPM > order.amountIn * allowed) return undefined;
  const isLess = now.amountIn < order.amountIn;
  const better = isLess ? now.amountIn : order.amountIn;
  const most = (better * allowed) / PPM;
  // A router gets no limit that rounding alone could exceed: see `takesExactInput`.
  const bound = now.inputBounds?.reduce((sum, amount) => sum + amount, 0n);
  const isEnough = bound !== undefined && most >= bound;
  return { amountInMax: isEnough ? most : now.amountIn, grossOutMin: now.amountOut };
}
