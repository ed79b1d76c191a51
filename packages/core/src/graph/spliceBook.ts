import { BOOK_WORDS, type Book } from "./PoolGraph.ts";

/** A book kept up to date along a chain, with LEDGER_STRIDE words of a ledger for each key. */
export interface LedgerBook {
  readonly book: Book;
  readonly ledger: BigUint64Array;
}

/** 64-bit words of a ledger for each key: enough for a uint128. */
export const LEDGER_STRIDE = 2;

/** The values at a key: an int128 in the book, a uint128 in the ledger. */
interface LedgerEntry {
  readonly key: number;
  readonly signed: bigint;
  readonly unsigned: bigint;
}

/**
 * A copy without `removed` (0 or 1) entries at `place`, and with `entry`, if given, there instead.
 * The caller keeps the keys in order, and the numbers within 128 bits.
 */
export function spliceBook(
  { book, ledger }: LedgerBook,
  place: number,
  removed: number,
  entry: LedgerEntry | undefined,
): LedgerBook {
  const rest = place + removed;
  const next = entry === undefined ? place : place + 1;
  const count = next + book.keys.length - rest;
  const keys = new Int32Array(count);
  keys.set(book.keys.subarray(0, place));
  keys.set(book.keys.subarray(rest), next);
  const words = new BigInt64Array(BOOK_WORDS * count);
  words.set(book.words.subarray(0, BOOK_WORDS * place));
  words.set(book.words.subarray(BOOK_WORDS * rest), BOOK_WORDS * next);
  const newLedger = new BigUint64Array(LEDGER_STRIDE * count);
  newLedger.set(ledger.subarray(0, LEDGER_STRIDE * place));
  newLedger.set(ledger.subarray(LEDGER_STRIDE * rest), LEDGER_STRIDE * next);
  if (entry !== undefined) {
    keys[place] = entry.key;
    words[BOOK_WORDS * place] = BigInt.asIntN(64, entry.signed);
    words[BOOK_WORDS * place + 1] = entry.signed >> 64n;
    newLedger[LEDGER_STRIDE * place] = BigInt.asUintN(64, entry.unsigned);
    newLedger[LEDGER_STRIDE * place + 1] = entry.unsigned >> 64n;
  }
  return { book: { keys, words }, ledger: newLedger };
}
