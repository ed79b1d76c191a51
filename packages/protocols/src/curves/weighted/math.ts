import { divideUp, REFUSED } from "@millrace/core";
import type { PoolMath, VaultPool } from "../../balancerVault.ts";
import { powerE18 } from "./logExpMath.ts";

/**
 * ∏ balance^weight = k as Balancer's weighted pools compute it (`WeightedMath`, `FixedPoint`), in
 * numbers of 18 decimals.
 */

/** A pool in one state, with what never changes of it. */
export interface WeightedPool extends VaultPool {
  readonly weightsE18: ReadonlyArray<bigint>;
  /** Whether exponents of 1, 2 and 4 go without logarithms, as in all but the first pools. */
  readonly hasShortcuts: boolean;
  /**
   * The least balance of each token that a swap leaves, which V3's later pools have; they also
   * count one unit more of what comes in.
   */
  readonly leastE18: ReadonlyArray<bigint> | undefined;
}

const E18 = 10n ** 18n;
/** Of a balance, at most 30 % come in or go out. */
const RATIO_MAX_E18 = 3n * 10n ** 17n;
/** 10^-14. */
const POWER_ERROR_E18 = 10_000n;

export const weightedMath: PoolMath<WeightedPool> = {
  /** balanceOut × (1 − (balanceIn / (balanceIn + amount))^(weightIn / weightOut)) */
  outGivenIn: (pool, positionIn, positionOut, amountE18) => {
    const balanceIn = balanceInOf(pool, positionIn);
    const balanceOut = pool.balancesE18[positionOut]!;
    // A pool that has nothing of a token is no market.
    if (balanceIn === 0n || balanceOut === 0n) return REFUSED;
    if (amountE18 > (balanceIn * RATIO_MAX_E18) / E18) return REFUSED;
    if (isBelowLeast(pool, positionIn, balanceIn)) return REFUSED;
    const base = divideUp(balanceIn * E18, balanceIn + amountE18);
    const exponent = (pool.weightsE18[positionIn]! * E18) / pool.weightsE18[positionOut]!;
    const power = powerUp(pool, base, exponent);
    if (power === REFUSED) return REFUSED;
    const amountOut = power < E18 ? (balanceOut * (E18 - power)) / E18 : 0n;
    return isBelowLeast(pool, positionOut, balanceOut - amountOut) ? REFUSED : amountOut;
  },
  /** balanceIn × ((balanceOut / (balanceOut − amount))^(weightOut / weightIn) − 1) */
  inGivenOut: (pool, positionIn, positionOut, amountE18) => {
    const balanceIn = balanceInOf(pool, positionIn);
    const balanceOut = pool.balancesE18[positionOut]!;
    if (balanceIn === 0n || balanceOut === 0n) return REFUSED;
    if (amountE18 > (balanceOut * RATIO_MAX_E18) / E18) return REFUSED;
    if (isBelowLeast(pool, positionIn, balanceIn)) return REFUSED;
    const base = divideUp(balanceOut * E18, balanceOut - amountE18);
    const exponent = divideUp(pool.weightsE18[positionOut]! * E18, pool.weightsE18[positionIn]!);
    const power = powerUp(pool, base, exponent);
    if (power < E18 || isBelowLeast(pool, positionOut, balanceOut - amountE18)) return REFUSED;
    return divideUp(balanceIn * (power - E18), E18);
  },
  feeGivenIn: ({ feeE18 }) => feeE18,
  feeGivenOut: ({ feeE18 }) => feeE18,
};

function balanceInOf({ balancesE18, leastE18 }: WeightedPool, positionIn: number): bigint {
  return balancesE18[positionIn]! + (leastE18 === undefined ? 0n : 1n);
}

function isBelowLeast({ leastE18 }: WeightedPool, position: number, balanceE18: bigint): boolean {
  return leastE18 !== undefined && balanceE18 < leastE18[position]!;
}

/** x^y, no less than it is (`powUp`). */
function powerUp({ hasShortcuts }: WeightedPool, x: bigint, y: bigint): bigint {
  if (hasShortcuts) {
    if (y === E18) return x;
    if (y === 2n * E18) return divideUp(x * x, E18);
    if (y === 4n * E18) {
      const square = divideUp(x * x, E18);
      return divideUp(square * square, E18);
    }
  }
  const power = powerE18(x, y);
  return power === REFUSED ? REFUSED : power + divideUp(power * POWER_ERROR_E18, E18) + 1n;
}
