import { swapConcentrated } from "./concentratedLiquidity.ts";
import { swapConstantProduct } from "./constantProduct.ts";
import type { FamilyPool } from "./plainMarket.ts";
import { swapSolidlyStable } from "./solidlyStable.ts";

/** A swap with the resulting state; undefined where it is refused. */
export function poolAfter<Pool extends FamilyPool>(
  pool: Pool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): { amountIn: bigint; amountOut: bigint; after: Pool } | undefined {
  if (pool.family !== "concentratedLiquidity") {
    const swap =
      pool.family === "constantProduct"
        ? swapConstantProduct(pool, zeroForOne, kind, amount)
        : swapSolidlyStable(pool, zeroForOne, kind, amount);
    if (swap === undefined) return undefined;
    const { amountIn, amountOut, reserve0After: reserve0, reserve1After: reserve1 } = swap;
    return { amountIn, amountOut, after: { ...pool, reserve0, reserve1 } };
  }
  const swap = swapConcentrated(pool, zeroForOne, kind, amount);
  if (swap === undefined) return undefined;
  const { amountIn, amountOut, sqrtPriceX96After: sqrtPriceX96 } = swap;
  const { tickAfter: tick, liquidityAfter: liquidity } = swap;
  return { amountIn, amountOut, after: { ...pool, sqrtPriceX96, tick, liquidity } };
}
