import { REFUSED } from "@millrace/core";

/**
 * Powers of numbers with 18 decimals through logarithms, as Balancer's `LogExpMath` computes them.
 * Its divisions round towards zero, as these do. Where the code goes another way than the library,
 * it comes to the same integer: ⌊⌊a/b⌋/c⌋ = ⌊a/(bc)⌋ for what is not negative, a product with 1 is
 * left out, and a sum ends where its terms have become 0.
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
/** The exponential takes no smaller ones than a quarter out of its argument. */
const EXPONENTIAL_POWERS_E20 = POWERS_E20.slice(0, 8);
const QUARTER_E20 = E20 / 4n;
/** What the next term of e^x is divided by: 2 × 10^20, 3 × 10^20, … */
const TERM_DIVISORS_E20 = Array.from({ length: 11 }, (_, at) => BigInt(at + 2) * E20);
const SERIES_20 = [3n, 5n, 7n, 9n, 11n];
const SERIES_36 = [3n, 5n, 7n, 9n, 11n, 13n, 15n];

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
  let sum = E20 + rest;
  let term = rest;
  for (const divisor of TERM_DIVISORS_E20) {
    term = (term * rest) / divisor;
    if (term === 0n) break;
    sum += term;
  }
  const fraction = productE20 === E20 ? sum : (productE20 * sum) / E20;
  return (fraction * whole) / 100n;
}

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
  return (sum + 2n * seriesOf(z, E20, SERIES_20)) / 100n;
}

/** The same of what is near 1 (`_ln_36`), with 36 decimals. */
function logarithmNearOneE36(xE18: bigint): bigint {
  const xE36 = xE18 * E18;
  return 2n * seriesOf(((xE36 - E36) * E36) / (xE36 + E36), E36, SERIES_36);
}

/** z + z³/3 + z⁵/5 + … */
function seriesOf(z: bigint, one: bigint, divisors: ReadonlyArray<bigint>): bigint {
  const square = (z * z) / one;
  let power = z;
  let sum = z;
  for (const divisor of divisors) {
    power = (power * square) / one;
    if (power === 0n) break;
    sum += power / divisor;
  }
  return sum;
}
