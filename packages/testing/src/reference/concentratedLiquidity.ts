import { algebraSteps, swapAlgebra } from "./algebraIntegral.ts";
import type { OutputRule } from "./swapMath.ts";
import type { ConcentratedSwap, StepText, TicksOfPool } from "./tickPools.ts";
import { swapUniswapV3, uniswapV3Steps } from "./uniswapV3.ts";
import { feePipsV4, swapUniswapV4, uniswapV4Steps } from "./uniswapV4.ts";

/** Contracts that swap along ticks otherwise than Uniswap V3 and its forks. */
export type StepsBy = "uniswapV4" | "algebraIntegral";

/** A pool of any contract that swaps along ticks. */
export interface ConcentratedPool extends TicksOfPool {
  /** Uniswap V3's and its forks', where it is left out. */
  readonly contract?: StepsBy;
  /** What liquidity is paid; `directionFeePips` has what a swap pays. */
  readonly feePips: number;
  /** Uniswap V4's two more, 12 bits each: the low one of zeroForOne. */
  readonly protocolFee?: number;
}

/** All of `amount` in (exact in) or out (exact out), or undefined where that cannot be done. */
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

/** What a swap in a direction pays. */
export function directionFeePips(pool: ConcentratedPool, zeroForOne: boolean): number {
  return pool.contract === "uniswapV4"
    ? Number(feePipsV4(poolOfV4(pool), zeroForOne))
    : pool.feePips;
}

/** How the pool's contract steps. */
export function stepsOf({ contract }: ConcentratedPool): StepText {
  if (contract === undefined) return uniswapV3Steps;
  return { uniswapV4: uniswapV4Steps, algebraIntegral: algebraSteps }[contract];
}

function poolOfV4(pool: ConcentratedPool): Parameters<typeof swapUniswapV4>[0] {
  return { ...pool, lpFee: BigInt(pool.feePips), protocolFee: BigInt(pool.protocolFee ?? 0) };
}
