import { divRoundingUp, mulDiv, mulDivRoundingUp, require, uint } from "./solidity.ts";

const Q96 = 1n << 96n;
const UINT256_MAX = (1n << 256n) - 1n;

export function getAmount0Delta(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const [lower, upper] = a > b ? [b, a] : [a, b];
  require(lower > 0n, "no price");
  const numerator1 = liquidity << 96n;
  const numerator2 = upper - lower;
  return roundUp
    ? divRoundingUp(mulDivRoundingUp(numerator1, numerator2, upper), lower)
    : mulDiv(numerator1, numerator2, upper) / lower;
}

export function getAmount1Delta(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const difference = a > b ? a - b : b - a;
  return roundUp
    ? mulDivRoundingUp(liquidity, difference, Q96)
    : mulDiv(liquidity, difference, Q96);
}

export function getNextSqrtPriceFromInput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountIn: bigint,
  zeroForOne: boolean,
): bigint {
  require(sqrtPriceX96 > 0n && liquidity > 0n, "no price or no liquidity");
  return zeroForOne
    ? nextFromAmount0RoundingUp(sqrtPriceX96, liquidity, amountIn, true)
    : nextFromAmount1RoundingDown(sqrtPriceX96, liquidity, amountIn, true);
}

export function getNextSqrtPriceFromOutput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint {
  require(sqrtPriceX96 > 0n && liquidity > 0n, "no price or no liquidity");
  return zeroForOne
    ? nextFromAmount1RoundingDown(sqrtPriceX96, liquidity, amountOut, false)
    : nextFromAmount0RoundingUp(sqrtPriceX96, liquidity, amountOut, false);
}

function nextFromAmount0RoundingUp(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amount: bigint,
  add: boolean,
): bigint {
  if (amount === 0n) return sqrtPriceX96;
  const numerator1 = liquidity << 96n;
  const product = amount * sqrtPriceX96;
  if (add) {
    if (product <= UINT256_MAX && numerator1 + product <= UINT256_MAX) {
      return mulDivRoundingUp(numerator1, sqrtPriceX96, numerator1 + product);
    }
    // The contract's less precise fallback, where its 256 bits overflow.
    return divRoundingUp(numerator1, uint(256, numerator1 / sqrtPriceX96 + amount));
  }
  require(product <= UINT256_MAX && numerator1 > product, "not that much token0");
  return uint(160, mulDivRoundingUp(numerator1, sqrtPriceX96, numerator1 - product));
}

function nextFromAmount1RoundingDown(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amount: bigint,
  add: boolean,
): bigint {
  if (add) return uint(160, uint(256, sqrtPriceX96 + mulDiv(amount, Q96, liquidity)));
  const quotient = mulDivRoundingUp(amount, Q96, liquidity);
  require(sqrtPriceX96 > quotient, "not that much token1");
  return sqrtPriceX96 - quotient;
}
