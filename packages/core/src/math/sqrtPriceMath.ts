import { Q96 } from "./tickMath.ts";

/**
 * Amounts and price moves within one range of constant liquidity, as in Uniswap V3's
 * `SqrtPriceMath.sol`. `lower` < `upper` are always √prices in Q64.96. The trader's input is
 * rounded up and the output down, and a price moves no further than was paid for.
 */

const UINT256_END = 1n << 256n;

/** a / b, rounded up; b > 0. */
export function divideUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** Token0 between two prices, rounded up: ⌈⌈L × 2^96 × (upper − lower) / upper⌉ / lower⌉. */
function amount0Up(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divideUp(divideUp((liquidity << 96n) * (upper - lower), upper), lower);
}

/** Token0 between two prices, rounded down. */
export function amount0Down(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << 96n) * (upper - lower)) / upper / lower;
}

/** Token1 between two prices, rounded up: ⌈L × (upper − lower) / 2^96⌉. */
function amount1Up(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower) + Q96 - 1n) >> 96n;
}

/** Token1 between two prices, rounded down. */
export function amount1Down(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) >> 96n;
}

/** The price after `amount` of token0 went in; the price falls, rounded up. */
export function priceAfterToken0In(price: bigint, liquidity: bigint, amount: bigint): bigint {
  const numerator = liquidity << 96n;
  const product = amount * price;
  const denominator = numerator + product;
  // The contract's precise form; where its product or sum would overflow, it uses the other one.
  if (product < UINT256_END && denominator < UINT256_END) {
    return divideUp(numerator * price, denominator);
  }
  return divideUp(numerator, numerator / price + amount);
}

/** The price after `amount` of token1 went in; the price rises, rounded down. */
export function priceAfterToken1In(price: bigint, liquidity: bigint, amount: bigint): bigint {
  return price + (amount << 96n) / liquidity;
}

/**
 * The price after `amount` of token0 came out, rounded up; undefined where the contract reverts.
 */
export function priceAfterToken0Out(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
): bigint | undefined {
  const numerator = liquidity << 96n;
  const product = amount * price;
  if (product >= UINT256_END || numerator <= product) return undefined;
  return divideUp(numerator * price, numerator - product);
}

/**
 * The price after `amount` of token1 came out, rounded down; undefined where the contract reverts.
 */
export function priceAfterToken1Out(
  price: bigint,
  liquidity: bigint,
  amount: bigint,
): bigint | undefined {
  const quotient = divideUp(amount << 96n, liquidity);
  return price > quotient ? price - quotient : undefined;
}

/** The input of a swap, so rounded up. */
export function amountInBetween(
  from: bigint,
  to: bigint,
  liquidity: bigint,
  zeroForOne: boolean,
): bigint {
  return zeroForOne ? amount0Up(to, from, liquidity) : amount1Up(from, to, liquidity);
}

/** The output of a swap, so rounded down. */
export function amountOutBetween(
  from: bigint,
  to: bigint,
  liquidity: bigint,
  zeroForOne: boolean,
): bigint {
  return zeroForOne ? amount1Down(to, from, liquidity) : amount0Down(from, to, liquidity);
}
