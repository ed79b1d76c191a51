import type { Address } from "./address.ts";

/**
 * Ids of 32 bytes, for pools of which one contract holds many. The graph knows such a pool by the
 * first twenty bytes, its *key*; the last words of its constants hold the whole id.
 */

/** `0x` and 64 hex digits, in lower case when written. */
export type PoolId = `0x${string}`;

export const POOL_ID_WORDS = 4;
const WORD_DIGITS = 16;
const PREFIX = "0x".length;
const KEY_LENGTH = PREFIX + 40;
const ID_LENGTH = PREFIX + POOL_ID_WORDS * WORD_DIGITS;

export const isPoolId = (text: string): boolean =>
  typeof text === "string" && text.length === ID_LENGTH && ID.test(text);

/** The address by which the graph knows the pool of an id. */
export const poolKey = (id: PoolId): Address => id.slice(0, KEY_LENGTH).toLowerCase() as Address;

/** The constants with a pool's id appended: four words, the first digits in the first. */
export function encodePoolId(id: PoolId, constants: BigUint64Array = NONE): BigUint64Array {
  if (!isPoolId(id)) throw new RangeError(`no id of 32 bytes: ${id.slice(0, 80)}`);
  const words = new BigUint64Array(constants.length + POOL_ID_WORDS);
  words.set(constants);
  for (let word = 0; word < POOL_ID_WORDS; word++) {
    const start = PREFIX + word * WORD_DIGITS;
    words[constants.length + word] = BigInt(`0x${id.slice(start, start + WORD_DIGITS)}`);
  }
  return words;
}

/**
 * The id at the end of a pool's constants; undefined where there is none. An id begins with the
 * pool's address; other constants do not.
 */
export function decodePoolId(address: Address, constants: BigUint64Array): PoolId | undefined {
  if (constants.length < POOL_ID_WORDS) return undefined;
  let id = "0x";
  for (const word of constants.subarray(-POOL_ID_WORDS)) {
    id += word.toString(16).padStart(WORD_DIGITS, "0");
  }
  return id.startsWith(address) ? (id as PoolId) : undefined;
}

const ID = /^0x[0-9a-fA-F]{64}$/;
const NONE = new BigUint64Array(0);
