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

const FEE_DENOMINATOR = 1_000_000n;

/** The whole `amount` in (exact in) or out (exact out); undefined where that is impossible. */
export function swapConcentrated(
  pool: ConcentratedPool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
  rule: OutputRule = "least",
): ConcentratedSwap | undefined {
  const swap = swapByContract(pool, zeroForOne, kind, amount, rule);
  if (swap === undefined || kind === "exactIn" || rule === "contract") return swap;
  const buy = (amountIn: bigint) => swapByContract(pool, zeroForOne, "exactIn", amountIn, rule);
  const least = leastBuying(amount, swap.amountIn, (amountIn) => buy(amountIn)?.amountOut);
  if (least === swap.amountIn) return swap;
  return least === undefined ? undefined : { ...buy(least)!, amountOut: amount };
}

/**
 * The engine's own rule: an exact output costs the least exact input that buys it. Contracts may
 * ask one unit less, before the fee, where they compute the price of an input less precisely.
 */
export function leastBuying(
  amountOut: bigint,
  cost: bigint,
  buy: (amountIn: bigint) => bigint | undefined,
): bigint | undefined {
  const isShort = (amountIn: bigint) => (buy(amountIn) ?? amountOut) < amountOut;
  let below = cost;
  let least = cost;
  if (isShort(cost)) least += FEE_DENOMINATOR + 1n;
  while (least - below > 1n) {
    const middle = (below + least) >> 1n;
    if (isShort(middle)) below = middle;
    else least = middle;
  }
  return (buy(least) ?? -1n) >= amountOut ? least : undefined;
}

function swapByContract(
  pool: ConcentratedPool,
  ...swap: [boolean, "exactIn" | "exactOut", bigint, OutputRule]
): ConcentratedSwap | undefined {
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
