import { divideUp, REFUSED } from "@millrace/core/pure";
import type { PoolMath, VaultPool } from "../../balancerVault.ts";
import { powerE18 } from "./logExpMath.ts";

/**
 * ∏ balance^weight = k as Balancer's weighted pools compute it (`WeightedMath`, `FixedPoint`), in
 * numbers of 18 decimals.
 */

/** A pool in one state, with what never changes of it. */
export interface WeightedPool extends VaultPool {
  readonly weightsE18: ReadonlyArray<bigint>;
  /** The most that goes in, or comes out, of each token. */
  readonly mostE18: ReadonlyArray<bigint>;
  /** By positionIn × n + positionOut, once computed: weightIn / weightOut. */
  readonly exponentsE18: Array<bigint | undefined>;
  /** Whether exponents of 1, 2 and 4 go without logarithms, as in all but the first pools. */
  readonly hasShortcuts: boolean;
  /**
   * The least balance of each token that a swap leaves, which V3's later pools have; they also
   * count one unit more of what comes in.
   */
  readonly leastE18: ReadonlyArray<bigint> | undefined;
}

const E18 = 10n ** 18n;
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
    if (amountE18 > mostIn(pool, positionIn, balanceIn)) return REFUSED;
    if (isBelowLeast(pool, positionIn, balanceIn)) return REFUSED;
    const base = divideUp(balanceIn * E18, balanceIn + amountE18);
    const exponent = exponentOf(pool, positionIn, positionOut);
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
    if (amountE18 > pool.mostE18[positionOut]!) return REFUSED;
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

/** Of a balance, at most 30 % come in or go out. */
export const mostOf = (balanceE18: bigint): bigint => (balanceE18 * RATIO_MAX_E18) / E18;

function mostIn({ leastE18, mostE18 }: WeightedPool, position: number, balanceIn: bigint): bigint {
  return leastE18 === undefined ? mostE18[position]! : mostOf(balanceIn);
}

function exponentOf(
  { weightsE18, exponentsE18 }: WeightedPool,
  positionIn: number,
  positionOut: number,
): bigint {
  const at = positionIn * weightsE18.length + positionOut;
  const known = exponentsE18[at];
  if (known !== undefined) return known;
  const exponent = (weightsE18[positionIn]! * E18) / weightsE18[positionOut]!;
  exponentsE18[at] = exponent;
  return exponent;
}

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
