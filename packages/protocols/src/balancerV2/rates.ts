import {
  type Address,
  NO_CONSTANTS,
  type PoolListing,
  readWords2,
  writeWords,
} from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import { addressesAt, addressWords, areNarrow, isContract, NO_ADDRESS } from "../balancerChain.ts";
import { balancerConstants, decodeBalancerState, encodeBalancerState } from "../balancerState.ts";
import type { CallAnswer, ChainCall, FollowedState } from "../ChainProtocol.ts";
import { wordsOf } from "../chainWords.ts";
import { balancerStable, NO_OWN_TOKEN } from "../curves/balancerStable/pool.ts";

/**
 * Rates of stable pools: a pool caches a provider's rate until it expires. The next swap after that
 * asks the provider again, and swaps at the answer. So at each block the rate is the cached one, or
 * the provider's current one where the cache has expired.
 *
 * A listing keeps the providers after the constants of its curve. A state keeps in its notes, for
 * each token, when its rate expires, and the cached rate.
 */

const TIMESTAMP = toFunctionSelector("getCurrentBlockTimestamp()");
const RATE = toFunctionSelector("getRate()");

const NOTE_WORDS = 3;

/** A provider's rate as the pool has cached it. */
export interface KeptRate {
  readonly rateE18: bigint;
  readonly expires: bigint;
}

/** Constants of a stable pool, without its id. */
export function v2StableConstants(
  rule: bigint,
  exponents: ReadonlyArray<number>,
  providers: ReadonlyArray<Address>,
): BigUint64Array {
  const curve = balancerConstants(rule, exponents, [NO_OWN_TOKEN]);
  return BigUint64Array.from([...curve, ...addressWords(providers)]);
}

/** The provider of each token; the zero address where it has none. */
export function v2ProvidersOf({ curve, tokens, constants = NO_CONSTANTS }: PoolListing): Address[] {
  if (curve !== balancerStable.name) return tokens.map(() => NO_ADDRESS);
  return addressesAt(constants, 2 + tokens.length, tokens.length);
}

/** The calls for the time and each provider's rate; none for a pool without providers. */
export function v2RateCalls(
  clock: Address | undefined,
  pool: PoolListing,
): ReadonlyArray<ChainCall> {
  const providers = v2ProvidersOf(pool).filter(isContract);
  if (providers.length === 0 || clock === undefined) return [];
  return [{ to: clock, data: TIMESTAMP }, ...providers.map((to) => ({ to, data: RATE }))];
}

export function encodeKeptRates(kept: ReadonlyArray<KeptRate>): BigUint64Array {
  const notes = new BigUint64Array(NOTE_WORDS * kept.length);
  kept.forEach(({ rateE18, expires }, at) => {
    notes[NOTE_WORDS * at] = expires;
    writeWords(notes, NOTE_WORDS * at + 1, 2, rateE18);
  });
  return notes;
}

/** The state with the rates of a block; undefined where a needed rate is invalid. */
export function atV2Rates(
  pool: PoolListing,
  state: FollowedState,
  [time, ...answers]: ReadonlyArray<CallAnswer>,
): FollowedState | undefined {
  const { notes } = state;
  if (time === undefined || notes === undefined) return answers.length === 0 ? state : undefined;
  const [timestamp] = wordsOf(time, 1) ?? [];
  if (timestamp === undefined) return undefined;
  const former = decodeBalancerState(state.words, 0, pool.tokens.length, true);
  const ratesE18 = [...former.ratesE18];
  let answered = 0;
  for (const [at, provider] of v2ProvidersOf(pool).entries()) {
    if (!isContract(provider)) continue;
    const [current] = wordsOf(answers[answered++], 1) ?? [];
    const isKept = timestamp <= notes[NOTE_WORDS * at]!;
    const rate = isKept ? readWords2(notes, NOTE_WORDS * at + 1) : current;
    if (rate === undefined || rate === 0n || !areNarrow([rate])) return undefined;
    ratesE18[at] = rate;
  }
  if (ratesE18.every((rate, at) => rate === former.ratesE18[at])) return state;
  const { stable, ...rest } = former;
  return { ...encodeBalancerState({ ...rest, ratesE18, stable: stable! }), notes };
}
