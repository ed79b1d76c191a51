import { REFUSED } from "@millrace/core/pure";
import { type CryptoFace, steepness, X_MOST } from "./estimates.ts";
import { type CryptoPool, constantProductOf } from "./math.ts";

/** What floats are sure of about swaps that are to be settled (`settleCrypto`). */

/**
 * The part by which D has to grow in a swap so that the pool surely does not lose; Infinity: never.
 */
export function leastGain(pool: CryptoPool): number {
  const { contract, d, priceScale, totalSupply, virtualPrice } = pool;
  const product = d === 0n ? 0n : constantProductOf(pool, d);
  if (product === REFUSED || product === 0n || totalSupply === 0n) return Number.POSITIVE_INFINITY;
  // The product of a larger D may overflow.
  if (constantProductOf(pool, d + (d >> GROWTH_BITS)) === REFUSED) return Number.POSITIVE_INFINITY;
  const price = Number(virtualPrice === 0n ? E18 / 2n : virtualPrice + 1n) / 1e18;
  const wanted = (price * Number(totalSupply)) / Number(product) - 1;
  // What is computed of D on the way is rounded to integers, and of three tokens to few.
  const equal = [1e18, ...priceScale.map(Number)].map(
    (scale) => ((Number(d) / contract.tokenCount) * 1e18) / scale,
  );
  const rounded = [Number(product), ...equal];
  if (contract.tokenCount === 3) {
    rounded.push((equal[0]! * equal[1]!) / 1e18, (equal[0]! * equal[1]! * equal[2]!) / 1e36);
  }
  const grain = rounded.reduce((sum, each) => sum + 2 / each, 0);
  return Math.max(wanted, 0) + grain + GAIN_ERROR;
}

/**
 * The output, in its units, from which on no swap is too little for the pool; `least` is of
 * `leastGain`. Its fee is more than the roundings may give away, which is less than the unevenness,
 * and D's growth by the rest is enough. As with q = Q/(k·u)
 *
 *   dD/dy = (1 + q/y)/(S + n·q) ≥ min(1/S, 1/(n·y)),
 *
 * D grows by no less than the rest divided by the largest S and n·y that a swap may come to.
 */
export function settledFrom(face: CryptoFace, least: number): number {
  const { spread, perUnitOut, uneven, leastFee } = face;
  if (!(leastFee > 0)) return Number.POSITIVE_INFINITY;
  return ((least * spread) / perUnitOut + uneven) / leastFee;
}

/** Allowance for the error of D's growth in floats, which is 2^-46 at worst. */
const GAIN_ERROR = 1e-12;
/** Beyond this `newton_D` starts too far off for a check in floats. */
const GAIN_MOST = 2 ** -7;
/** A D that is larger by 2^-6 is beyond that. */
const GROWTH_BITS = 6n;
/** Bounds that are narrower than the contracts'. */
const PART_SURE = 0.021;
const K_SURE = 2 ** -10;
const PRODUCT_SURE = 2 ** 250;
const BALANCE_LEAST = 2e9;
const BALANCE_MOST = 0.999e33;
const E18 = 10n ** 18n;

/**
 * Whether balances that a swap leaves are sure to be settled (`settleCrypto`): D grows by more than
 * `least`, but not by much, all are well within what a contract asks, and no product of `newton_D`
 * overflows. Then it starts next to its root and ends there in a few rounds.
 */
export function isSureToSettle(
  { contract, aMultiplier, a, gamma: gammaE18, d }: CryptoPool,
  least: number,
  x: ReadonlyArray<bigint>,
): boolean {
  const n = contract.tokenCount;
  const scale = Number(d);
  const gamma = Number(gammaE18) / 1e18;
  const k = (Number(a) / Number(aMultiplier)) * gamma * gamma;
  let sum = 0;
  let u = 1;
  for (const each of x) {
    const amount = Number(each);
    const part = amount / scale;
    if (part < PART_SURE || part > X_MOST) return false;
    if (amount < BALANCE_LEAST || amount > BALANCE_MOST) return false;
    sum += part;
    u *= n * part;
  }
  const e = 1 - u;
  const height = ((gamma + e) * (gamma + e)) / (k * u);
  const slope = sum + (n * steepness(gamma, e, e)) / (k * u);
  const gain = (sum - 1 - e * height) / slope;
  if (!(gain > least && gain < GAIN_MOST && u > K_SURE)) return false;
  return scale * scale * (n * height + 4 * sum + slope) < PRODUCT_SURE;
}
