import type { PoolListing } from "@millrace/core";
import type { CallAnswer, FollowedState } from "./ChainProtocol.ts";
import { firstWordsOf, wordsOf } from "./chainWords.ts";
import { RESERVE_MAX_FEE_FIRST } from "./curves/constantProduct/math.ts";
import { solidlyDepth, solidlyRate } from "./curves/solidlyStable/estimates.ts";
import { SOLIDLY_RESERVE_MAX } from "./curves/solidlyStable/math.ts";
import { solidlyStable } from "./curves/solidlyStable/pool.ts";
import { encodeReserves, readReserves } from "./pairState.ts";

/**
 * States of pools whose factory sets the fee: reserves and fee, and as the one note the factory's
 * custom fee of the pool.
 */

export type Reserves = readonly [bigint, bigint];

/** The factory's fees are in 1/10,000. */
export const FEE_END = 10_000n;
export const PIPS_A_POINT = 100n;
/** The custom fee that means no fee at all; a custom fee of 0 means none of the pool's own. */
const ZERO_FEE_INDICATOR = 420n;
/** The price of x·y = k falls by 2 % when x grows by this part. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;

/** A state; the former one where nothing has changed. */
export function solidlyState(
  former: FollowedState | undefined,
  reserves: Reserves,
  feePips: bigint,
  customFee: bigint,
): FollowedState {
  const { words } = encodeReserves(reserves, Number(feePips));
  const isSame =
    former !== undefined &&
    customFeeOf(former) === customFee &&
    words.every((word, index) => word === former.words[index]);
  return isSame ? former : { words, notes: BigUint64Array.of(customFee) };
}

/** The state at the end of a block in which pools without a fee of their own pay this. */
export function withKindFee(state: FollowedState, answer: CallAnswer): FollowedState | undefined {
  const [kindFee] = wordsOf(answer, 1) ?? [];
  if (kindFee === undefined || kindFee >= FEE_END) return undefined;
  const customFee = customFeeOf(state);
  const feePips = PIPS_A_POINT * chargedFee(customFee, kindFee);
  return solidlyState(state, readReserves(state), feePips, customFee);
}

/** The factory's `getFee`. */
export function chargedFee(customFee: bigint, kindFee: bigint): bigint {
  if (customFee === ZERO_FEE_INDICATOR) return 0n;
  return customFee === 0n ? kindFee : customFee;
}

export function customFeeOf({ notes }: FollowedState): bigint {
  return notes?.[0] ?? 0n;
}

/** Whether a state can hold the reserves. */
export function areHeld(pool: PoolListing, reserves: ReadonlyArray<bigint>): boolean {
  const most = isStablePool(pool) ? SOLIDLY_RESERVE_MAX : RESERVE_MAX_FEE_FIRST;
  return reserves.every((reserve) => reserve <= most);
}

export function isStablePool({ curve }: PoolListing): boolean {
  return curve === solidlyStable.name;
}

/** Price of token0 in token1; 0 when there is none. */
export function solidlyPrice(pool: PoolListing, [reserve0, reserve1]: Reserves): number {
  if (reserve0 === 0n || reserve1 === 0n) return 0;
  const ratio = Number(reserve1) / Number(reserve0);
  if (!isStablePool(pool)) return ratio;
  const scale = scaleOf(pool);
  return solidlyRate(ratio / scale) * scale;
}

export function solidlyVirtualReserves(
  pool: PoolListing,
  [answer]: ReadonlyArray<CallAnswer>,
): Reserves | undefined {
  const words = firstWordsOf(answer, 2);
  const reserves: Reserves | undefined = words && [words[0]!, words[1]!];
  const price = reserves && areHeld(pool, reserves) ? solidlyPrice(pool, reserves) : 0;
  if (reserves === undefined || price === 0) return undefined;
  if (!isStablePool(pool)) return reserves;
  const ratio = Number(reserves[1]) / Number(reserves[0]) / scaleOf(pool);
  const reserve0 = (Number(reserves[0]) * solidlyDepth(ratio)) / DEPTH_FACTOR;
  const virtual = [reserve0, reserve0 * price];
  if (!virtual.every(Number.isFinite)) return undefined;
  return [BigInt(Math.floor(virtual[0]!)), BigInt(Math.floor(virtual[1]!))];
}

/** Units of token1 that are as many tokens as one unit of token0. */
function scaleOf({ constants }: PoolListing): number {
  return 10 ** (Number(constants?.[1] ?? 0) - Number(constants?.[0] ?? 0));
}
