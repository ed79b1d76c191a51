import { mulDiv, mulDivRoundingUp } from "./solidity.ts";
import {
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from "./sqrtPriceMath.ts";

export interface SwapStep {
  readonly sqrtRatioNextX96: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
}

const MILLION = 1_000_000n;

/**
 * Which exact-output rule applies. Where the wanted output lies just before the target, the
 * contract goes all the way to the target; the engine stops as soon as it has the output.
 */
export type OutputRule = "least" | "contract";

/** SwapMath.computeSwapStep; a positive `amountRemaining` goes in, a negative one comes out. */
export function computeSwapStep(
  currentX96: bigint,
  targetX96: bigint,
  liquidity: bigint,
  amountRemaining: bigint,
  feePips: bigint,
  rule: OutputRule = "least",
): SwapStep {
  const zeroForOne = currentX96 >= targetX96;
  const exactIn = amountRemaining >= 0n;
  const inputDelta = (to: bigint) =>
    zeroForOne
      ? getAmount0Delta(to, currentX96, liquidity, true)
      : getAmount1Delta(currentX96, to, liquidity, true);
  const outputDelta = (to: bigint) =>
    zeroForOne
      ? getAmount1Delta(to, currentX96, liquidity, false)
      : getAmount0Delta(currentX96, to, liquidity, false);

  let nextX96: bigint;
  if (exactIn) {
    const lessFee = mulDiv(amountRemaining, MILLION - feePips, MILLION);
    nextX96 =
      lessFee >= inputDelta(targetX96)
        ? targetX96
        : getNextSqrtPriceFromInput(currentX96, liquidity, lessFee, zeroForOne);
  } else {
    const whole = outputDelta(targetX96);
    nextX96 =
      -amountRemaining > whole || (rule === "contract" && -amountRemaining === whole)
        ? targetX96
        : getNextSqrtPriceFromOutput(currentX96, liquidity, -amountRemaining, zeroForOne);
  }
  const amountIn = inputDelta(nextX96);
  let amountOut = outputDelta(nextX96);
  if (!exactIn && amountOut > -amountRemaining) amountOut = -amountRemaining;
  const feeAmount =
    exactIn && nextX96 !== targetX96
      ? amountRemaining - amountIn
      : mulDivRoundingUp(amountIn, feePips, MILLION - feePips);
  return { sqrtRatioNextX96: nextX96, amountIn, amountOut, feeAmount };
}
