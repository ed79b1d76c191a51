import type { Address } from "@millrace/core";

/** Hex digits of a 32-byte word of the ABI. */
const WORD_DIGITS = 64;
export const WORD_BYTES = 32;

const ADDRESS_PADDING = "0".repeat(24);

/** The word of a number ≥ 0 below 2^256. */
export function word(value: bigint | number): string {
  return value.toString(16).padStart(WORD_DIGITS, "0");
}

/** The word of an address. */
export function addressWord(address: Address): string {
  return ADDRESS_PADDING + address.slice(2);
}

export function flagWord(value: boolean): string {
  return word(value ? 1 : 0);
}

/** Bytes, given in hex digits: their count, then the bytes padded to whole words. */
export function bytesWords(digits: string): string {
  const width = Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS;
  return word(digits.length / 2) + digits.padEnd(width, "0");
}

/** An array of elements of various lengths: their count, where each starts, then the elements. */
export function arrayWords(elements: ReadonlyArray<string>): string {
  let offsets = "";
  let start = elements.length * WORD_BYTES;
  for (const element of elements) {
    offsets += word(start);
    start += element.length / 2;
  }
  return word(elements.length) + offsets + elements.join("");
}

/** The words before the path of a swap of V2 or V3 in the Universal Router. */
export function pathCommandHead(
  recipient: Address,
  amount: bigint,
  limit: bigint,
  isPaidBySender: boolean,
): string {
  const words = addressWord(recipient) + word(amount) + word(limit) + word(5 * WORD_BYTES);
  return words + flagWord(isPaidBySender);
}
