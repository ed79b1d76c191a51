import type { RecomputedRoute } from "@millrace/core";
import type { SwapOrder } from "../SwapOrder.ts";

const PPM = 1_000_000n;

interface Limits {
  readonly amountInMax: bigint;
  /** Before the fee; ≥ 1. */
  readonly grossOutMin: bigint;
}

/**
 * The most that may go in and the least that must come out, from the better of the quoted and the
 * recomputed amount; undefined when the recomputed one is worse than quoted by more than the
 * slippage. Whatever is allowed by the slippage includes what was recomputed: it is a whole number
 * on the right side of the bound, and a floor does not pass it.
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
  // What rounding alone could exceed is no limit to give a router: see `takesExactInput`.
  const bound = now.inputBounds?.reduce((sum, amount) => sum + amount, 0n);
  const isEnough = bound !== undefined && most >= bound;
  return { amountInMax: isEnough ? most : now.amountIn, grossOutMin: now.amountOut };
}
