import { roundingRoom } from "../roundingRoom.ts";
import type { IntentPath } from "../SwapIntent.ts";
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
 * slippage. Whatever is allowed by the slippage leaves room for what was recomputed: it is a whole
 * number on the right side of the bound, and a floor does not pass it.
 */
export function findLimits(
  order: Pick<SwapOrder, "kind" | "amountIn" | "amountOut" | "slippagePpm">,
  now: { readonly amountIn: bigint; readonly amountOut: bigint },
  paths: ReadonlyArray<IntentPath>,
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
  // What rounding alone could use up is no room: see `takesExactInput`.
  const isRoom = most - now.amountIn >= roundingRoom(paths);
  return { amountInMax: isRoom ? most : now.amountIn, grossOutMin: now.amountOut };
}
