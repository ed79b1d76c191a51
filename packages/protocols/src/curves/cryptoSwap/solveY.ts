import { REFUSED } from "@millrace/core/pure";
import { type CryptoContract, mostOfD } from "./contracts.ts";
import { newtonY } from "./newton.ts";
import { cubeRootE18, integerRoot } from "./roots.ts";

/**
 * The balance of one token beside the others and D (`get_y`), which the contracts of the new
 * generation find as the root of a cubic, by Cardano's formula in signed 256-bit integers whose
 * divisions round towards zero. What is too long for them is divided first: by how much depends on
 * the numbers, and differs between two tokens and three. Where the formula has three real roots
 * they iterate. Amounts are scaled by precisions and prices.
 *
 * Unless a comment says otherwise, products of values that pass the checks stay below 2^255.
 */

const E18 = 10n ** 18n;
const E36 = 10n ** 36n;
const INT256_END = 1n << 255n;
const D_LEAST = 10n ** 17n;
export const MOST_D = 10n ** 33n;
const OTHERS_LEAST = 10n ** 16n;
const OTHERS_MOST = 10n ** 20n;

/** K0 at the last root, with 18 decimals, for `newtonD`; 0n where the root was iterated. */
let solvedRatio = 0n;
export const ratioOfSolved = (): bigint => solvedRatio;

/** The balance at `position`, or REFUSED where the contract reverts. */
export function solveY(
  contract: CryptoContract,
  aMultiplier: bigint,
  a: bigint,
  gamma: bigint,
  x: ReadonlyArray<bigint>,
  d: bigint,
  position: number,
): bigint {
  solvedRatio = 0n;
  if (d < D_LEAST || d > MOST_D) return REFUSED;
  if (contract.tokenCount === 3) {
    const first = x[position === 0 ? 1 : 0]!;
    const second = x[position === 2 ? 1 : 2]!;
    if (!isOfD(first, d) || !isOfD(second, d)) return REFUSED;
    const y = contract.isAnalytic
      ? solveOfThree(a, gamma, first, second, x, d, position)
      : newtonY(aMultiplier, a, gamma, x, d, position);
    // The formula's own check lets one unit less pass.
    const least = solvedRatio === 0n ? OTHERS_LEAST : OTHERS_LEAST - 1n;
    return y !== REFUSED && isIn((y * E18) / d, least, OTHERS_MOST) ? y : REFUSED;
  }
  const other = x[1 - position]!;
  const part = (2n * E18 * other) / d;
  const most = mostOfD(contract, gamma);
  const isNear = contract.isNarrowing
    ? isIn(part, E36 / most, most)
    : isIn(part, 2n * OTHERS_LEAST, 2n * OTHERS_MOST);
  if (!isNear) return REFUSED;
  const y = solveOfTwo(a, gamma, other, x, d, position);
  if (y === REFUSED || solvedRatio === 0n) return y;
  const left = (y * E18) / d;
  const isSafe = contract.isNarrowing
    ? isIn(left, E36 / 2n / most, most / 2n)
    : isIn(left, OTHERS_LEAST - 1n, OTHERS_MOST);
  return isSafe ? y : REFUSED;
}

function isOfD(x: bigint, d: bigint): boolean {
  return isIn((x * E18) / d, OTHERS_LEAST, OTHERS_MOST);
}

function isIn(value: bigint, least: bigint, most: bigint): boolean {
  return value >= least && value <= most;
}

/** By what the numbers of two tokens are divided, the first whose threshold is passed. */
const DIVIDERS_OF_TWO: ReadonlyArray<readonly [threshold: bigint, divider: bigint]> = [
  ...[48n, 46n, 44n, 42n, 40n, 38n, 36n, 34n, 32n, 30n, 28n, 26n, 24n].map(
    (digits) => [10n ** digits, 10n ** (digits - 18n)] as const,
  ),
  [10n ** 20n, 100n],
];
const DIVIDERS_OF_THREE: ReadonlyArray<readonly [threshold: bigint, divider: bigint]> = [
  ...[48n, 44n, 40n, 36n, 32n, 28n, 24n].map(
    (digits) => [10n ** digits, 10n ** (digits - 18n)] as const,
  ),
  [10n ** 20n, 100n],
];

function dividerOf(
  dividers: ReadonlyArray<readonly [threshold: bigint, divider: bigint]>,
  value: bigint,
): bigint {
  for (const [threshold, divider] of dividers) if (value > threshold) return divider;
  return 1n;
}

const A_OF_TWO = 10n ** 32n;

function solveOfTwo(
  ann: bigint,
  gamma: bigint,
  other: bigint,
  x: ReadonlyArray<bigint>,
  d: bigint,
  position: number,
): bigint {
  const gamma2 = gamma * gamma;
  const annGamma2 = ann * gamma2;
  const steepness = (4n * annGamma2) / 400_000_000n;
  let a = A_OF_TWO;
  let b = (d * annGamma2) / 400_000_000n / other - 3n * A_OF_TWO - 2n * gamma * 10n ** 14n;
  if (b === 0n) return REFUSED;
  let c =
    3n * A_OF_TWO +
    4n * gamma * 10n ** 14n +
    gamma2 / 10n ** 4n +
    (steepness * other) / d -
    steepness;
  let e = -((E18 + gamma) ** 2n / 10n ** 4n);
  let delta0 = (3n * a * c) / b - b;
  const product = ((27n * a ** 2n) / b) * e;
  if (isWide(product)) return REFUSED;
  let delta1 = 3n * delta0 + b - product / b;
  const divider = dividerOf(DIVIDERS_OF_TWO, leastOf(magnitude(delta0), magnitude(delta1), a));
  a /= divider;
  b /= divider;
  c /= divider;
  e /= divider;
  if (b === 0n) return REFUSED;
  delta0 = (3n * a * c) / b - b;
  const lowered = ((27n * a ** 2n) / b) * e;
  if (isWide(lowered)) return REFUSED;
  delta1 = 3n * delta0 + b - lowered / b;
  const square = delta1 ** 2n;
  const fourfold = 4n * delta0 ** 2n;
  const cube = (fourfold / b) * delta0;
  const discriminant = square + cube;
  if (isWide(square) || isWide(fourfold) || isWide(cube) || isWide(discriminant)) return REFUSED;
  if (discriminant <= 0n) return newtonY(10_000n, ann, gamma, x, d, position);
  const root = integerRoot(discriminant);
  const rootOfB = signedCubeRoot(b);
  const sum = delta1 > 0n ? cubeRootE18((delta1 + root) / 2n) : -cubeRootE18((root - delta1) / 2n);
  const squareOfB = rootOfB ** 2n;
  const scaled = (squareOfB / E18) * sum;
  if (isWide(squareOfB) || isWide(scaled)) return REFUSED;
  const c1 = scaled / E18;
  if (c1 === 0n || a === 0n) return REFUSED;
  const third = ((E18 * b) / c1) * delta0;
  if (isWide(third)) return REFUSED;
  const ratio = (E18 * c1 - E18 * b - third) / (3n * a);
  const raised = (d ** 2n / other) * ratio;
  if (ratio <= 0n || isWide(raised)) return REFUSED;
  solvedRatio = ratio;
  return raised / 4n / E18;
}

const A_OF_THREE = 10n ** 36n / 27n;
const NINTH = 10n ** 36n / 9n;

function solveOfThree(
  ann: bigint,
  gamma: bigint,
  first: bigint,
  second: bigint,
  x: ReadonlyArray<bigint>,
  d: bigint,
  position: number,
): bigint {
  const gamma2 = gamma * gamma;
  const steep = ((d * d) / first) * gamma2 * ann;
  if (isWide(steep)) return REFUSED;
  let a = A_OF_THREE;
  let b = NINTH + (2n * E18 * gamma) / 27n - steep / 729n / 10_000n / second;
  if (b === 0n) return REFUSED;
  let c =
    NINTH +
    (gamma * (gamma + 4n * E18)) / 27n +
    (((gamma2 * (first + second - d)) / d) * ann) / 27n / 10_000n;
  let e = (E18 + gamma) ** 2n / 27n;
  const divider = dividerOf(DIVIDERS_OF_THREE, magnitude((3n * a * c) / b - b));
  if (magnitude(a) > magnitude(b)) {
    const precision = magnitude(a / b);
    a = (a * precision) / divider;
    b = (b * precision) / divider;
    c = (c * precision) / divider;
    e = (e * precision) / divider;
  } else {
    const precision = magnitude(b / a);
    a = a / precision / divider;
    b = b / precision / divider;
    c = c / precision / divider;
    e = e / precision / divider;
  }
  if (a === 0n || b === 0n) return REFUSED;
  const product = 3n * a * c;
  const tail = ((27n * a ** 2n) / b) * e;
  if (isWide(3n * product) || isWide(tail)) return REFUSED;
  const delta0 = product / b - b;
  const delta1 = (3n * product) / b - 2n * b - tail / b;
  const square = delta1 ** 2n;
  const fourfold = 4n * delta0 ** 2n;
  const cube = (fourfold / b) * delta0;
  const discriminant = square + cube;
  if (isWide(square) || isWide(fourfold) || isWide(cube) || isWide(discriminant)) return REFUSED;
  if (discriminant <= 0n) return newtonY(10_000n, ann, gamma, x, d, position);
  const root = integerRoot(discriminant);
  const rootOfB = signedCubeRoot(b);
  const sum = delta1 > 0n ? cubeRootE18((delta1 + root) / 2n) : -cubeRootE18((root - delta1) / 2n);
  const squareOfB = rootOfB * rootOfB;
  const scaled = (squareOfB / E18) * sum;
  if (isWide(squareOfB) || isWide(scaled)) return REFUSED;
  const c1 = scaled / E18;
  if (c1 === 0n) return REFUSED;
  const third = b * delta0;
  const ratio = (b + third / c1 - c1) / 3n;
  const raised = ((((d * d) / 27n / second) * d) / first) * ratio;
  if (isWide(third) || isWide(raised) || isWide(E18 * ratio)) return REFUSED;
  const y = raised / a;
  const k0 = (E18 * ratio) / a;
  if (y <= 0n || k0 <= 0n) return REFUSED;
  solvedRatio = k0;
  return y;
}

function signedCubeRoot(value: bigint): bigint {
  return value > 0n ? cubeRootE18(value) : -cubeRootE18(-value);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function leastOf(first: bigint, second: bigint, third: bigint): bigint {
  const less = first < second ? first : second;
  return less < third ? less : third;
}

/** Whether it does not fit a signed 256-bit integer. */
function isWide(value: bigint): boolean {
  return value >= INT256_END || value < -INT256_END;
}
