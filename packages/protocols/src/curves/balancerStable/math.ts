import { divideUp, REFUSED } from "@millrace/core/pure";
import type { PoolMath, VaultPool } from "../../balancerVault.ts";
import { certainRoot, UNCERTAIN_ROOT } from "../../stableRoot.ts";

/**
 * Curve's invariant A·n^n·S + D = A·n^n·D + D^(n+1)/(n^n·P) as Balancer's stable pools compute it
 * (`StableMath`, `StableSurgeHook`), in numbers of 18 decimals. D and a balance are found by
 * Newton's method in checked 256-bit arithmetic: where a number outgrows it, or 255 rounds are not
 * enough, the contract reverts.
 */

/** A pool in one state, with what never changes of it. */
export interface BalancerStablePool extends VaultPool {
  /** Balances without the pool's own token. */
  readonly curveBalancesE18: ReadonlyArray<bigint>;
  /** Position of the pool's own token; without one, a position that no token has. */
  readonly ownPosition: number;
  /** Whether no swap may leave a balance 10,000 times another, as in V3's later pools. */
  readonly isBounded: boolean;
  /** D of the balances, as the contract finds it; REFUSED where it reverts. */
  readonly invariantE18: bigint;
}

const E18 = 10n ** 18n;
const AMP_PRECISION = 1_000n;
const ROUNDS_MAX = 255;
const UINT256_END = 1n << 256n;
const IMBALANCE_END = 10_000n;
/** V3's Vault takes no higher fee from a hook (`MAX_FEE_PERCENTAGE`). */
const FEE_MAX_E18 = 999_999n * 10n ** 12n;

export const balancerStableMath: PoolMath<BalancerStablePool> = {
  outGivenIn,
  inGivenOut,
  feeGivenIn: (pool, positionIn, positionOut, amountE18) => {
    if (!hasSurge(pool)) return pool.feeE18;
    const outE18 = outGivenIn(pool, positionIn, positionOut, amountE18);
    return outE18 === REFUSED
      ? REFUSED
      : surgeFee(pool, positionIn, positionOut, amountE18, outE18);
  },
  feeGivenOut: (pool, positionIn, positionOut, amountE18) => {
    if (!hasSurge(pool)) return pool.feeE18;
    const inE18 = inGivenOut(pool, positionIn, positionOut, amountE18);
    return inE18 === REFUSED ? REFUSED : surgeFee(pool, positionIn, positionOut, inE18, amountE18);
  },
};

function outGivenIn(
  pool: BalancerStablePool,
  positionIn: number,
  positionOut: number,
  amountE18: bigint,
): bigint {
  const [from, to] = [curveIndex(pool, positionIn), curveIndex(pool, positionOut)];
  const balances = [...pool.curveBalancesE18];
  balances[from]! += amountE18;
  const left = balanceAt(pool, balances, to);
  if (left === REFUSED) return REFUSED;
  const amountOut = balances[to]! - left - 1n;
  if (amountOut < 0n || isTooUneven(pool, from, to, amountE18, amountOut)) return REFUSED;
  return amountOut;
}

function inGivenOut(
  pool: BalancerStablePool,
  positionIn: number,
  positionOut: number,
  amountE18: bigint,
): bigint {
  const [from, to] = [curveIndex(pool, positionIn), curveIndex(pool, positionOut)];
  const balances = [...pool.curveBalancesE18];
  balances[to]! -= amountE18;
  if (balances[to]! <= 0n) return REFUSED;
  const grown = balanceAt(pool, balances, from);
  if (grown === REFUSED) return REFUSED;
  const amountIn = grown - balances[from]! + 1n;
  const isNone = grown < balances[from]! || isTooUneven(pool, from, to, amountIn, amountE18);
  return isNone ? REFUSED : amountIn;
}

const curveIndex = ({ ownPosition }: BalancerStablePool, position: number) =>
  position > ownPosition ? position - 1 : position;

function isTooUneven(
  { isBounded, curveBalancesE18 }: BalancerStablePool,
  from: number,
  to: number,
  amountIn: bigint,
  amountOut: bigint,
): boolean {
  if (!isBounded) return false;
  let least = curveBalancesE18[to]! - amountOut;
  let most = curveBalancesE18[from]! + amountIn;
  for (const balance of curveBalancesE18) {
    if (balance < least) least = balance;
    if (balance > most) most = balance;
  }
  return least <= 0n || most / least >= IMBALANCE_END;
}

/**
 * D by V2's first formula, rounded up. REFUSED for a pool that has nothing of a token: D would be a
 * few units, and the contract would give away all the rest.
 */
export function invariantUp(ampE3: bigint, balances: ReadonlyArray<bigint>): bigint {
  if (balances.includes(0n)) return REFUSED;
  const count = BigInt(balances.length);
  const ampTimesCount = ampE3 * count;
  const sum = sumOf(balances);
  let invariant = sum;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let product = balances[0]! * count;
    for (let at = 1; at < balances.length; at++) {
      const times = product * balances[at]! * count;
      if (times >= UINT256_END) return REFUSED;
      product = divideUp(times, invariant);
    }
    const former = invariant;
    const sums = ampTimesCount * sum * product;
    const squares = count * invariant * invariant;
    const top = squares + divideUp(sums, AMP_PRECISION);
    if (sums >= UINT256_END || top >= UINT256_END) return REFUSED;
    const products = ((ampTimesCount - AMP_PRECISION) * product) / AMP_PRECISION;
    invariant = divideUp(top, (count + 1n) * invariant + products);
    if (isSettled(former, invariant)) return invariant;
  }
  return REFUSED;
}

/** D by the later formula, which is Curve's. */
export function invariantDown(ampE3: bigint, balances: ReadonlyArray<bigint>): bigint {
  if (balances.includes(0n)) return REFUSED;
  const count = BigInt(balances.length);
  const ampTimesCount = ampE3 * count;
  const sum = sumOf(balances);
  const sums = (ampTimesCount * sum) / AMP_PRECISION;
  let invariant = sum;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let product = invariant;
    for (const balance of balances) {
      const times = product * invariant;
      if (times >= UINT256_END) return REFUSED;
      product = times / (balance * count);
    }
    const former = invariant;
    const top = (sums + product * count) * invariant;
    const bottom =
      ((ampTimesCount - AMP_PRECISION) * invariant) / AMP_PRECISION + (count + 1n) * product;
    if (top >= UINT256_END || bottom === 0n) return REFUSED;
    invariant = top / bottom;
    if (isSettled(former, invariant)) return invariant;
  }
  return REFUSED;
}

/**
 * The balance at an index that goes with the others and D, rounded up
 * (`_getTokenBalanceGivenInvariantAndAllOtherBalances`, `computeBalance`).
 */
function balanceAt(
  { stable, isV3, invariantE18: invariant }: BalancerStablePool,
  balances: ReadonlyArray<bigint>,
  index: number,
): bigint {
  if (invariant <= 0n) return REFUSED;
  const count = BigInt(balances.length);
  const ampTimesCount = stable!.ampE3 * count;
  let sum = balances[0]!;
  let product = balances[0]! * count;
  for (let at = 1; at < balances.length; at++) {
    const times = product * balances[at]! * count;
    if (times >= UINT256_END) return REFUSED;
    product = times / invariant;
    sum += balances[at]!;
  }
  sum -= balances[index]!;
  const square = invariant * invariant;
  // V2 truncates before it multiplies by the precision, V3 after.
  const dividend = isV3 ? square * AMP_PRECISION : square;
  const divisor = ampTimesCount * product;
  if (dividend >= UINT256_END || divisor >= UINT256_END || divisor === 0n) return REFUSED;
  const part = divideUp(dividend, divisor) * (isV3 ? 1n : AMP_PRECISION);
  const c = part * balances[index]!;
  const b =
    sum +
    (isV3
      ? (invariant * AMP_PRECISION) / ampTimesCount
      : (invariant / ampTimesCount) * AMP_PRECISION);
  if (c + square >= UINT256_END) return REFUSED;
  const root = certainRoot(invariant, square, b - invariant, c);
  if (root !== UNCERTAIN_ROOT) return root + 1n;
  let balance = divideUp(square + c, invariant + b);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const former = balance;
    const top = balance * balance + c;
    const bottom = 2n * balance + b - invariant;
    if (top >= UINT256_END || bottom <= 0n) return REFUSED;
    balance = divideUp(top, bottom);
    if (isSettled(former, balance)) return balance;
  }
  return REFUSED;
}

const isSettled = (former: bigint, now: bigint) => now - former <= 1n && former - now <= 1n;

const sumOf = (balances: ReadonlyArray<bigint>) => {
  let sum = 0n;
  for (const balance of balances) sum += balance;
  return sum;
};

const hasSurge = ({ stable }: BalancerStablePool) => stable!.surgeMaxE18 > 0n;

/** The fee grows with the imbalance that a swap leaves, if that is more than there was before. */
function surgeFee(
  pool: BalancerStablePool,
  positionIn: number,
  positionOut: number,
  inE18: bigint,
  outE18: bigint,
): bigint {
  const { feeE18, curveBalancesE18 } = pool;
  const { surgeThresholdE18, surgeMaxE18 } = pool.stable!;
  if (surgeMaxE18 < feeE18) return feeE18;
  const after = [...curveBalancesE18];
  after[curveIndex(pool, positionIn)]! += inE18;
  after[curveIndex(pool, positionOut)]! -= outE18;
  const imbalance = imbalanceE18(after);
  if (imbalance <= surgeThresholdE18 || imbalance <= imbalanceE18(curveBalancesE18)) return feeE18;
  const part = ((imbalance - surgeThresholdE18) * E18) / (E18 - surgeThresholdE18);
  const surged = feeE18 + ((surgeMaxE18 - feeE18) * part) / E18;
  return surged > FEE_MAX_E18 ? REFUSED : surged;
}

/** How far balances are from their median, as a part of their sum (`calculateImbalance`). */
function imbalanceE18(balances: ReadonlyArray<bigint>): bigint {
  const sorted = [...balances].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = sorted.length >> 1;
  const median =
    sorted.length % 2 === 0 ? (sorted[middle - 1]! + sorted[middle]!) / 2n : sorted[middle]!;
  let apart = 0n;
  for (const balance of balances) apart += balance > median ? balance - median : median - balance;
  return (apart * E18) / sumOf(balances);
}
