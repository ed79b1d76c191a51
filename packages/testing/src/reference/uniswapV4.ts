import { mulDiv, mulDivRoundingUp, require, signed, uint, unlessReverted } from "./solidity.ts";
import {
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from "./sqrtPriceMath.ts";
import type { OutputRule } from "./swapMath.ts";
import { nextInitializedTickWithinOneWord } from "./tickBitmap.ts";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "./tickMath.ts";
import type { ConcentratedSwap, StepText, TicksOfPool } from "./tickPools.ts";

/** A Uniswap V4 pool without hooks, as the PoolManager stores it. */
interface UniswapV4Pool extends TicksOfPool {
  /** In 1/10^6; up to 10^6. */
  readonly lpFee: bigint;
  /** Two fees of 12 bits each, in 1/10^6: the low one for swaps of currency0. */
  readonly protocolFee: bigint;
}

/** The engine's own rule: no transaction has the gas for more. */
const STEPS_MAX = 3_200;
const MAX_SWAP_FEE = 1_000_000n;

export const uniswapV4Steps: StepText = {
  stepsMax: STEPS_MAX,
  endsAtWords: true,
  amountMax: (1n << 127n) - 1n,
  step: (currentX96, targetX96, liquidity, remaining, feePips) => {
    const step = computeSwapStepV4(currentX96, targetX96, liquidity, -remaining, feePips, "least");
    const { sqrtPriceNextX96: nextX96, amountOut } = step;
    return { nextX96, amountIn: step.amountIn + step.feeAmount, amountOut };
  },
};

/** The fee of a direction: the protocol's first, the pool's on the rest. */
export function feePipsV4(pool: UniswapV4Pool, zeroForOne: boolean): bigint {
  const protocolFee = zeroForOne ? pool.protocolFee & 0xfffn : pool.protocolFee >> 12n;
  return protocolFee === 0n ? pool.lpFee : calculateSwapFee(protocolFee & 0xfffn, pool.lpFee);
}

/** The whole `amount` in or out; undefined where that is impossible. */
export function swapUniswapV4(
  pool: UniswapV4Pool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
  rule: OutputRule = "least",
): ConcentratedSwap | undefined {
  // Input amounts are negative here, unlike in V3.
  const specified = kind === "exactIn" ? -amount : amount;
  const swap = unlessReverted(() => poolManagerSwap(pool, zeroForOne, specified, rule));
  return swap?.complete ? swap : undefined;
}

/** Pool.swap, with V4Quoter's price limit. */
function poolManagerSwap(
  pool: UniswapV4Pool,
  zeroForOne: boolean,
  amountSpecified: bigint,
  rule: OutputRule,
): ConcentratedSwap {
  const swapFee = feePipsV4(pool, zeroForOne);
  require(swapFee < MAX_SWAP_FEE || amountSpecified <= 0n, "InvalidFeeForExactOut");
  require(amountSpecified !== 0n, "SwapAmountCannotBeZero");
  const limitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  require(zeroForOne
    ? limitX96 < pool.sqrtPriceX96
    : limitX96 > pool.sqrtPriceX96, "PriceLimitAlreadyExceeded");

  let { sqrtPriceX96, tick, liquidity } = pool;
  let remaining = amountSpecified;
  let calculated = 0n;
  let steps = 0;
  while (!(remaining === 0n || sqrtPriceX96 === limitX96)) {
    require(++steps <= STEPS_MAX, "more steps than the engine allows");
    const sqrtPriceStartX96 = sqrtPriceX96;
    const next = nextInitializedTickWithinOneWord(
      (candidate) => pool.ticks.has(candidate),
      tick,
      pool.tickSpacing,
      zeroForOne,
    );
    const tickNext = Math.max(MIN_TICK, Math.min(MAX_TICK, next.tick));
    const sqrtPriceNextX96 = getSqrtRatioAtTick(tickNext);
    const step = computeSwapStepV4(
      sqrtPriceX96,
      getSqrtPriceTarget(zeroForOne, sqrtPriceNextX96, limitX96),
      liquidity,
      remaining,
      swapFee,
      rule,
    );
    sqrtPriceX96 = step.sqrtPriceNextX96;
    if (amountSpecified > 0n) {
      remaining -= signed(256, step.amountOut);
      calculated = signed(256, calculated - signed(256, step.amountIn + step.feeAmount));
    } else {
      remaining += signed(256, step.amountIn + step.feeAmount);
      calculated = signed(256, calculated + signed(256, step.amountOut));
    }
    if (sqrtPriceX96 === sqrtPriceNextX96) {
      if (next.initialized) {
        const liquidityNet = pool.ticks.get(tickNext)!;
        liquidity = uint(128, liquidity + (zeroForOne ? -liquidityNet : liquidityNet));
      }
      tick = zeroForOne ? tickNext - 1 : tickNext;
    } else if (sqrtPriceX96 !== sqrtPriceStartX96) {
      tick = getTickAtSqrtRatio(sqrtPriceX96);
    }
  }

  // A BalanceDelta is two int128. An input of -2^127 would fit, but nobody can settle it.
  const specified = signed(128, amountSpecified - remaining);
  signed(128, calculated);
  const [given, taken] = amountSpecified > 0n ? [-calculated, specified] : [-specified, calculated];
  return {
    amountIn: signed(128, given),
    amountOut: signed(128, taken),
    sqrtPriceX96After: sqrtPriceX96,
    tickAfter: tick,
    liquidityAfter: liquidity,
    complete: remaining === 0n,
    steps,
  };
}

/** ProtocolFeeLibrary.calculateSwapFee: the product is rounded down, and so the fee up. */
function calculateSwapFee(protocolFee: bigint, lpFee: bigint): bigint {
  return protocolFee + lpFee - (protocolFee * lpFee) / 1_000_000n;
}

function getSqrtPriceTarget(zeroForOne: boolean, nextX96: bigint, limitX96: bigint): bigint {
  if (zeroForOne) return nextX96 >= limitX96 ? nextX96 : limitX96;
  return nextX96 < limitX96 ? nextX96 : limitX96;
}

/** V4's SwapMath.computeSwapStep; a negative `amountRemaining` is an input. */
function computeSwapStepV4(
  currentX96: bigint,
  targetX96: bigint,
  liquidity: bigint,
  amountRemaining: bigint,
  feePips: bigint,
  rule: OutputRule,
): { sqrtPriceNextX96: bigint; amountIn: bigint; amountOut: bigint; feeAmount: bigint } {
  const zeroForOne = currentX96 >= targetX96;
  const amountInTo = (x96: bigint) =>
    zeroForOne
      ? getAmount0Delta(x96, currentX96, liquidity, true)
      : getAmount1Delta(currentX96, x96, liquidity, true);
  const amountOutTo = (x96: bigint) =>
    zeroForOne
      ? getAmount1Delta(x96, currentX96, liquidity, false)
      : getAmount0Delta(currentX96, x96, liquidity, false);
  const feeOn = (amountIn: bigint) => mulDivRoundingUp(amountIn, feePips, MAX_SWAP_FEE - feePips);

  if (amountRemaining < 0n) {
    const lessFee = mulDiv(-amountRemaining, MAX_SWAP_FEE - feePips, MAX_SWAP_FEE);
    const amountIn = amountInTo(targetX96);
    if (lessFee >= amountIn) {
      return {
        sqrtPriceNextX96: targetX96,
        amountIn,
        amountOut: amountOutTo(targetX96),
        feeAmount: feePips === MAX_SWAP_FEE ? amountIn : feeOn(amountIn),
      };
    }
    const nextX96 = getNextSqrtPriceFromInput(currentX96, liquidity, lessFee, zeroForOne);
    return {
      sqrtPriceNextX96: nextX96,
      amountIn: lessFee,
      amountOut: amountOutTo(nextX96),
      feeAmount: -amountRemaining - lessFee,
    };
  }
  let amountOut = amountOutTo(targetX96);
  let nextX96 = targetX96;
  if (amountRemaining < amountOut || (rule === "least" && amountRemaining === amountOut)) {
    amountOut = amountRemaining;
    nextX96 = getNextSqrtPriceFromOutput(currentX96, liquidity, amountOut, zeroForOne);
  }
  const amountIn = amountInTo(nextX96);
  return { sqrtPriceNextX96: nextX96, amountIn, amountOut, feeAmount: feeOn(amountIn) };
}
