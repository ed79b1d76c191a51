import {
  answerOfRange,
  type CallAnswer,
  type ChainCall,
  callsOfRange,
  entryOf,
  type Hex,
  restOfRange,
} from "@millrace/protocols";
import { Effect, Result } from "effect";
import wordRanges from "../compiled/WordRanges.json" with { type: "json" };
import { badData, type RpcError } from "../rpc/RpcError.ts";
import { type BlockReader, callAll } from "./callAll.ts";
import { byteLength, readHex, toDigits } from "./hex.ts";

/** A call that stands for several. */
export type RangeCall = ChainCall & { readonly range: number };

/**
 * The answers of ranges of calls at the reader's block, in their order; undefined where a call of
 * the range fails. Many words come with one short request. Where a node refuses that, or a contract
 * needs more gas than it allows, each call is made as by `callAll`. Fails as `callAll` does.
 */
export const callRanges = Effect.fnUntraced(function* (
  reader: BlockReader,
  ranges: ReadonlyArray<RangeCall>,
): Effect.fn.Return<ReadonlyArray<CallAnswer>, RpcError> {
  const batches = yield* Effect.forEach(divide(ranges), (batch) => callBatch(reader, batch), {
    concurrency: BATCHES_IN_FLIGHT,
  });
  const answers = batches.flat();
  const open = [...answers.keys()].filter((index) => answers[index] === undefined);
  // A contract that fails mostly does so at its first call: then its other calls need not be made.
  const first = yield* callAll(
    reader,
    open.flatMap((index) => callsOfRange(ranges[index]!).slice(0, 1)),
  );
  const again = open.filter((_, at) => first[at] !== undefined);
  const calls = again.map((index) => callsOfRange(ranges[index]!));
  const each = yield* callAll(reader, calls.flat());
  let from = 0;
  for (const [at, index] of again.entries()) {
    const to = from + calls[at]!.length;
    answers[index] = answerOfRange(each.slice(from, to));
    from = to;
  }
  return answers;
});

const METHOD = "eth_call";
const BATCHES_IN_FLIGHT = 4;
/** Reading a word of a bitmap takes 3,000 to 12,000 gas, through a proxy or a lookup contract. */
const CALL_GAS = 50_000;
/** The whole of the finest bitmap, and some 20 million gas. */
const BATCH_CALLS = 7_000;
/** With the contract's code, a third of the maximum creation code (EIP-3860). */
const BATCH_RANGES = 200;
/** See the contract: the number of calls made, then for each word its place and the word. */
const NUMBER_DIGITS = 8;
const WORD_DIGITS = 64;
const ENTRY_DIGITS = NUMBER_DIGITS + WORD_DIGITS;
const FAILED = 0x80000000;

function divide(ranges: ReadonlyArray<RangeCall>): ReadonlyArray<ReadonlyArray<RangeCall>> {
  const batches: RangeCall[][] = [];
  let calls = Number.POSITIVE_INFINITY;
  for (const range of ranges) {
    calls += range.range;
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < BATCH_RANGES && calls <= BATCH_CALLS) {
      batch.push(range);
    } else {
      batches.push([range]);
      calls = range.range;
    }
  }
  return batches;
}

/** A range, and how much of it has been answered. */
interface Progress {
  readonly range: RangeCall;
  made: number;
  /** Undefined where a call failed. */
  entries: string | undefined;
}

/** Gives undefined, too, where the node refuses to answer in this way. */
const callBatch = Effect.fnUntraced(function* (
  reader: BlockReader,
  ranges: ReadonlyArray<RangeCall>,
): Effect.fn.Return<ReadonlyArray<CallAnswer>, RpcError> {
  const all = ranges.map((range): Progress => ({ range, made: 0, entries: "" }));
  for (let open = all; open.length > 0; open = open.filter(isOpen)) {
    const outcome = yield* Effect.result(request(reader, open));
    if (Result.isSuccess(outcome)) {
      if (outcome.success > 0) continue;
    } else if (!["Refused", "TooLarge"].includes(outcome.failure.reason)) {
      return yield* outcome.failure;
    }
    for (const progress of open) progress.entries = undefined;
    break;
  }
  return all.map(({ entries }) => (entries === undefined ? undefined : (`0x${entries}` as const)));
});

const isOpen = ({ range, made }: Progress) => made < range.range;

/**
 * Asks for the rest of the ranges, adds the answers to `open`, and gives the number of calls made.
 */
const request = Effect.fnUntraced(function* (
  { endpoint, blockHash, gas }: BlockReader,
  open: ReadonlyArray<Progress>,
): Effect.fn.Return<number, RpcError> {
  const limit = gas === undefined ? {} : { gas: `0x${gas.toString(16)}` };
  const call = { data: encodeRanges(open), ...limit };
  const raw = yield* endpoint.request(METHOD, [call, { blockHash }]);
  const data = readHex(raw);
  const made = data && takeAnswers(data, open);
  return made ?? (yield* badData(endpoint, METHOD, "not answers to ranges of calls"));
});

function encodeRanges(open: ReadonlyArray<Progress>): Hex {
  const texts = open.map(({ range, made }) => {
    const rest = restOfRange(range, made);
    const size = toDigits(byteLength(rest.data), 2);
    return `${rest.to.slice(2)}${toDigits(rest.range!, 4)}${size}${rest.data.slice(2)}`;
  });
  const body = texts.join("");
  return `${wordRanges.bytecode as Hex}${body}${toDigits(CALL_GAS, 4)}${toDigits(body.length / 2, 4)}`;
}

/** Undefined when the bytes are not such answers; entries written until then are not used. */
function takeAnswers(data: Hex, open: ReadonlyArray<Progress>): number | undefined {
  const digits = data.slice(2);
  if (digits.length % ENTRY_DIGITS !== NUMBER_DIGITS) return undefined;
  const made = Number.parseInt(digits.slice(0, NUMBER_DIGITS), 16);
  let start = 0;
  let at = NUMBER_DIGITS;
  let least = 0;
  for (const progress of open) {
    const count = progress.range.range - progress.made;
    for (; at < digits.length; at += ENTRY_DIGITS) {
      const number = Number.parseInt(digits.slice(at, at + NUMBER_DIGITS), 16);
      const place = number % FAILED;
      if (place >= start + count) break;
      if (place < least || place >= made) return undefined;
      least = place + 1;
      if (number !== place) progress.entries = undefined;
      else if (progress.entries !== undefined) {
        const word = digits.slice(at + NUMBER_DIGITS, at + ENTRY_DIGITS);
        progress.entries += entryOf(progress.made + place - start, word);
      }
    }
    progress.made += Math.max(0, Math.min(count, made - start));
    start += count;
  }
  return at === digits.length && made <= start ? made : undefined;
}
