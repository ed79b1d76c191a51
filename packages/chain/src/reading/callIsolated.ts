import { type CallAnswer, type ChainCall, EACH_BLOCK_GAS, type Hex } from "@millrace/protocols";
import { Effect, Result } from "effect";
import isolatedCalls from "../compiled/IsolatedCalls.json" with { type: "json" };
import { badData, type RpcError } from "../rpc/RpcError.ts";
import type { BlockReader } from "./callAll.ts";
import { byteLength, readHex, toDigits } from "./hex.ts";

/**
 * What contracts answer in one word at the reader's block, in the order of the calls. Undefined
 * where a contract answers otherwise, or needs more than EACH_BLOCK_GAS. Such contracts do not
 * delay the others: no call can spend another's gas, or change what it sees. A call that several
 * pools share is made once. Fails when the node cannot be reached, or does not know the block.
 */
export const callIsolated = Effect.fnUntraced(function* (
  reader: Pick<BlockReader, "endpoint" | "blockHash">,
  calls: ReadonlyArray<ChainCall>,
): Effect.fn.Return<ReadonlyArray<CallAnswer>, RpcError> {
  const { distinct, places } = withoutRepetition(calls);
  const batches = yield* Effect.forEach(divide(distinct), (batch) => callBatch(reader, batch), {
    concurrency: BATCHES_IN_FLIGHT,
  });
  const answers = batches.flat();
  return places.map((place) => answers[place]);
});

const METHOD = "eth_call";
const BATCHES_IN_FLIGHT = 4;
/** Maximum size of creation code (EIP-3860), and of a contract (EIP-170). */
const CREATION_BYTES_MAX = 49_152;
const CONTRACT_BYTES_MAX = 24_576;
/** See the contract: each call has its target and length, each answer a flag and the word. */
const CALL_HEAD_BYTES = 22;
const ANSWER_BYTES = 33;
const TRAILER_BYTES = 8;
const CALLS_MAX = Math.floor(CONTRACT_BYTES_MAX / ANSWER_BYTES);
const CALL_BYTES_MAX = CREATION_BYTES_MAX - TRAILER_BYTES - byteLength(isolatedCalls.bytecode);

/** Each call once, and the place of each given call among them. */
function withoutRepetition(calls: ReadonlyArray<ChainCall>) {
  const distinct: ChainCall[] = [];
  const placeByCall = new Map<ChainCall, number>();
  const placeByText = new Map<string, number>();
  const places = calls.map((call) => {
    // Equal calls are mostly the same object; then no text has to be made.
    let place = placeByCall.get(call);
    if (place !== undefined) return place;
    const text = `${call.to}${call.data}`;
    place = placeByText.get(text) ?? distinct.push(call) - 1;
    placeByCall.set(call, place);
    placeByText.set(text, place);
    return place;
  });
  return { distinct, places };
}

function divide(calls: ReadonlyArray<ChainCall>): ReadonlyArray<ReadonlyArray<ChainCall>> {
  const batches: ChainCall[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const call of calls) {
    const callBytes = CALL_HEAD_BYTES + byteLength(call.data);
    bytes += callBytes;
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < CALLS_MAX && bytes <= CALL_BYTES_MAX) {
      batch.push(call);
    } else {
      batches.push([call]);
      bytes = callBytes;
    }
  }
  return batches;
}

type Answers = Effect.Effect<ReadonlyArray<CallAnswer>, RpcError>;

const callBatch: (
  reader: Pick<BlockReader, "endpoint" | "blockHash">,
  calls: ReadonlyArray<ChainCall>,
) => Answers = Effect.fnUntraced(function* (reader, calls) {
  const answers: CallAnswer[] = [];
  let most = calls.length;
  while (answers.length < calls.length) {
    const asked = calls.slice(answers.length, answers.length + most);
    const outcome = yield* Effect.result(request(reader, asked));
    if (Result.isSuccess(outcome)) {
      answers.push(...outcome.success);
      if (outcome.success.length > 0) continue;
      return yield* badData(reader.endpoint, METHOD, "the node has too little gas for a call");
    }
    if (outcome.failure.reason !== "Refused" || asked.length === 1) return yield* outcome.failure;
    // The node's limits may be narrower than the chain's, if it can call at all at this block.
    yield* request(reader, []);
    most = asked.length >> 1;
  }
  return answers;
});

/** The answers to the first calls, as many as the node has gas for. */
const request = Effect.fnUntraced(function* (
  { endpoint, blockHash }: Pick<BlockReader, "endpoint" | "blockHash">,
  calls: ReadonlyArray<ChainCall>,
): Effect.fn.Return<ReadonlyArray<CallAnswer>, RpcError> {
  const raw = yield* endpoint.request(METHOD, [{ data: encodeCalls(calls) }, { blockHash }]);
  const data = readHex(raw);
  const answers = data && decodeAnswers(data, calls.length);
  return answers ?? (yield* badData(endpoint, METHOD, "not answers to isolated calls"));
});

function encodeCalls(calls: ReadonlyArray<ChainCall>): Hex {
  const texts = calls.map(
    ({ to, data }) => to.slice(2) + toDigits(byteLength(data), 2) + data.slice(2),
  );
  const body = texts.join("");
  const trailer = toDigits(EACH_BLOCK_GAS, 4) + toDigits(body.length / 2, 4);
  return `${isolatedCalls.bytecode as Hex}${body}${trailer}`;
}

/** Undefined when the bytes are not answers, or more than were asked for. */
function decodeAnswers(data: Hex, count: number): CallAnswer[] | undefined {
  const bytes = byteLength(data);
  if (bytes % ANSWER_BYTES !== 0 || bytes / ANSWER_BYTES > count) return undefined;
  const answers: CallAnswer[] = [];
  for (let at = 2; at < data.length; at += 2 * ANSWER_BYTES) {
    const isWord = data.startsWith("01", at);
    if (!isWord && !data.startsWith("00", at)) return undefined;
    answers.push(isWord ? `0x${data.slice(at + 2, at + 2 * ANSWER_BYTES)}` : undefined);
  }
  return answers;
}
