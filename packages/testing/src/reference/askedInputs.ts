import { swapConcentrated } from "./concentratedLiquidity.ts";
import type { PlainPool } from "./plainMarket.ts";
import { poolAfter } from "./poolAfter.ts";

/** A sequence of pools, and the output wanted from the last. */
interface AskedPath {
  readonly hops: ReadonlyArray<{ readonly pool: PlainPool; readonly tokenIn: string }>;
  readonly amountOut: bigint;
}

/**
 * The inputs that contracts ask for the outputs of all paths, computed backwards one path after the
 * other. A pair's library asks one unit more than the least that its division needs; a concentrated
 * pool asks what its own exact output takes. With `margin`, each hop is asked for so many units
 * more, and takes so many more. Undefined where a pool does not have enough.
 */
export function askedInputs(paths: ReadonlyArray<AskedPath>, margin: bigint): bigint | undefined {
  const states = new Map<string, PlainPool>();
  let sum = 0n;
  for (const { hops, amountOut } of paths) {
    let amount = amountOut;
    for (const { pool, tokenIn } of hops.toReversed()) {
      const now = states.get(pool.address) ?? pool;
      const swap = askedSwap(now, tokenIn === pool.token0, amount + margin);
      if (swap === undefined) return undefined;
      states.set(pool.address, swap.after);
      amount = swap.amountIn + margin;
    }
    sum += amount;
  }
  return sum;
}

function askedSwap(pool: PlainPool, zeroForOne: boolean, amountOut: bigint) {
  if (pool.family === "constantProduct") {
    const least = poolAfter(pool, zeroForOne, "exactOut", amountOut);
    if (least === undefined) return undefined;
    // Where the fee leaves the pool, it takes most of that unit too.
    const paid = poolAfter(pool, zeroForOne, "exactIn", least.amountIn + 1n) ?? least;
    const { reserve0, reserve1 } = least.after as typeof pool;
    const after = zeroForOne
      ? { ...pool, reserve0: (paid.after as typeof pool).reserve0, reserve1 }
      : { ...pool, reserve0, reserve1: (paid.after as typeof pool).reserve1 };
    return { amountIn: least.amountIn + 1n, after };
  }
  const swap = swapConcentrated(pool, zeroForOne, "exactOut", amountOut, "contract");
  if (swap === undefined) return undefined;
  const { amountIn, sqrtPriceX96After: sqrtPriceX96, tickAfter: tick, liquidityAfter } = swap;
  return { amountIn, after: { ...pool, sqrtPriceX96, tick, liquidity: liquidityAfter } };
}
