import type { CallAnswer, ChainCall, Hex } from "./ChainProtocol.ts";

/**
 * The answer of a range of calls has each word that is not 0, after its place among the calls in
 * four bytes. It is undefined where a call reverts, or does not return one word.
 */
const PLACE_DIGITS = 8;
const WORD_DIGITS = 64;
const ENTRY_DIGITS = PLACE_DIGITS + WORD_DIGITS;
const ENTRIES = /^0x[0-9a-f]*$/;
const WORD = /^0x[0-9a-f]{64}$/;

/** The part of a range that begins at a place of it. */
export function restOfRange({ to, data, range = 1 }: ChainCall, place: number): ChainCall {
  const word = BigInt.asUintN(256, BigInt(`0x${data.slice(-WORD_DIGITS)}`) + BigInt(place));
  const digits = word.toString(16).padStart(WORD_DIGITS, "0");
  return { to, data: `${data.slice(0, -WORD_DIGITS)}${digits}` as Hex, range: range - place };
}

/** The calls that a range stands for. */
export function callsOfRange(call: ChainCall): ReadonlyArray<ChainCall> {
  return Array.from({ length: call.range ?? 1 }, (_, place) => {
    const { to, data } = restOfRange(call, place);
    return { to, data };
  });
}

/** The answer of a range, by the answers of its calls. */
export function answerOfRange(answers: ReadonlyArray<CallAnswer>): CallAnswer {
  let entries = "";
  for (const [place, answer] of answers.entries()) {
    if (answer === undefined || !WORD.test(answer)) return undefined;
    if (BigInt(answer) !== 0n) entries += entryOf(place, answer.slice(2));
  }
  return `0x${entries}`;
}

/** One word of an answer: its digits, and its place. */
export function entryOf(place: number, word: string): string {
  return place.toString(16).padStart(PLACE_DIGITS, "0") + word;
}

/**
 * The words that are not 0 in the answer of `range` calls, with their places in ascending order;
 * undefined when the answer is malformed.
 */
export function wordsInRange(
  answer: CallAnswer,
  range: number,
): ReadonlyArray<readonly [place: number, word: bigint]> | undefined {
  if (answer === undefined || !ENTRIES.test(answer)) return undefined;
  if ((answer.length - 2) % ENTRY_DIGITS !== 0) return undefined;
  const words: Array<readonly [number, bigint]> = [];
  let least = 0;
  for (let at = 2; at < answer.length; at += ENTRY_DIGITS) {
    const place = Number.parseInt(answer.slice(at, at + PLACE_DIGITS), 16);
    const word = BigInt(`0x${answer.slice(at + PLACE_DIGITS, at + ENTRY_DIGITS)}`);
    if (place < least || place >= range || word === 0n) return undefined;
    words.push([place, word]);
    least = place + 1;
  }
  return words;
}
