import { mulDiv, mulDivRoundingUp, require, signed, uint, unlessReverted } from "./solidity.ts";
import {
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from "./sqrtPriceMath.ts";
import type { OutputRule } from "./swapMath.ts";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "./tickMath.ts";
import type { ConcentratedSwap, StepText, TicksOfPool } from "./tickPools.ts";

/** An Algebra Integral pool, with the fee that its plugin charges now. */
interface AlgebraPool extends TicksOfPool {
  readonly fee: bigint;
}

/** The engine's own rule: no transaction has the gas for more. */
const STEPS_MAX = 1_750;
const FEE_DENOMINATOR = 1_000_000n;

export const algebraSteps: StepText = {
  stepsMax: STEPS_MAX,
  endsAtWords: false,
  amountMax: (1n << 128n) - 1n,
  step: (currentX96, targetX96, liquidity, remaining, feePips) => {
    const zeroToOne = currentX96 >= targetX96;
    const prices = [currentX96, targetX96] as const;
    const step = movePriceTowardsTarget(
      zeroToOne,
      ...prices,
      liquidity,
      remaining,
      feePips,
      "least",
    );
    const { resultPrice: nextX96, input, output: amountOut, feeAmount } = step;
    return { nextX96, amountIn: input + feeAmount, amountOut };
  },
};

/** The whole amount in or out; undefined where that is impossible. */
export function swapAlgebra(
  pool: AlgebraPool,
  zeroToOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
  rule: OutputRule = "least",
): ConcentratedSwap | undefined {
  const swap = unlessReverted(() =>
    calculateSwap(pool, zeroToOne, signed(256, kind === "exactIn" ? amount : -amount), rule),
  );
  return swap?.complete ? swap : undefined;
}

/** SwapCalculation._calculateSwap, with the price limit that the quoter sets. */
function calculateSwap(
  pool: AlgebraPool,
  zeroToOne: boolean,
  amountRequiredInitial: bigint,
  rule: OutputRule,
): ConcentratedSwap {
  require(amountRequiredInitial !== 0n, "zeroAmountRequired");
  require(pool.fee < FEE_DENOMINATOR, "incorrectPluginFee");
  const limitPrice = zeroToOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  require(pool.sqrtPriceX96 !== 0n, "notInitialized");
  require(zeroToOne
    ? limitPrice < pool.sqrtPriceX96
    : limitPrice > pool.sqrtPriceX96, "invalidLimitSqrtPrice");

  const list = [...new Set([MIN_TICK, ...pool.ticks.keys(), MAX_TICK])].sort((a, b) => a - b);
  let previousTick = list.findLast((tick) => tick <= pool.tick) ?? MIN_TICK;
  let nextTick = list.find((tick) => tick > pool.tick) ?? MAX_TICK;
  let { sqrtPriceX96: currentPrice, tick: currentTick, liquidity } = pool;
  let amountRequired = amountRequiredInitial;
  let amountCalculated = 0n;
  let steps = 0;
  do {
    require(++steps <= STEPS_MAX, "more steps than the engine allows");
    const stepTick = zeroToOne ? previousTick : nextTick;
    const stepSqrtPrice = currentPrice;
    const nextTickPrice = getSqrtRatioAtTick(stepTick);
    const step = movePriceTowardsTarget(
      zeroToOne,
      currentPrice,
      zeroToOne === nextTickPrice < limitPrice ? limitPrice : nextTickPrice,
      liquidity,
      amountRequired,
      pool.fee,
      rule,
    );
    currentPrice = step.resultPrice;
    if (amountRequiredInitial > 0n) {
      amountRequired -= signed(256, step.input + step.feeAmount);
      amountCalculated = signed(256, amountCalculated - signed(256, step.output));
    } else {
      amountRequired += signed(256, step.output);
      amountCalculated = signed(256, amountCalculated + signed(256, step.input + step.feeAmount));
    }
    if (currentPrice === nextTickPrice) {
      const liquidityDelta = pool.ticks.get(stepTick) ?? 0n;
      const at = list.indexOf(stepTick);
      if (zeroToOne) {
        [currentTick, nextTick, previousTick] = [stepTick - 1, stepTick, list[at - 1]!];
        liquidity = uint(128, liquidity - liquidityDelta);
      } else {
        [currentTick, previousTick, nextTick] = [stepTick, stepTick, list[at + 1]!];
        liquidity = uint(128, liquidity + liquidityDelta);
      }
    } else if (currentPrice !== stepSqrtPrice) {
      currentTick = getTickAtSqrtRatio(currentPrice);
      break;
    }
  } while (amountRequired !== 0n && currentPrice !== limitPrice);

  const amountSpent = amountRequiredInitial - amountRequired;
  const [amountIn, amountOut] =
    amountRequiredInitial > 0n
      ? [amountSpent, -amountCalculated]
      : [amountCalculated, -amountSpent];
  return {
    // Reserves are uint128, and each changes by its amount.
    amountIn: uint(128, amountIn),
    amountOut: uint(128, amountOut),
    sqrtPriceX96After: currentPrice,
    tickAfter: currentTick,
    liquidityAfter: liquidity,
    complete: amountRequired === 0n,
    steps,
  };
}

/** PriceMovementMath.movePriceTowardsTarget. */
function movePriceTowardsTarget(
  zeroToOne: boolean,
  currentPrice: bigint,
  targetPrice: bigint,
  liquidity: bigint,
  amountAvailable: bigint,
  fee: bigint,
  rule: OutputRule,
): { resultPrice: bigint; input: bigint; output: bigint; feeAmount: bigint } {
  const inputTo = (price: bigint) =>
    zeroToOne
      ? getAmount0Delta(price, currentPrice, liquidity, true)
      : getAmount1Delta(currentPrice, price, liquidity, true);
  const outputTo = (price: bigint) =>
    zeroToOne
      ? getAmount1Delta(price, currentPrice, liquidity, false)
      : getAmount0Delta(currentPrice, price, liquidity, false);
  const feeOn = (input: bigint) => mulDivRoundingUp(input, fee, FEE_DENOMINATOR - fee);

  if (amountAvailable >= 0n) {
    const afterFee = mulDiv(amountAvailable, FEE_DENOMINATOR - fee, FEE_DENOMINATOR);
    const whole = inputTo(targetPrice);
    if (afterFee >= whole) {
      return {
        resultPrice: targetPrice,
        input: whole,
        output: outputTo(targetPrice),
        feeAmount: feeOn(whole),
      };
    }
    const resultPrice = getNextSqrtPriceFromInput(currentPrice, liquidity, afterFee, zeroToOne);
    require(targetPrice !== resultPrice, "assert");
    const input = inputTo(resultPrice);
    return {
      resultPrice,
      input,
      output: outputTo(resultPrice),
      feeAmount: amountAvailable - input,
    };
  }
  let output = outputTo(targetPrice);
  let resultPrice = targetPrice;
  const wanted = -amountAvailable;
  if (wanted < output || (rule === "least" && wanted === output)) {
    resultPrice = getNextSqrtPriceFromOutput(currentPrice, liquidity, wanted, zeroToOne);
    if (targetPrice !== resultPrice) output = outputTo(resultPrice);
    if (output > wanted) output = wanted;
  }
  const input = inputTo(resultPrice);
  return { resultPrice, input, output, feeAmount: feeOn(input) };
}
