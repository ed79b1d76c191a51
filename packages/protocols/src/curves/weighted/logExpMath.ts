import { REFUSED } from "@millrace/core/pure";

/**
 * Powers of numbers with 18 decimals through logarithms, as Balancer's `LogExpMath` computes them.
 * Its divisions round towards zero, as these do. Where the code goes another way than the library,
 * it comes to the same integer: ⌊⌊a/b⌋/c⌋ = ⌊a/(bc)⌋ for what is not negative, a product with 1 is
 * left out, a sum ends where its terms have become 0, and small terms are floats where these leave
 * no doubt about the integer.
 */

const E18 = 10n ** 18n;
const E20 = 10n ** 20n;
const E36 = 10n ** 36n;
const EXPONENT_MIN_E18 = -41n * E18;
const EXPONENT_MAX_E18 = 130n * E18;
/** Within these the logarithm has 36 decimals. */
const NEAR_ONE_LOW_E18 = 9n * 10n ** 17n;
const NEAR_ONE_HIGH_E18 = 11n * 10n ** 17n;

/** x with 18 decimals and e^x without any. */
const WHOLE_POWERS: ReadonlyArray<readonly [xE18: bigint, power: bigint]> = [
  [128n * E18, 38877084059945950922200000000000000000000000000000000000n],
  [64n * E18, 6235149080811616882910000000n],
];
/** x and e^x, both with 20 decimals. */
const POWERS_E20: ReadonlyArray<readonly [xE20: bigint, powerE20: bigint]> = [
  [32n * E20, 7896296018268069516100000000000000n],
  [16n * E20, 888611052050787263676000000n],
  [8n * E20, 298095798704172827474000n],
  [4n * E20, 5459815003314423907810n],
  [2n * E20, 738905609893065022723n],
  [E20, 271828182845904523536n],
  [E20 / 2n, 164872127070012814685n],
  [E20 / 4n, 128402541668774148407n],
  [E20 / 8n, 113314845306682631683n],
  [E20 / 16n, 106449445891785942956n],
];
/** The exponential takes none smaller than a quarter out of its argument. */
const EXPONENTIAL_POWERS_E20 = POWERS_E20.slice(0, 8);
const QUARTER_E20 = E20 / 4n;
/** What the next term of e^x is divided by: 2 × 10^20, 3 × 10^20, … */
const TERM_DIVISORS_E20 = Array.from({ length: 11 }, (_, at) => BigInt(at + 2) * E20);
/** Powers of the logarithm's series, and how many of them are taken. */
const SERIES = [3n, 5n, 7n, 9n, 11n, 13n, 15n];
const SERIES_COUNT_E20 = 5;
const SERIES_COUNT_E36 = 7;
/** Below it a term is small: a float of it and of what it is divided by is exact. */
const SMALL_END = 2 ** 40;
/** A bound of the relative error of a product or quotient of a few floats. */
const FLOAT_ERROR = 2 ** -48;

/** x^y (`pow`), all of 18 decimals; REFUSED where the library reverts. */
export function powerE18(xE18: bigint, yE18: bigint): bigint {
  if (yE18 === 0n) return E18;
  if (xE18 === 0n) return 0n;
  let exponentE18: bigint;
  if (NEAR_ONE_LOW_E18 < xE18 && xE18 < NEAR_ONE_HIGH_E18) {
    const logarithmE36 = logarithmNearOneE36(xE18);
    const low = ((logarithmE36 % E18) * yE18) / E18;
    exponentE18 = ((logarithmE36 / E18) * yE18 + low) / E18;
  } else {
    exponentE18 = (logarithmE18(xE18) * yE18) / E18;
  }
  if (exponentE18 < EXPONENT_MIN_E18 || exponentE18 > EXPONENT_MAX_E18) return REFUSED;
  return exponentE18 < 0n ? E36 / exponential(-exponentE18) : exponential(exponentE18);
}

/** e^x of x ≥ 0 (`exp`), with 18 decimals. */
function exponential(xE18: bigint): bigint {
  let rest = xE18;
  let whole = 1n;
  for (const [x, power] of WHOLE_POWERS) {
    if (rest < x) continue;
    rest -= x;
    whole = power;
    break;
  }
  rest *= 100n;
  let productE20 = E20;
  if (rest >= QUARTER_E20) {
    for (const [x, power] of EXPONENTIAL_POWERS_E20) {
      if (rest < x) continue;
      rest -= x;
      productE20 = productE20 === E20 ? power : (productE20 * power) / E20;
    }
  }
  const sum = E20 + rest + furtherTerms(rest);
  const fraction = productE20 === E20 ? sum : (productE20 * sum) / E20;
  return (fraction * whole) / 100n;
}

/** x²/2! + x³/3! + … of x ≥ 0, with 20 decimals. */
function furtherTerms(xE20: bigint): bigint {
  const ratio = Number(xE20) / Number(E20);
  let term = xE20;
  let sum = 0n;
  for (const [at, divisor] of TERM_DIVISORS_E20.entries()) {
    if ((Number(term) * ratio) / (at + 2) < SMALL_END) {
      return sum + smallTerms(term, xE20, ratio, at);
    }
    term = (term * xE20) / divisor;
    sum += term;
  }
  return sum;
}

/** The terms from index `from` on, by the term before. */
function smallTerms(before: bigint, xE20: bigint, ratio: number, from: number): bigint {
  let term = Number(before);
  let sum = 0;
  for (let at = from; at < TERM_DIVISORS_E20.length; at++) {
    let next = certainFloor((term * ratio) / (at + 2));
    if (next === UNCERTAIN) {
      const exact = at === from ? before : BigInt(term);
      next = Number((exact * xE20) / TERM_DIVISORS_E20[at]!);
    }
    if (next === 0) break;
    sum += next;
    term = next;
  }
  return BigInt(sum);
}

/** The floor of a number that a float gives within FLOAT_ERROR, or UNCERTAIN. */
function certainFloor(value: number): number {
  const floor = Math.floor(value);
  const error = value * FLOAT_ERROR;
  return value - floor < error || floor + 1 - value <= error ? UNCERTAIN : floor;
}

const UNCERTAIN = -1;

/** The natural logarithm (`_ln`), with 18 decimals. */
function logarithmE18(xE18: bigint): bigint {
  if (xE18 < E18) return -logarithmE18(E36 / xE18);
  let rest = xE18;
  let sum = 0n;
  for (const [x, power] of WHOLE_POWERS) {
    if (rest < power * E18) continue;
    rest /= power;
    sum += x;
  }
  sum *= 100n;
  rest *= 100n;
  for (const [x, power] of POWERS_E20) {
    if (rest < power) continue;
    rest = (rest * E20) / power;
    sum += x;
  }
  const z = ((rest - E20) * E20) / (rest + E20);
  return (sum + 2n * seriesOf(z, E20, SERIES_COUNT_E20)) / 100n;
}

/** The same of what is near 1 (`_ln_36`), with 36 decimals. */
function logarithmNearOneE36(xE18: bigint): bigint {
  const xE36 = xE18 * E18;
  return 2n * seriesOf(((xE36 - E36) * E36) / (xE36 + E36), E36, SERIES_COUNT_E36);
}

/** z + z³/3 + z⁵/5 + …, with `count` terms after the first; roundings are towards zero. */
function seriesOf(z: bigint, one: bigint, count: number): bigint {
  const size = z < 0n ? -z : z;
  const square = (size * size) / one;
  const ratio = Number(square) / Number(one);
  let power = size;
  let sum = size;
  for (let at = 0; at < count; at++) {
    if (Number(power) * ratio < SMALL_END) {
      sum += smallPowers(power, square, one, ratio, at, count);
      break;
    }
    power = (power * square) / one;
    sum += power / SERIES[at]!;
  }
  return z < 0n ? -sum : sum;
}

/** Its terms from index `from` on, by the power before. */
function smallPowers(
  before: bigint,
  square: bigint,
  one: bigint,
  ratio: number,
  from: number,
  count: number,
): bigint {
  let power = Number(before);
  let sum = 0;
  for (let at = from; at < count; at++) {
    let next = certainFloor(power * ratio);
    if (next === UNCERTAIN) {
      const exact = at === from ? before : BigInt(power);
      next = Number((exact * square) / one);
    }
    if (next === 0) break;
    sum += Math.floor(next / (2 * at + 3));
    power = next;
  }
  return BigInt(sum);
}
