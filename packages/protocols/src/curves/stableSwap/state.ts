import { type PoolState, readWords2, writeWords } from "@millrace/core/pure";
import type { StableSwapPool } from "./market.ts";

/** The part of a pool that changes. */
export type StableSwapState = Omit<StableSwapPool, "aPrecision" | "rules">;

/**
 * Words of a state: the balances and then the rates, two words each; A with its precision, the fee,
 * its multiplier, the admin's part.
 */
const AMOUNT_WORDS = 2;
const OTHER_WORDS = 4;

export const stableSwapWords = (tokenCount: number): number =>
  2 * AMOUNT_WORDS * tokenCount + OTHER_WORDS;

/** Throws a RangeError for numbers that do not fit: 128 bits for amounts, 64 for the others. */
export function encodeStableSwap(pool: StableSwapState): PoolState {
  const tokenCount = pool.balances.length;
  const words = new BigUint64Array(stableSwapWords(tokenCount));
  for (const [at, amount] of [...pool.balances, ...pool.rates].entries()) {
    writeWords(words, at * AMOUNT_WORDS, AMOUNT_WORDS, amount);
  }
  const others = [pool.amp, pool.fee, pool.offpegFeeMultiplier, pool.adminFee];
  for (const [at, other] of others.entries()) {
    writeWords(words, 2 * AMOUNT_WORDS * tokenCount + at, 1, other);
  }
  return { words };
}

/** The state that begins at a word. */
export function readStableSwap(
  words: BigUint64Array,
  start: number,
  tokenCount: number,
): StableSwapState {
  const amountsFrom = (first: number) =>
    Array.from({ length: tokenCount }, (_, at) =>
      readWords2(words, start + (first + at) * AMOUNT_WORDS),
    );
  const others = start + 2 * AMOUNT_WORDS * tokenCount;
  return {
    balances: amountsFrom(0),
    rates: amountsFrom(tokenCount),
    amp: words[others]!,
    fee: words[others + 1]!,
    offpegFeeMultiplier: words[others + 2]!,
    adminFee: words[others + 3]!,
  };
}
