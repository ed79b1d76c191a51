/** A difference that a decoder found; thrown and caught by decoders only. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
}

/** Throws a `Mismatch` unless calldata and intent have the same value; addresses are lower case. */
export function same(field: string, found: Comparable, intended: Comparable): void {
  if (found !== intended) {
    throw new Mismatch(`${field}: the call has ${found}, the intent ${intended}`);
  }
}

/** Throws a `Mismatch` unless a condition holds, where there is no single right value. */
export function must(isRight: boolean, words: string): void {
  if (!isRight) throw new Mismatch(words);
}

type Comparable = bigint | number | string | boolean;
