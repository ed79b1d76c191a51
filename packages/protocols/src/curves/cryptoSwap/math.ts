import { REFUSED } from "@millrace/core/pure";
import type { CryptoContract } from "./contracts.ts";
import { geometricMean, newtonD, sortedDown } from "./newton.ts";
import { cubeRootE18, integerRoot } from "./roots.ts";
import { ratioOfSolved, solveY } from "./solveY.ts";

/**
 * Curve's crypto pools (`CurveCryptoSwap`, `CurveTricryptoOptimized`, `CurveTwocryptoOptimized`):
 * what `exchange` gives and leaves, as pure integers. `get_dy` is not enough: it answers for dust,
 * which `exchange` rejects because the pool would lose.
 */

/** A pool in a state. Prices, A, gamma and fees are in the contract's own units. */
export interface CryptoPool {
  readonly contract: CryptoContract;
  /** `A_MULTIPLIER`. */
  readonly aMultiplier: bigint;
  /** By position: what a unit of the token is in units of 18 decimals. */
  readonly precisions: ReadonlyArray<bigint>;
  readonly balances: ReadonlyArray<bigint>;
  /** Of the tokens from position 1 on, with 18 decimals. */
  readonly priceScale: ReadonlyArray<bigint>;
  /** D as a swap takes it: during a ramp, of the balances with A and gamma of now. */
  readonly d: bigint;
  /** A · n^n · aMultiplier. */
  readonly a: bigint;
  readonly gamma: bigint;
  readonly midFee: bigint;
  readonly outFee: bigint;
  readonly feeGamma: bigint;
  /** Of the pool's shares; 0n with a pool that has none. */
  readonly totalSupply: bigint;
  /** `virtual_price`, which a swap has to keep or to raise; 0n during a ramp. */
  readonly virtualPrice: bigint;
}

/** A swap's output, and the state that it leaves, without the balances. */
export interface CryptoSwap {
  readonly amountOut: bigint;
  readonly d: bigint;
  readonly virtualPrice: bigint;
}

/** A swap's output, before the contract has checked what is left. */
export interface CryptoDraw {
  readonly amountOut: bigint;
  /** The balances that are left, scaled. */
  readonly x: ReadonlyArray<bigint>;
  /** Where `newtonD` starts for them. */
  readonly ratio: bigint;
}

/** Why there is no swap: the contract reverts, for any reason or because the pool would lose. */
export type CryptoRefusal = typeof REFUSED | typeof TOO_LITTLE;

/** The contract has 256 bits; this engine's state keeps 128. */
export const CRYPTO_BALANCE_MAX = (1n << 128n) - 1n;
/** The result of a swap so small that the pool would lose by it. */
export const TOO_LITTLE = -2n;

const E10 = 10n ** 10n;
const E18 = 10n ** 18n;
const UINT256_END = 1n << 256n;
/**
 * A swap may leave no balance below this part of D, nor above the other one. The contracts' own
 * bounds are wider by a factor of two or more. But they may move their price scale after a swap, by
 * the price of an oracle that moves with time, and then check the balances again at another price.
 */
const PART_LEAST = 2n * 10n ** 16n;
const PART_MOST = 25n * 10n ** 18n;

/**
 * A swap with what it leaves; REFUSED where `exchange` reverts, and TOO_LITTLE where it reverts
 * because the pool would lose. The output is 0n where it rounds to nothing.
 */
export function exchangeCrypto(
  pool: CryptoPool,
  positionIn: number,
  positionOut: number,
  amountIn: bigint,
): CryptoSwap | CryptoRefusal {
  const draw = drawFromCrypto(pool, positionIn, positionOut, amountIn);
  return typeof draw === "bigint" ? draw : settleCrypto(pool, draw);
}

/** The first half of `exchange`: what comes out. */
export function drawFromCrypto(
  pool: CryptoPool,
  positionIn: number,
  positionOut: number,
  amountIn: bigint,
): CryptoDraw | CryptoRefusal {
  const { contract, aMultiplier, a, gamma, d, balances } = pool;
  const raised = balances[positionIn]! + amountIn;
  if (raised > CRYPTO_BALANCE_MAX || amountIn <= 0n) return REFUSED;
  const x = balances.map((balance, at) =>
    scaledBalance(pool, at, at === positionIn ? raised : balance),
  );
  if ((x[positionIn]! * E18) / d > PART_MOST) return REFUSED;
  const y = solveY(contract, aMultiplier, a, gamma, x, d, positionOut);
  if (y === REFUSED) return REFUSED;
  const ratio = ratioOfSolved();
  const drawn = x[positionOut]! - y - 1n;
  if (drawn < 0n) return TOO_LITTLE;
  x[positionOut] = y;
  const whole = unscaledAmount(pool, positionOut, drawn);
  const amountOut = whole - (feeOf(pool, x) * whole) / E10;
  x[positionOut] = scaledBalance(pool, positionOut, balances[positionOut]! - amountOut);
  return { amountOut, x, ratio };
}

/**
 * The other half: D of what is left, as long as the price scale stays. No swap may lower D: for
 * dust the contracts' roundings would, and during a ramp the contracts let that pass.
 */
export function settleCrypto(
  pool: CryptoPool,
  { amountOut, x, ratio }: CryptoDraw,
): CryptoSwap | CryptoRefusal {
  const { contract, aMultiplier, a, gamma } = pool;
  const d = newtonD(contract.isAnalytic, aMultiplier, a, gamma, x, ratio);
  if (d === REFUSED) return REFUSED;
  if (d < pool.d) return TOO_LITTLE;
  if (x.some((each) => each * E18 < PART_LEAST * d)) return REFUSED;
  const product = constantProductOf(pool, d);
  if (product === REFUSED) return REFUSED;
  const left = (E18 * product) / pool.totalSupply;
  // The contracts compute `virtual_price * 2 - 10**18`.
  if (2n * left < E18 || left < pool.virtualPrice) return TOO_LITTLE;
  if (left === pool.virtualPrice && contract.hasToGain) return TOO_LITTLE;
  return { amountOut, d, virtualPrice: pool.virtualPrice === 0n ? 0n : left };
}

/** A balance with 18 decimals and at the price scale: worth so much of the first token. */
export function scaledBalance(
  pool: Pick<CryptoPool, "precisions" | "priceScale">,
  position: number,
  balance: bigint,
): bigint {
  const precise = balance * pool.precisions[position]!;
  return position === 0 ? precise : (precise * pool.priceScale[position - 1]!) / E18;
}

function unscaledAmount(pool: CryptoPool, position: number, amount: bigint): bigint {
  const atPrice = position === 0 ? amount : (amount * E18) / pool.priceScale[position - 1]!;
  return atPrice / pool.precisions[position]!;
}

/** The fee of scaled balances, in parts of 10^10 (`_fee`). */
function feeOf(pool: CryptoPool, x: ReadonlyArray<bigint>): bigint {
  const { contract, midFee, outFee, feeGamma } = pool;
  let sum = 0n;
  for (const each of x) sum += each;
  let balance: bigint;
  if (contract.tokenCount === 2) balance = (((4n * E18 * x[0]!) / sum) * x[1]!) / sum;
  else {
    balance = (3n * E18 * x[0]!) / sum;
    balance = (balance * 3n * x[1]!) / sum;
    balance = (balance * 3n * x[2]!) / sum;
  }
  if (contract.reachesOutFee)
    balance = (feeGamma * balance) / ((feeGamma * balance) / E18 + E18 - balance);
  else balance = (feeGamma * E18) / (feeGamma + E18 - balance);
  return (midFee * balance + outFee * (E18 - balance)) / E18;
}

/**
 * `get_xcp`: what the shares of a pool come to whose balances are all worth the same; REFUSED where
 * it overflows.
 */
export function constantProductOf(
  { contract, priceScale }: Pick<CryptoPool, "contract" | "priceScale">,
  d: bigint,
): bigint {
  const n = BigInt(contract.tokenCount);
  if (contract.reachesOutFee) return (d * E18) / n / integerRoot(E18 * priceScale[0]!);
  const first = d / n;
  const second = (d * E18) / (n * priceScale[0]!);
  const product = first * second;
  if (product >= UINT256_END) return REFUSED;
  if (contract.tokenCount === 2) return integerRoot(product);
  const third = (d * E18) / (n * priceScale[1]!);
  if (!contract.isAnalytic) return geometricMean(sortedDown([first, second, third]));
  const whole = (product / E18) * third;
  return whole >= UINT256_END ? REFUSED : cubeRootE18(whole / E18);
}
