import { divideUp, REFUSED } from "@millrace/core/pure";
import {
  type DecodedBalancerState,
  decodeBalancerState,
  exponentAt,
  ONE_E18,
} from "./balancerState.ts";

/**
 * The part of a swap's arithmetic that Balancer's Vaults and the pools' base contracts do: fees,
 * decimals and rates, limits, and the balances left (V2: `BaseMinimalSwapInfoPool`,
 * `BaseGeneralPool`, `BalanceAllocation`; V3: `Vault.swap`, `PoolDataLib`). Numbers named E18 are
 * those that the pool computes with, of 18 decimals.
 */

/** A pool in one state. */
export interface VaultPool extends DecodedBalancerState {
  readonly isV3: boolean;
  /** What a unit of each token is worth with 18 decimals, rates included. */
  readonly factorsE18: ReadonlyArray<bigint>;
  /** The same for the output: V3 rounds the rate up. */
  readonly factorsOutE18: ReadonlyArray<bigint>;
  readonly balancesE18: ReadonlyArray<bigint>;
}

interface VaultPoolKind {
  readonly count: number;
  readonly isV3: boolean;
  readonly isStable: boolean;
}

/** The swap function of a pool's contract; REFUSED where it reverts. */
export interface PoolMath<Pool extends VaultPool> {
  readonly outGivenIn: SwapFunction<Pool>;
  readonly inGivenOut: SwapFunction<Pool>;
  /** The fee of a swap of a given amount, before anything is taken from it. */
  readonly feeGivenIn: SwapFunction<Pool>;
  readonly feeGivenOut: SwapFunction<Pool>;
}

type SwapFunction<Pool> = (
  pool: Pool,
  positionIn: number,
  positionOut: number,
  amountE18: bigint,
) => bigint;

/** A swap that the Vault accepts, and the balances that it leaves. */
export interface VaultSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly balanceIn: bigint;
  readonly balanceOut: bigint;
}

/** V3's smallest amount of a swap, in and out (`_MINIMUM_TRADE_AMOUNT`). */
const TRADE_MIN_E18 = 10n ** 6n;
/** Bits of a balance in the Vaults. */
const BALANCE_BITS_V2 = 112n;
const BALANCE_BITS_V3 = 128n;

const BALANCE_END_V2 = 1n << BALANCE_BITS_V2;
const BALANCE_END_V3 = 1n << BALANCE_BITS_V3;
/** Of a balance times its factor. */
const SCALED_END_V3 = BALANCE_END_V3 * ONE_E18;

export const balanceBits = (isV3: boolean): bigint => (isV3 ? BALANCE_BITS_V3 : BALANCE_BITS_V2);

/** The pool whose state begins at a word. */
export function readVaultPool(
  words: BigUint64Array,
  start: number,
  constants: BigUint64Array,
  { count, isV3, isStable }: VaultPoolKind,
): VaultPool {
  const state = decodeBalancerState(words, start, count, isStable);
  const units = state.balances.map((_, at) => 10n ** exponentAt(constants, at));
  const factorsE18 = state.ratesE18.map((rate, at) => rate * units[at]!);
  const factorsOutE18 = isV3
    ? state.ratesE18.map((rate, at) => roundedUp(rate) * units[at]!)
    : factorsE18;
  const balancesE18 = state.balances.map((balance, at) => (balance * factorsE18[at]!) / ONE_E18);
  return { ...state, isV3, factorsE18, factorsOutE18, balancesE18 };
}

/** A whole rate has no rounding error (`computeRateRoundUp`). */
const roundedUp = (rateE18: bigint) => (rateE18 % ONE_E18 === 0n ? rateE18 : rateE18 + 1n);

/** The Vault's swap of an exact input; undefined where it reverts. */
export function swapGivenIn<Pool extends VaultPool>(
  pool: Pool,
  math: PoolMath<Pool>,
  positionIn: number,
  positionOut: number,
  amountIn: bigint,
): VaultSwap | undefined {
  if (pool.isPaused || amountIn >= BALANCE_END_V3) return undefined;
  const factorE18 = pool.factorsE18[positionIn]!;
  let amountE18: bigint;
  let chargedE18 = 0n;
  if (pool.isV3) {
    const givenE18 = scaled(amountIn, factorE18);
    const feeE18 = math.feeGivenIn(pool, positionIn, positionOut, givenE18);
    if (feeE18 === REFUSED) return undefined;
    chargedE18 = divideUp(givenE18 * feeE18, ONE_E18);
    amountE18 = givenE18 - chargedE18;
    if (amountE18 < TRADE_MIN_E18) return undefined;
  } else {
    // V2 takes the fee before it scales.
    amountE18 = scaled(amountIn - divideUp(amountIn * pool.feeE18, ONE_E18), factorE18);
  }
  const outE18 = math.outGivenIn(pool, positionIn, positionOut, amountE18);
  if (outE18 < (pool.isV3 ? TRADE_MIN_E18 : 0n)) return undefined;
  const factorOutE18 = pool.factorsOutE18[positionOut]!;
  const amountOut = factorOutE18 === ONE_E18 ? outE18 : (outE18 * ONE_E18) / factorOutE18;
  return settled(pool, positionIn, positionOut, amountIn, amountOut, chargedE18);
}

/** Most tokens have 18 decimals and no rate. */
const scaled = (amount: bigint, factorE18: bigint): bigint =>
  factorE18 === ONE_E18 ? amount : (amount * factorE18) / ONE_E18;

/** The Vault's swap for an exact output; undefined where it reverts. */
export function swapGivenOut<Pool extends VaultPool>(
  pool: Pool,
  math: PoolMath<Pool>,
  positionIn: number,
  positionOut: number,
  amountOut: bigint,
): VaultSwap | undefined {
  if (pool.isPaused || amountOut > pool.balances[positionOut]!) return undefined;
  const givenTimesE18 = amountOut * pool.factorsOutE18[positionOut]!;
  const givenE18 = pool.isV3 ? divideUp(givenTimesE18, ONE_E18) : givenTimesE18 / ONE_E18;
  if (pool.isV3 && givenE18 < TRADE_MIN_E18) return undefined;
  const feeE18 = math.feeGivenOut(pool, positionIn, positionOut, givenE18);
  if (feeE18 === REFUSED) return undefined;
  const inE18 = math.inGivenOut(pool, positionIn, positionOut, givenE18);
  if (inE18 < (pool.isV3 ? TRADE_MIN_E18 : 0n)) return undefined;
  const factorE18 = pool.factorsE18[positionIn]!;
  const leftE18 = ONE_E18 - feeE18;
  const chargedE18 = pool.isV3 ? divideUp(inE18 * feeE18, leftE18) : 0n;
  const rawIn = divideUp((inE18 + chargedE18) * ONE_E18, factorE18);
  // V2 adds the fee after it has scaled back.
  const amountIn = pool.isV3 ? rawIn : divideUp(rawIn * ONE_E18, leftE18);
  return settled(pool, positionIn, positionOut, amountIn, amountOut, chargedE18);
}

/** The balances after a swap; V3's Vault takes its part of the fee out of the input's balance. */
function settled(
  pool: VaultPool,
  positionIn: number,
  positionOut: number,
  amountIn: bigint,
  amountOut: bigint,
  chargedE18: bigint,
): VaultSwap | undefined {
  const balanceOut = pool.balances[positionOut]! - amountOut;
  const factorE18 = pool.factorsE18[positionIn]!;
  let balanceIn = pool.balances[positionIn]! + amountIn;
  if (chargedE18 !== 0n && pool.aggregateFeeE18 !== 0n) {
    const chargedRaw = (chargedE18 * ONE_E18) / factorE18;
    balanceIn -= (chargedRaw * pool.aggregateFeeE18) / ONE_E18;
  }
  if (balanceOut < 0n || balanceIn >= (pool.isV3 ? BALANCE_END_V3 : BALANCE_END_V2)) {
    return undefined;
  }
  if (pool.isV3 && balanceIn * factorE18 >= SCALED_END_V3) return undefined;
  return { amountIn, amountOut, balanceIn, balanceOut };
}
