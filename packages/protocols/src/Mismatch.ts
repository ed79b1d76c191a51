/** What a decoder found that is not as intended; thrown and caught by decoders only. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
}

/** That what the calldata has is what the intent has; addresses are lower case. */
export function same(field: string, found: Comparable, intended: Comparable): void {
  if (found !== intended) {
    throw new Mismatch(`${field}: the call has ${found}, the intent ${intended}`);
  }
}

/** That something which has no single right value is right. */
export function must(isRight: boolean, words: string): void {
  if (!isRight) throw new Mismatch(words);
}

type Comparable = bigint | number | string | boolean;
