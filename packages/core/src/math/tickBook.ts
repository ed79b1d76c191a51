import type { Book } from "../graph/PoolGraph.ts";
import { amount0Down, amount1Down } from "./sqrtPriceMath.ts";
import { sqrtRatioAtTick } from "./tickMath.ts";

/** The book of a pool with ticks. Key: initialised tick. Words: liquidityNet, an int128. */

/** The current position of a pool with ticks. */
export interface TickPosition {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
}

/** Index of the greatest key that is at most `key`, or -1. */
export function lastAtOrBelow(keys: Int32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The int128 at an index of the book. */
export function liquidityNet(book: Book, index: number): bigint {
  return (book.words[2 * index + 1]! << 64n) | BigInt.asUintN(64, book.words[2 * index]!);
}

/** The amounts in all ranges: token1 below the price, token0 above it, each range rounded down. */
export function heldAmounts(pool: TickPosition, book: Book): bigint[] {
  if (pool.sqrtPriceX96 === 0n) return [0n, 0n];
  let amount0 = 0n;
  let amount1 = 0n;
  const middle = lastAtOrBelow(book.keys, pool.tick);
  let liquidity = pool.liquidity;
  let price = pool.sqrtPriceX96;
  for (let index = middle; index >= 0 && liquidity >= 0n; index--) {
    const ratio = sqrtRatioAtTick(book.keys[index]!);
    amount1 += amount1Down(ratio, price, liquidity);
    liquidity -= liquidityNet(book, index);
    price = ratio;
  }
  liquidity = pool.liquidity;
  price = pool.sqrtPriceX96;
  for (let index = middle + 1; index < book.keys.length && liquidity >= 0n; index++) {
    const ratio = sqrtRatioAtTick(book.keys[index]!);
    amount0 += amount0Down(price, ratio, liquidity);
    liquidity += liquidityNet(book, index);
    price = ratio;
  }
  return [amount0, amount1];
}
