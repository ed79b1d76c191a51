import { swapConstantProduct } from "./constantProduct.ts";
import type { FamilyPool } from "./plainMarket.ts";
import { StepCache } from "./StepCache.ts";
import { swapSolidlyStable } from "./solidlyStable.ts";

/** Amounts of one swap through a pool; undefined where it refuses. */
export type ExactSwap = (
  kind: "exactIn" | "exactOut",
  amount: bigint,
) => { in: bigint; out: bigint } | undefined;

/** The reference's arithmetic of one direction of a pool. */
export function exactSwap(pool: FamilyPool, zeroForOne: boolean): ExactSwap {
  if (pool.family === "concentratedLiquidity") {
    const cache = new StepCache(pool, zeroForOne);
    return (kind, amount) => cache.swap(kind, amount);
  }
  return (kind, amount) => {
    const swap =
      pool.family === "constantProduct"
        ? swapConstantProduct(pool, zeroForOne, kind, amount)
        : swapSolidlyStable(pool, zeroForOne, kind, amount);
    return swap && { in: swap.amountIn, out: swap.amountOut };
  };
}
