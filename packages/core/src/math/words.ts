/** Full-width integers as 64-bit words, least significant first, in a `BigUint64Array`. */

const WORD_BITS = 64n;
const WORD_MASK = 0xffff_ffff_ffff_ffffn;

/** The unsigned integer of `count` words at `start`. */
export function readWords(words: BigUint64Array, start: number, count: number): bigint {
  let value = words[start + count - 1]!;
  for (let index = start + count - 2; index >= start; index--) {
    value = (value << WORD_BITS) | words[index]!;
  }
  return value;
}

/**
 * The unsigned integer of two words at `start`: `readWords(words, start, 2)`, mostly with one read.
 */
export function readWords2(words: BigUint64Array, start: number): bigint {
  const high = words[start + 1]!;
  return high === 0n ? words[start]! : (high << WORD_BITS) | words[start]!;
}

/** Writes an unsigned integer below 2^(64 × count). Throws when it is negative or too wide. */
export function writeWords(
  words: BigUint64Array,
  start: number,
  count: number,
  value: bigint,
): void {
  let rest = value;
  for (let index = start; index < start + count; index++) {
    words[index] = rest & WORD_MASK;
    rest >>= WORD_BITS;
  }
  if (rest !== 0n) throw new RangeError(`${value} does not fit ${count} words`);
}

/**
 * The value of two words at `start` as the nearest float, without a bigint of the whole where the
 * high word is 0.
 */
export function wordsToNumber2(words: BigUint64Array, start: number): number {
  const high = words[start + 1]!;
  return high === 0n ? Number(words[start]!) : Number((high << WORD_BITS) | words[start]!);
}
