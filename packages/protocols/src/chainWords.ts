import type { Address } from "@millrace/core";
import type { CallAnswer, ChainCall, ChainLog, Hex, LoggedSwap } from "./ChainProtocol.ts";

/** The 32-byte words of logs, calls and answers, read as strictly as a contract writes them. */

const WORD_DIGITS = 64;
const WORD_BITS = 256;
const DIGITS = /^0x[0-9a-f]*$/;
const ADDRESS_WORD = /^0x0{24}[0-9a-f]{40}$/;
const NO_ADDRESS: Address = `0x${"0".repeat(40)}`;
/** The native token among tokens of Uniswap V4, of the executor and of routers. */
export const NATIVE_ADDRESS: Address = NO_ADDRESS;

/** The numbers in data of exactly `count` words; undefined when it is longer, shorter or no hex. */
export function wordsOf(data: string | undefined, count: number): bigint[] | undefined {
  if (data?.length !== 2 + count * WORD_DIGITS || !DIGITS.test(data)) return undefined;
  return Array.from({ length: count }, (_, index) => BigInt(wordAt(data, index)));
}

/** The numbers in the first `count` words of an answer that may have more. */
export function firstWordsOf(answer: CallAnswer, count: number): bigint[] | undefined {
  return wordsOf(answer?.slice(0, 2 + count * WORD_DIGITS), count);
}

/** The word at an index of data; shorter, and so no address, where the data ends. */
function wordAt(data: string, index: number): Hex {
  const start = 2 + index * WORD_DIGITS;
  return `0x${data.slice(start, start + WORD_DIGITS)}`;
}

/** The address in a word padded with zeros; undefined for any other word. */
export function addressInWord(word: string): Address | undefined {
  return ADDRESS_WORD.test(word) ? `0x${word.slice(-40)}` : undefined;
}

/** Reads the address in an indexed word of logs, counted from 1. */
export function addressInTopic(position: number): (log: ChainLog) => Address | undefined {
  return ({ topics }) => addressInWord(topics[position] ?? "");
}

/**
 * What the logs of two-token factories have in common: tokens in the first two indexed words, in
 * ascending order and none of them zero, and a pool in a word of the data.
 */
export function newPairOf(
  { topics, data }: ChainLog,
  poolAt: number,
): { token0: Address; token1: Address; address: Address } | undefined {
  const token0 = addressInWord(topics[1] ?? "");
  const token1 = addressInWord(topics[2] ?? "");
  const address = addressInWord(wordAt(data, poolAt));
  if (token0 === undefined || token1 === undefined || address === undefined) return undefined;
  if (token0 === NO_ADDRESS || token0 >= token1 || address === NO_ADDRESS) return undefined;
  return { token0, token1, address };
}

/**
 * The swap that changed a two-token pool's balances by these amounts: an output is negative.
 * Undefined when nothing was traded. `price` is that of token0 in token1 after the swap; 0 when
 * unknown.
 */
export function loggedSwap(
  amount0: bigint,
  amount1: bigint,
  price: number,
): LoggedSwap | undefined {
  if (amount0 > 0n && amount1 < 0n) {
    const amounts = { amountIn: amount0, amountOut: -amount1 };
    return { positionIn: 0, positionOut: 1, ...amounts, priceAfter: price };
  }
  if (amount1 > 0n && amount0 < 0n) {
    const amounts = { amountIn: amount1, amountOut: -amount0 };
    return { positionIn: 1, positionOut: 0, ...amounts, priceAfter: price === 0 ? 0 : 1 / price };
  }
  return undefined;
}

/**
 * The set bits in answers of one word each, numbered through from the lowest bit of the first word,
 * 0. Undefined when an answer is no word, or there are more than `countMax`.
 */
export function bitsOf(answers: ReadonlyArray<CallAnswer>, countMax: number): number[] | undefined {
  const words: Array<readonly [number, bigint]> = [];
  for (const [place, answer] of answers.entries()) {
    const [word] = wordsOf(answer, 1) ?? [];
    if (word === undefined) return undefined;
    words.push([place, word]);
  }
  return bitsIn(words, countMax);
}

/** The same for words at their places. */
export function bitsIn(
  words: ReadonlyArray<readonly [place: number, word: bigint]>,
  countMax: number,
): number[] | undefined {
  const bits: number[] = [];
  for (const [place, word] of words) {
    let rest = word;
    for (let bit = place * WORD_BITS; rest !== 0n; bit++, rest >>= 1n) {
      if ((rest & 1n) === 0n) continue;
      if (bits.length === countMax) return undefined;
      bits.push(bit);
    }
  }
  return bits;
}

/** The call of a function of one integer, negative or not, of any width. */
export function callOf(to: Address, selector: Hex, argument: number): ChainCall {
  return callOfWords(to, selector, [BigInt(argument)]);
}

/** The call of a function of integers and addresses; a signed one may be negative. */
export function callOfWords(to: Address, selector: Hex, words: ReadonlyArray<bigint>): ChainCall {
  const digits = words.map((word) =>
    BigInt.asUintN(256, word).toString(16).padStart(WORD_DIGITS, "0"),
  );
  return { to, data: `${selector}${digits.join("")}` };
}
