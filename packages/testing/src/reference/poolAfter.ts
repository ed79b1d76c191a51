import { swapConcentrated } from "./concentratedLiquidity.ts";
import { swapConstantProduct } from "./constantProduct.ts";
import type { PlainPool } from "./plainMarket.ts";

/** A swap with the state that it leaves, or undefined where it is refused. */
export function poolAfter(
  pool: PlainPool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): { amountIn: bigint; amountOut: bigint; after: PlainPool } | undefined {
  if (pool.family === "constantProduct") {
    const swap = swapConstantProduct(pool, zeroForOne, kind, amount);
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
