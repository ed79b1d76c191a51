import { require, signed, uint, unlessReverted } from "./solidity.ts";
import { computeSwapStep, type OutputRule, type SwapStep } from "./swapMath.ts";
import { type NextTick, nextInitializedTickWithinOneWord } from "./tickBitmap.ts";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "./tickMath.ts";
import type { ConcentratedSwap, StepText, TicksOfPool } from "./tickPools.ts";

interface UniswapV3Pool extends TicksOfPool {
  readonly feePips: number;
}

/** The engine's own rule: no transaction has the gas for more. */
const STEPS_MAX = 2_250;

export const uniswapV3Steps: StepText = {
  stepsMax: STEPS_MAX,
  endsAtWords: true,
  amountMax: (1n << 255n) - 1n,
  step: (currentX96, targetX96, liquidity, remaining, feePips) => {
    const step = computeSwapStep(currentX96, targetX96, liquidity, remaining, feePips);
    const { sqrtRatioNextX96: nextX96, amountOut } = step;
    return { nextX96, amountIn: step.amountIn + step.feeAmount, amountOut };
  },
};

/** The whole `amount` in (exact in) or out (exact out); undefined where that is impossible. */
export function swapUniswapV3(
  pool: UniswapV3Pool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
  rule: OutputRule = "least",
): ConcentratedSwap | undefined {
  const swap = unlessReverted(() =>
    poolSwap(
      pool,
      zeroForOne,
      kind === "exactIn" ? signed(256, amount) : -signed(256, amount),
      rule,
    ),
  );
  return swap?.complete ? swap : undefined;
}

/**
 * UniswapV3Pool.swap with the default price limits of routers and quoters, one inside the ends of
 * the price range. A swap that reaches the limit is partial, as on chain.
 */
export function poolSwap(
  pool: UniswapV3Pool,
  zeroForOne: boolean,
  amountSpecified: bigint,
  rule: OutputRule = "least",
): ConcentratedSwap {
  require(amountSpecified !== 0n, "AS");
  const limitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  require(zeroForOne
    ? limitX96 < pool.sqrtPriceX96 && limitX96 > MIN_SQRT_RATIO
    : limitX96 > pool.sqrtPriceX96 && limitX96 < MAX_SQRT_RATIO, "SPL");
  let { sqrtPriceX96, tick, liquidity } = pool;
  let remaining = amountSpecified;
  let calculated = 0n;
  let steps = 0;

  while (remaining !== 0n && sqrtPriceX96 !== limitX96) {
    require(++steps <= STEPS_MAX, "more steps than the engine allows");
    const next = nextTick(pool, tick, zeroForOne);
    const sqrtPriceStartX96 = sqrtPriceX96;
    const sqrtPriceNextX96 = getSqrtRatioAtTick(next.tick);
    const beyondLimit = zeroForOne ? sqrtPriceNextX96 < limitX96 : sqrtPriceNextX96 > limitX96;
    const step: SwapStep = computeSwapStep(
      sqrtPriceX96,
      beyondLimit ? limitX96 : sqrtPriceNextX96,
      liquidity,
      remaining,
      BigInt(pool.feePips),
      rule,
    );
    sqrtPriceX96 = step.sqrtRatioNextX96;
    if (amountSpecified > 0n) {
      remaining -= signed(256, step.amountIn + step.feeAmount);
      calculated = signed(256, calculated + step.amountOut);
    } else {
      remaining += signed(256, step.amountOut);
      calculated = signed(256, calculated + step.amountIn + step.feeAmount);
    }

    if (sqrtPriceX96 === sqrtPriceNextX96) {
      if (next.initialized) {
        const liquidityNet = pool.ticks.get(next.tick)!;
        liquidity = uint(128, liquidity + (zeroForOne ? -liquidityNet : liquidityNet));
      }
      tick = zeroForOne ? next.tick - 1 : next.tick;
    } else if (sqrtPriceX96 !== sqrtPriceStartX96) {
      tick = getTickAtSqrtRatio(sqrtPriceX96);
    }
  }

  const specified = amountSpecified - remaining;
  return {
    amountIn: amountSpecified > 0n ? specified : calculated,
    amountOut: amountSpecified > 0n ? calculated : -specified,
    sqrtPriceX96After: sqrtPriceX96,
    tickAfter: tick,
    liquidityAfter: liquidity,
    complete: remaining === 0n,
    steps,
  };
}

/** The target tick of a step: an initialised one or the end of a word, within the tick range. */
function nextTick(pool: UniswapV3Pool, tick: number, zeroForOne: boolean): NextTick {
  const next = nextInitializedTickWithinOneWord(
    (candidate) => pool.ticks.has(candidate),
    tick,
    pool.tickSpacing,
    zeroForOne,
  );
  return { tick: Math.min(Math.max(next.tick, MIN_TICK), MAX_TICK), initialized: next.initialized };
}
