import { type PoolFamily, REFUSED } from "../Curve.ts";
import type { PoolIndex, PoolState, TokenPosition } from "../graph/PoolGraph.ts";
import { type SmoothCurve, smoothPieces } from "./smoothPieces.ts";

/** A smooth curve with its contract's answer for an exact input. */
interface ExactInputs extends SmoothCurve, Pick<PoolFamily, "quoteExactIn" | "midPrice"> {
  /** The state after a swap that gives something. */
  readonly stateAfter: (
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: bigint,
    amountOut: bigint,
  ) => PoolState;
}

/**
 * For exact outputs: either the least input from which on all inputs are refused, so that halving
 * finds the cost, or a better way to find it.
 */
export type SmoothSwaps = ExactInputs &
  (
    | { readonly inputEnd: (pool: PoolIndex, positionIn: TokenPosition) => bigint }
    | Pick<PoolFamily, "quoteExactOut">
  );

/** The price falls by 2 % when x of x·y = k has grown by this factor less one. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;

/**
 * A family, without gas and amounts, for contracts that only know exact inputs. Halving finds the
 * cost of an exact output: the least one where a larger input never gives less.
 */
export function smoothFamily(
  swaps: SmoothSwaps,
): Omit<PoolFamily, "gas" | "typicalGas" | "leastGas" | "tokenAmounts"> {
  const { quoteExactIn, capacityIn, feePips, midPrice } = swaps;
  const pieces = smoothPieces(swaps);

  const quoteExactOut: PoolFamily["quoteExactOut"] =
    "quoteExactOut" in swaps
      ? swaps.quoteExactOut
      : (pool, from, to, amountOut) => {
          const isShort = (amount: bigint) => {
            const given = quoteExactIn(pool, from, to, amount);
            return given !== REFUSED && given < amountOut;
          };
          let low = 0n;
          let high = swaps.inputEnd(pool, from);
          while (high - low > 1n) {
            const middle = (low + high) / 2n;
            if (isShort(middle)) low = middle;
            else high = middle;
          }
          return high > 0n && quoteExactIn(pool, from, to, high) >= amountOut ? high : REFUSED;
        };
  const swapExactIn: PoolFamily["swapExactIn"] = (pool, from, to, amountIn) => {
    const amountOut = quoteExactIn(pool, from, to, amountIn);
    if (amountOut <= 0n) return undefined;
    const state = swaps.stateAfter(pool, from, to, amountIn, amountOut);
    return { pool, amountIn, amountOut, state };
  };

  return {
    ...{ ...pieces, quoteExactIn, quoteExactOut, swapExactIn, capacityIn, feePips, midPrice },
    swapExactOut: (pool, from, to, amountOut) => {
      const amountIn = quoteExactOut(pool, from, to, amountOut);
      return amountIn === REFUSED ? undefined : swapExactIn(pool, from, to, amountIn);
    },
    /** Of the pool of x·y = k with the same price, and the same depth in token0. */
    priceAndLiquidity: (pool) => {
      const root = Math.sqrt(midPrice(pool, 0, 1));
      const liquidity = (pieces.depth(pool, 0, 1) / DEPTH_FACTOR) * root;
      return {
        sqrtPriceX96: BigInt(Math.floor(root * 2 ** 96)),
        liquidity: BigInt(Math.floor(liquidity)),
      };
    },
  };
}
