import { REFUSED } from "@millrace/core/pure";
import { cubeRootE18, integerRoot } from "./roots.ts";

/**
 * The contracts' Newton iterations, in checked 256-bit integers, with their roundings and exits:
 * `newton_y` for one balance, `newton_D` for the invariant. Amounts are scaled by precisions and
 * prices; with n tokens, `ann` is A · n^n · aMultiplier.
 */

const E18 = 10n ** 18n;
const E14 = 10n ** 14n;
const UINT256_END = 1n << 256n;
const ROUNDS_MAX = 255;
const Y_MOST = 10n ** 40n;
const PART_LEAST = 10n ** 16n - 1n;
const PART_MOST = 10n ** 20n;

/** `newton_y`: the balance at `position`, the others and D being known. Not all are checked. */
export function newtonY(
  aMultiplier: bigint,
  ann: bigint,
  gamma: bigint,
  x: ReadonlyArray<bigint>,
  d: bigint,
  position: number,
): bigint {
  const n = BigInt(x.length);
  const others = sortedDown(x.filter((_, at) => at !== position));
  let y = x.length === 2 ? d ** 2n / (4n * others[0]!) : d / n;
  let ratio = E18;
  let sum = 0n;
  if (x.length === 2) {
    ratio = (2n * E18 * others[0]!) / d;
    sum = others[0]!;
  } else {
    for (const other of others.toReversed()) {
      y = (y * d) / (other * n);
      sum += other;
    }
    for (const other of others) ratio = (ratio * other * n) / d;
  }
  const limit = highestOf(others[0]! / E14, d / E14, 100n);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = y;
    const k0 = (ratio * y * n) / d;
    const s = sum + y;
    const g = distance(gamma + E18, k0) + 1n;
    const mul1 = (((((E18 * d) / gamma) * g) / gamma) * g * aMultiplier) / ann;
    const mul2 = E18 + (2n * E18 * k0) / g;
    const slope = E18 * y + s * mul2 + mul1 - d * mul2;
    if (slope < 0n) {
      y = before / 2n;
      continue;
    }
    // A slope below one, or nothing left: the contract divides by zero.
    const slopeOfY = y === 0n ? 0n : slope / y;
    if (slopeOfY === 0n || k0 === 0n) return REFUSED;
    const part = mul1 / slopeOfY;
    const raised = part * E18;
    if (raised >= UINT256_END) return REFUSED;
    const plus = (slope + E18 * d) / slopeOfY + raised / k0;
    const minus = part + (E18 * s) / slopeOfY;
    y = plus < minus ? before / 2n : plus - minus;
    if (distance(y, before) < highestOf(limit, y / E14, 0n)) return y;
    // It runs away, until a product overflows.
    if (y > Y_MOST) return REFUSED;
  }
  return REFUSED;
}

/**
 * `newton_D`: D of the balances, or REFUSED where it reverts. `k0Before` is the K0 that `solveY`
 * found, from which the newer contracts start; 0n for none.
 */
export function newtonD(
  isAnalytic: boolean,
  aMultiplier: bigint,
  ann: bigint,
  gamma: bigint,
  balances: ReadonlyArray<bigint>,
  k0Before: bigint,
): bigint {
  const x = sortedDown(balances);
  const n = BigInt(x.length);
  const [largest, second] = x as [bigint, bigint];
  const least = x.at(-1)!;
  if (least === 0n) return REFUSED;
  if (x.length === 2 || !isAnalytic) {
    // Two tokens, and three of the old contract: how far apart balances may be.
    const apart = x.length === 2 ? E14 : 10n ** 11n;
    if (largest < 10n ** 9n || largest > 10n ** 33n) return REFUSED;
    if ((least * E18) / largest < apart) return REFUSED;
  }
  let sum = 0n;
  for (const each of x) sum += each;
  let d = firstD(isAnalytic, x, sum, k0Before);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (d <= 0n) return REFUSED;
    const before = d;
    let k0: bigint;
    if (x.length === 2) k0 = (((4n * E18 * largest) / d) * second) / d;
    else {
      k0 = E18;
      for (const each of x) k0 = (k0 * each * n) / d;
    }
    if (k0 === 0n) return REFUSED;
    const g = distance(gamma + E18, k0) + 1n;
    const mul1 = (((((E18 * d) / gamma) * g) / gamma) * g * aMultiplier) / ann;
    const mul2 = (2n * E18 * n * k0) / g;
    const slope = sum + (sum * mul2) / E18 + (mul1 * n) / k0 - (mul2 * d) / E18;
    if (slope <= 0n) return REFUSED;
    const plus = d * (slope + sum);
    const part = d * (mul1 / slope);
    if (plus >= UINT256_END || part >= UINT256_END) return REFUSED;
    const square = (d * d) / slope;
    const minus =
      E18 > k0
        ? square + ((part / E18) * (E18 - k0)) / k0
        : square - ((part / E18) * (k0 - E18)) / k0;
    if (minus < 0n) return REFUSED;
    const quotient = plus / slope;
    d = quotient > minus ? quotient - minus : (minus - quotient) / 2n;
    if (distance(d, before) * E14 < highestOf(10n ** 16n, d, 0n)) {
      const isSafe = x.every((each) => {
        const frac = d === 0n ? 0n : (each * E18) / d;
        return frac >= PART_LEAST && frac <= PART_MOST;
      });
      return isSafe ? d : REFUSED;
    }
  }
  return REFUSED;
}

function firstD(
  isAnalytic: boolean,
  x: ReadonlyArray<bigint>,
  sum: bigint,
  k0Before: bigint,
): bigint {
  const [first, second, third] = x as [bigint, bigint, bigint | undefined];
  if (third === undefined) {
    if (k0Before === 0n) return 2n * integerRoot(first * second);
    const d = integerRoot(((4n * first * second) / k0Before) * E18);
    return sum < d ? sum : d;
  }
  if (!isAnalytic) return 3n * geometricMean(x);
  if (k0Before === 0n) {
    const product = ((first * second) / E18) * third;
    return product >= UINT256_END ? REFUSED : 3n * cubeRootE18(product / E18);
  }
  const [lowered, raised] =
    sum > 10n ** 36n ? [36n, 12n] : sum > 10n ** 24n ? [24n, 6n] : [18n, 0n];
  const part = (((first * second) / 10n ** lowered) * third) / k0Before;
  const value = part * 27n * 10n ** raised;
  return value >= UINT256_END ? REFUSED : cubeRootE18(value);
}

/** `geometric_mean` of the old contract, of balances sorted from high to low, by iteration. */
export function geometricMean(x: ReadonlyArray<bigint>): bigint {
  const n = BigInt(x.length);
  let d = x[0]!;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = d;
    if (d === 0n) return REFUSED;
    let product = E18;
    for (const each of x) product = (product * each) / d;
    d = (d * ((n - 1n) * E18 + product)) / (n * E18);
    const difference = distance(d, before);
    if (difference <= 1n || difference * E18 < d) return d;
  }
  return REFUSED;
}

export function sortedDown(x: ReadonlyArray<bigint>): bigint[] {
  return [...x].sort((first, second) => (first < second ? 1 : first > second ? -1 : 0));
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

function highestOf(a: bigint, b: bigint, c: bigint): bigint {
  const higher = a > b ? a : b;
  return higher > c ? higher : c;
}
