import { algebraSteps, swapAlgebra } from "./algebraIntegral.ts";
import type { OutputRule } from "./swapMath.ts";
import type { ConcentratedSwap, StepText, TicksOfPool } from "./tickPools.ts";
import { swapUniswapV3, uniswapV3Steps } from "./uniswapV3.ts";
import { feePipsV4, swapUniswapV4, uniswapV4Steps } from "./uniswapV4.ts";

/** Contracts whose tick steps differ from Uniswap V3 and its forks. */
export type StepsBy = "uniswapV4" | "algebraIntegral";

/** A pool of any contract with ticks. */
export interface ConcentratedPool extends TicksOfPool {
  /** Default: Uniswap V3 or a fork. */
  readonly contract?: StepsBy;
  /** The fee for liquidity providers; `directionFeePips` gives the fee of a swap. */
  readonly feePips: number;
  /** Uniswap V4's two protocol fees, 12 bits each: the low one for zeroForOne. */
  readonly protocolFee?: number;
}

/** The whole `amount` in (exact in) or out (exact out); undefined where that is impossible. */
export function swapConcentrated(
  pool: ConcentratedPool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
  rule: OutputRule = "least",
): ConcentratedSwap | undefined {
  const swap = [zeroForOne, kind, amount, rule] as const;
  switch (pool.contract) {
    case "uniswapV4":
      return swapUniswapV4(poolOfV4(pool), ...swap);
    case "algebraIntegral":
      return swapAlgebra({ ...pool, fee: BigInt(pool.feePips) }, ...swap);
    default:
      return swapUniswapV3(pool, ...swap);
  }
}

/** The fee of a swap in a direction. */
export function directionFeePips(pool: ConcentratedPool, zeroForOne: boolean): number {
  return pool.contract === "uniswapV4"
    ? Number(feePipsV4(poolOfV4(pool), zeroForOne))
    : pool.feePips;
}

/** The step functions of the pool's contract. */
export function stepsOf({ contract }: ConcentratedPool): StepText {
  if (contract === undefined) return uniswapV3Steps;
  return { uniswapV4: uniswapV4Steps, algebraIntegral: algebraSteps }[contract];
}

function poolOfV4(pool: ConcentratedPool): Parameters<typeof swapUniswapV4>[0] {
  return { ...pool, lpFee: BigInt(pool.feePips), protocolFee: BigInt(pool.protocolFee ?? 0) };
}
