import {
  type Address,
  NO_CONSTANTS,
  type PoolListing,
  readWords2,
  writeWords,
} from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import { addressesAt, addressWords, areNarrow, isContract } from "../balancerChain.ts";
import {
  balancerConstants,
  decodeBalancerState,
  encodeBalancerState,
  exponentAt,
  ONE_E18,
} from "../balancerState.ts";
import type { CallAnswer, ChainCall, FollowedState } from "../ChainProtocol.ts";
import { wordsOf } from "../chainWords.ts";
import { balancerStable } from "../curves/balancerStable/pool.ts";

/**
 * Rates of pools: each swap asks the providers. Where a rate has grown since the pool's last swap,
 * the Vault first takes its part of that yield out of the pool (`PoolDataLib.load`). So the
 * balances of a state are those at its rates. Its notes keep what the Vault has stored.
 *
 * A listing keeps the rate providers, and then the hook, after the constants of its curve.
 */

const RATE = toFunctionSelector("getRate()");

const ADDRESS_WORDS = 3;
/** Of each token in the notes: balance, balance at the last rate, whether its yield is charged. */
const NOTE_WORDS = 5;

/** What the Vault has stored of a token. */
export interface StoredToken {
  readonly balance: bigint;
  readonly lastBalanceE18: bigint;
  readonly paysYieldFees: boolean;
}

export function v3Constants(
  rule: bigint,
  exponents: ReadonlyArray<number>,
  own: ReadonlyArray<bigint>,
  providers: ReadonlyArray<Address>,
  hook: Address,
): BigUint64Array {
  const curve = balancerConstants(rule, exponents, own);
  return BigUint64Array.from([...curve, ...addressWords([...providers, hook])]);
}

/** The rate provider of each token, the zero address where it has none; then the hook. */
function contractsOf({ tokens, constants = NO_CONSTANTS }: PoolListing): Address[] {
  const count = tokens.length + 1;
  return addressesAt(constants, constants.length - ADDRESS_WORDS * count, count);
}

export const v3ProvidersOf = (pool: PoolListing): Address[] => contractsOf(pool).slice(0, -1);
export const v3HookOf = (pool: PoolListing): Address => contractsOf(pool).at(-1)!;

export function v3RateCalls(pool: PoolListing): ReadonlyArray<ChainCall> {
  return v3ProvidersOf(pool)
    .filter(isContract)
    .map((to) => ({ to, data: RATE }));
}

/** Notes: what is stored of each token, and the part of a yield that the Vault takes. */
export function encodeStoredTokens(
  stored: ReadonlyArray<StoredToken>,
  yieldFeeE18: bigint,
): BigUint64Array {
  const notes = new BigUint64Array(NOTE_WORDS * stored.length + 1);
  stored.forEach(({ balance, lastBalanceE18, paysYieldFees }, at) => {
    writeWords(notes, NOTE_WORDS * at, 2, balance);
    writeWords(notes, NOTE_WORDS * at + 2, 2, lastBalanceE18);
    notes[NOTE_WORDS * at + 4] = paysYieldFees ? 1n : 0n;
  });
  notes[NOTE_WORDS * stored.length] = yieldFeeE18;
  return notes;
}

/** The state at the providers' rates; undefined where one is invalid. */
export function atV3Rates(
  pool: PoolListing,
  state: FollowedState,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | undefined {
  const { notes } = state;
  const { constants } = pool;
  if (notes === undefined || constants === undefined) return undefined;
  const isStable = pool.curve === balancerStable.name;
  const { stable, ...former } = decodeBalancerState(state.words, 0, pool.tokens.length, isStable);
  let answered = 0;
  const ratesE18 = v3ProvidersOf(pool).map((provider) =>
    isContract(provider) ? (wordsOf(answers[answered++], 1)?.[0] ?? 0n) : ONE_E18,
  );
  if (ratesE18.includes(0n) || !areNarrow(ratesE18)) return undefined;
  const balances = ratesE18.map((rate, at) => {
    const factorE18 = rate * 10n ** exponentAt(constants, at);
    return lessYieldFee(notes, at, pool.tokens.length, factorE18);
  });
  const isSame =
    ratesE18.every((rate, at) => rate === former.ratesE18[at]) &&
    balances.every((balance, at) => balance === former.balances[at]);
  if (isSame) return state;
  const next = { ...former, balances, ratesE18, ...(stable && { stable }) };
  return { ...encodeBalancerState(next), notes };
}

/** The stored balance less its yield fee (`_computeYieldFeesDue`). */
function lessYieldFee(notes: BigUint64Array, at: number, count: number, factorE18: bigint): bigint {
  const balance = readWords2(notes, NOTE_WORDS * at);
  const grownE18 = (balance * factorE18) / ONE_E18 - readWords2(notes, NOTE_WORDS * at + 2);
  if (grownE18 <= 0n || notes[NOTE_WORDS * at + 4] === 0n) return balance;
  const feeE18 = (grownE18 * notes[NOTE_WORDS * count]! + ONE_E18 - 1n) / ONE_E18;
  return balance - (feeE18 * ONE_E18) / factorE18;
}
