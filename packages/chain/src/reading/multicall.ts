import type { CallAnswer, ChainCall, Hex } from "@millrace/protocols";

// A codec of our own for one function: viem's takes 20 to 40 ms for a thousand calls, and blocks
// the service meanwhile.

/** `aggregate3((address target, bool allowFailure, bytes callData)[])` of Multicall3. */
const AGGREGATE3 = "0x82ad56cb";
const WORD_DIGITS = 64;
const WORD_BYTES = 32;
/** Middle of a call's tuple: failure is allowed, and the data come after three words. */
const TUPLE_MIDDLE = toWord(1) + toWord(3 * WORD_BYTES);

/** Calldata of `aggregate3`; each call may fail. */
export function encodeAggregate(calls: ReadonlyArray<ChainCall>): Hex {
  const offsets: string[] = [];
  const tuples: string[] = [];
  let offset = calls.length * WORD_BYTES;
  for (const { to, data } of calls) {
    offsets.push(toWord(offset));
    const byteCount = (data.length - 2) / 2;
    const padded = data.slice(2).padEnd(2 * paddedBytes(byteCount), "0");
    const target = to.slice(2).padStart(WORD_DIGITS, "0");
    tuples.push(target, TUPLE_MIDDLE, toWord(byteCount), padded);
    offset += 4 * WORD_BYTES + paddedBytes(byteCount);
  }
  const head = AGGREGATE3 + toWord(WORD_BYTES) + toWord(calls.length);
  return `${head}${offsets.join("")}${tuples.join("")}` as Hex;
}

/** Number of bytes that a call takes in the calldata of `aggregate3`. */
export function aggregateBytes(call: ChainCall): number {
  return 5 * WORD_BYTES + paddedBytes((call.data.length - 2) / 2);
}

/**
 * The answers of `count` calls in what `aggregate3` returned; undefined when Multicall3 would not
 * return such bytes. Its compiler lays arrays out in one way only.
 */
export function decodeAggregate(data: Hex, count: number): ReadonlyArray<CallAnswer> | undefined {
  const list = 2 + 2 * WORD_DIGITS;
  if (sizeAt(data, 2) !== WORD_BYTES || sizeAt(data, 2 + WORD_DIGITS) !== count) return undefined;
  const answers: CallAnswer[] = [];
  let at = list + count * WORD_DIGITS;
  for (let index = 0; index < count; index++) {
    const offset = sizeAt(data, list + index * WORD_DIGITS);
    if (offset === undefined || list + 2 * offset !== at) return undefined;
    const success = sizeAt(data, at);
    if (success === undefined || success > 1) return undefined;
    if (sizeAt(data, at + WORD_DIGITS) !== 2 * WORD_BYTES) return undefined;
    const byteCount = sizeAt(data, at + 2 * WORD_DIGITS);
    if (byteCount === undefined) return undefined;
    const start = at + 3 * WORD_DIGITS;
    at = start + 2 * paddedBytes(byteCount);
    if (at > data.length) return undefined;
    answers.push(success === 1 ? `0x${data.slice(start, start + 2 * byteCount)}` : undefined);
  }
  return at === data.length ? answers : undefined;
}

const SIZE_DIGITS = 8;
const SIZE_ZEROS = "0".repeat(WORD_DIGITS - SIZE_DIGITS);

/** A word read as a size or offset; undefined when it is too large, or past the end. */
function sizeAt(data: Hex, at: number): number | undefined {
  if (at + WORD_DIGITS > data.length || !data.startsWith(SIZE_ZEROS, at)) return undefined;
  return Number.parseInt(data.slice(at + SIZE_ZEROS.length, at + WORD_DIGITS), 16);
}

function toWord(value: number): string {
  return value.toString(16).padStart(WORD_DIGITS, "0");
}

function paddedBytes(byteCount: number): number {
  return Math.ceil(byteCount / WORD_BYTES) * WORD_BYTES;
}
