import type { Address } from "@millrace/core";
import type { CallAnswer, Hex } from "../ChainProtocol.ts";
import { addressInWord, firstWordsOf, wordsOf } from "../chainWords.ts";

const WORD_DIGITS = 64;
const WORD_BYTES = 32n;
const COINS_MAX = 8n;

/** The one word of an answer. */
export const numberIn = (answer: CallAnswer): bigint | undefined => wordsOf(answer, 1)?.[0];

/** The address in an answer of one word; undefined for none, and for 0. */
export function addressIn(answer: CallAnswer): Address | undefined {
  const address = addressInWord(answer ?? "");
  return address !== undefined && BigInt(address) > 0n ? address : undefined;
}

/** An answer of one list, with at most as many numbers as a pool may have coins. */
export function listIn(answer: CallAnswer): ReadonlyArray<bigint> | undefined {
  const [offset, length] = firstWordsOf(answer, 2) ?? [];
  if (offset !== WORD_BYTES || length === undefined || length > COINS_MAX) return undefined;
  return wordsOf(answer, 2 + Number(length))?.slice(2);
}

/** Addresses from a list of numbers; undefined where one is 0, too long or repeated. */
export function addressesOf(list: ReadonlyArray<bigint> | undefined): Address[] | undefined {
  const addresses = list?.map((value): Address => `0x${value.toString(16).padStart(40, "0")}`);
  const isSound =
    addresses?.every((address) => address.length === 42 && BigInt(address) > 0n) &&
    new Set(addresses).size === addresses.length;
  return isSound ? addresses : undefined;
}

/** A contract's answer that is a text of less than 32 bytes. */
export function textAnswer(text: string): Hex {
  const digits = [...new TextEncoder().encode(text)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  const words = [WORD_BYTES, BigInt(text.length)].map((value) =>
    value.toString(16).padStart(WORD_DIGITS, "0"),
  );
  return `0x${words.join("")}${digits.padEnd(WORD_DIGITS, "0")}`;
}
