/** Roots as the contracts find them. */

/** Above this a number has too many digits to be given 36 more decimals. */
const CUBE_ROOT_STEP = 115792089237316195423570985008687907853269n;
const E18 = 10n ** 18n;
const E36 = 10n ** 36n;
const ROUNDS = 7;

/** ⌊√value⌋ for 0 ≤ value < 2^1000. */
export function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  // A float is off by one part in 2^52; from above the root Newton's steps only fall.
  const guess = Math.sqrt(Number(value)) * (1 + 2 ** -50) + 1;
  let root = BigInt(Math.floor(guess));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** `_cbrt`: the cube root of a number below 2^256 with 18 decimals, with 18 decimals. */
export function cubeRootE18(value: bigint): bigint {
  if (value >= CUBE_ROOT_STEP * E18) return sevenRounds(value) * 10n ** 12n;
  if (value >= CUBE_ROOT_STEP) return sevenRounds(value * E18) * 10n ** 6n;
  return sevenRounds(value * E36);
}

/**
 * What seven rounds of Newton's method come to from the contract's start. That is less than 26 %
 * off, and each round squares what it is off by: from the sixth on it is at the root's floor r, or
 * one more. There r stays where r³ ≤ value < r³ + 3r², as (2r + ⌊value/r²⌋)/3 < r + 1; else it
 * alternates, and the rounds are gone through.
 */
function sevenRounds(value: bigint): bigint {
  // A float is off by one part in 2^50, and one round more by less than 2^-12: the floor, or next.
  const guess = BigInt(Math.floor(Math.cbrt(Number(value)))) + 1n;
  const root = (2n * guess + value / (guess * guess)) / 3n;
  const square = root * root;
  const rest = value - square * root;
  return root > 1n && rest >= 0n && rest < 3n * square ? root : literalRounds(value);
}

function literalRounds(value: bigint): bigint {
  if (value === 0n) return 0n;
  const bits = value.toString(2).length - 1;
  const rest = BigInt(bits % 3);
  let root = ((1n << BigInt(Math.floor(bits / 3))) * 1260n ** rest) / 1000n ** rest;
  for (let round = 0; round < ROUNDS; round++) {
    root = (2n * root + value / (root * root)) / 3n;
  }
  return root;
}
