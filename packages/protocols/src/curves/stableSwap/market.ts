import { REFUSED } from "@millrace/core/pure";

/**
 * Pools of Curve's StableSwap, with what their versions differ in, and D: An·Σx + D = A·D·nⁿ +
 * Dⁿ⁺¹/(nⁿ·∏x) of balances scaled by rates to 18 decimals, by Newton's method with the contract's
 * roundings (`get_D`).
 *
 * All of the contracts' operations are checked ones of 256 bits. Every sum of scaled balances is
 * kept below 2^128 here, so that sums and squares of them fit, and lower where a dynamic fee
 * multiplies them; the rest is checked.
 */

/** A pool in a state. Rates are multipliers to 18 decimals, times 10^18. */
export interface StableSwapPool {
  readonly balances: ReadonlyArray<bigint>;
  readonly rates: ReadonlyArray<bigint>;
  /** A times `aPrecision`: what the contract counts with. */
  readonly amp: bigint;
  readonly aPrecision: bigint;
  /** Fees and the multiplier are in 1/10^10. */
  readonly fee: bigint;
  /**
   * The most by which the fee is multiplied far off balance; at most 10^10 where the fee is fixed.
   */
  readonly offpegFeeMultiplier: bigint;
  /** Part of the fee that leaves the balances. */
  readonly adminFee: bigint;
  /** See `DIVIDES_EACH`. */
  readonly rules: number;
}

/**
 * How versions of the contract differ, as bits of a number. First, by what `get_D` divides for each
 * balance: x·n, or x·n + 1, or x and once by nⁿ in the end.
 */
export const DIVIDES_EACH = 0;
export const DIVIDES_EACH_PLUS_ONE = 1;
export const DIVIDES_ONCE = 2;
const DIVISIONS = 3;
/** The result of 255 rounds of `get_D` counts even if they have not ended; else they revert. */
export const TAKES_UNFINISHED = 4;
/** The fee is taken from units of the token, as in `get_dy` of old pools, but in no `exchange`. */
export const FEE_OF_UNITS = 8;
/** A swap updates the price oracle, which may revert. */
export const KEEPS_ORACLE = 16;
export const RULES_END = 32;

export const E10 = 10n ** 10n;
export const E18 = 10n ** 18n;
export const UINT256_MAX = (1n << 256n) - 1n;
export const SCALED_BITS = 128;
export const BALANCE_END = 1n << BigInt(SCALED_BITS);
export const ROUNDS_MAX = 255;
/** A pool with the numbers that all its swaps share. Scaled amounts are named so. */
export interface StableSwapMarket extends StableSwapPool {
  readonly scaled: ReadonlyArray<bigint>;
  readonly sum: bigint;
  /** Sums from here up are refused. */
  readonly sumEnd: bigint;
  /** `get_D`; REFUSED where that reverts. */
  readonly d: bigint;
  readonly dd: bigint;
  readonly n: bigint;
  /** A·n, with A's precision. */
  readonly ann: bigint;
  readonly dByAnn: bigint;
  /** What `get_y` multiplies and divides by: x·n, D with A's precision, and A·n·n. */
  readonly scaledTimesN: ReadonlyArray<bigint>;
  readonly dPrecise: bigint;
  readonly annN: bigint;
  /** What `_dynamic_fee` does: four times the multiplier less one, and the multiplier × the fee. */
  readonly offpegRise: bigint;
  readonly offpegFee: bigint;
  /** The numbers in floats: scaled balances and D. */
  readonly floats: ReadonlyArray<number>;
  readonly dFloat: number;
  /** By position: `startOf`, once computed. */
  readonly starts: Array<bigint | undefined>;
}

export function stableSwapMarket(pool: StableSwapPool): StableSwapMarket {
  const { balances, rates, amp, aPrecision, offpegFeeMultiplier } = pool;
  const scaled = balances.map((balance, position) => (balance * rates[position]!) / E18);
  const sum = scaled.reduce((total, each) => total + each, 0n);
  const n = BigInt(balances.length);
  const ann = amp * n;
  const sumEnd = sumEndOf(offpegFeeMultiplier);
  const d = sum === 0n || sum >= sumEnd ? REFUSED : invariantOf(pool, scaled, sum, ann);
  return {
    ...pool,
    ...{ scaled, sum, sumEnd, d, n, ann },
    dd: d * d,
    scaledTimesN: scaled.map((each) => each * n),
    dPrecise: d * aPrecision,
    annN: ann * n,
    offpegRise: (offpegFeeMultiplier - E10) * 4n,
    offpegFee: offpegFeeMultiplier * pool.fee,
    floats: scaled.map(Number),
    dFloat: Number(d),
    dByAnn: d === REFUSED ? 0n : (d * aPrecision) / ann,
    starts: new Array<bigint | undefined>(balances.length),
  };
}

/** Below it the square of a sum times the multiplier fits 256 bits, where there is one. */
function sumEndOf(offpegFeeMultiplier: bigint): bigint {
  if (offpegFeeMultiplier <= E10) return BALANCE_END;
  const bits = offpegFeeMultiplier.toString(2).length;
  return 1n << BigInt(SCALED_BITS - Math.ceil(bits / 2));
}

/** `get_D`. */
function invariantOf(
  { aPrecision, rules }: StableSwapPool,
  scaled: ReadonlyArray<bigint>,
  sum: bigint,
  ann: bigint,
): bigint {
  const n = BigInt(scaled.length);
  const division = rules & DIVISIONS;
  const power = division === DIVIDES_ONCE ? n ** n : 1n;
  const divisors = scaled.map((each) => {
    if (division === DIVIDES_ONCE) return each;
    return division === DIVIDES_EACH ? each * n : each * n + 1n;
  });
  if (ann < aPrecision || divisors.includes(0n)) return REFUSED;
  const annSum = (ann * sum) / aPrecision;
  let d = sum;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let product = d;
    for (const divisor of divisors) {
      const dividend = product * d;
      if (dividend > UINT256_MAX) return REFUSED;
      product = dividend / divisor;
    }
    product /= power;
    const numerator = (annSum + product * n) * d;
    const denominator = ((ann - aPrecision) * d) / aPrecision + (n + 1n) * product;
    if (numerator > UINT256_MAX || denominator > UINT256_MAX || denominator === 0n) return REFUSED;
    const next = numerator / denominator;
    const change = next > d ? next - d : d - next;
    d = next;
    if (change <= 1n) return d;
  }
  return (rules & TAKES_UNFINISHED) === 0 ? REFUSED : d;
}
