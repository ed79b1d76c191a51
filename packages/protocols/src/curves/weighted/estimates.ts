import type { BalancerFace } from "../../balancerFamily.ts";
import type { WeightedPool } from "./math.ts";

/** The largest part of a balance that comes in or goes out. */
const RATIO_MAX = 0.3;
/** Units that roundings add to it, of 18 decimals. */
const ROUNDINGS = 2;
/**
 * With u = 2^-53: an amount is off by 5u, the logarithm and what is taken from 1 by 2u more each,
 * both with a condition of at most 1, exponent and balances by 2u. All that is below 2^-49.
 */
const ROUNDING_UP = 1 + 2 ** -47;
const ROUNDING_DOWN = 1 - 2 ** -47;
/** No exact output takes this part of a balance, except of balances of a few units. */
const PART_MAX = 0.9;
const E18 = 1e18;

/**
 * With p = weightIn / weightOut, balances b and o: the output is o × (1 − (b / (b + a))^p). The
 * contract rounds the power up by more than its logarithm's error, so it never gives more, nor asks
 * less: there is no bonus.
 */
export function weightedFace(
  pool: WeightedPool,
  positionIn: number,
  positionOut: number,
): BalancerFace | undefined {
  const balanceIn = Number(pool.balancesE18[positionIn]!);
  const balanceOut = Number(pool.balancesE18[positionOut]!);
  if (balanceIn === 0 || balanceOut === 0) return undefined;
  const exponent = Number(pool.weightsE18[positionIn]!) / Number(pool.weightsE18[positionOut]!);
  const left = 1 - Number(pool.feeE18) / E18;
  const factorIn = Number(pool.factorsE18[positionIn]!) / E18;
  const perUnitOut = Number(pool.factorsE18[positionOut]!) / E18;
  const taken = (RATIO_MAX * balanceIn + ROUNDINGS) / factorIn + 1;
  return {
    perUnitIn: factorIn * left,
    perUnitOut,
    capacity: (taken / left) * ROUNDING_UP,
    bonus: 0,
    outputMax: ((RATIO_MAX * balanceOut + ROUNDINGS) / perUnitOut) * ROUNDING_UP,
    price: (balanceOut / balanceIn) * exponent,
    at: (amountIn, into) => {
      const logarithm = -exponent * Math.log1p(amountIn / balanceIn);
      const whole = balanceIn + amountIn;
      into[0] = -balanceOut * Math.expm1(logarithm) * ROUNDING_UP;
      into[1] = ((balanceOut * exponent) / whole) * Math.exp(logarithm) * ROUNDING_UP;
      into[2] = (-into[1]! * (exponent + 1)) / whole;
    },
    inputFor: (amountOut) => {
      const part = Math.min(amountOut / balanceOut, PART_MAX);
      return balanceIn * Math.expm1(-Math.log1p(-part) / exponent) * ROUNDING_DOWN;
    },
  };
}
