import type { Address } from "@millrace/core";
import type { CallAnswer, ChainCall, Hex } from "@millrace/protocols";
import { Effect, Result } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import { readHex } from "./hex.ts";
import { aggregateBytes, decodeAggregate, encodeAggregate } from "./multicall.ts";

/** Where contracts are read: through which endpoint, at which block. */
export interface BlockReader {
  readonly endpoint: Endpoint;
  readonly blockHash: Hex;
  /** Address of Multicall3. */
  readonly multicall: Address;
  /** Gas limit of a whole request; default: what the node allows. */
  readonly gas?: number;
}

/** About 10 million gas of cold storage reads, and half a megabyte of answers: nodes allow more. */
export const BATCH_CALLS = 1_000;
/** Twice as many hex characters must pass proxies that allow a megabyte. */
const BATCH_BYTES = 400_000;
const BATCHES_IN_FLIGHT = 4;

/** Failures of a batch that a shorter one may avoid: gas, time, the size of the answer. */
const DIVISIBLE: ReadonlySet<RpcError["reason"]> = new Set(["Refused", "TooLarge"]);

/**
 * What contracts answer at the reader's block, in the order of the calls. Undefined where the
 * contract reverts, or cannot be called within the node's limits. One contract's failure is never
 * taken for another's. Fails when the node cannot be reached, does not know the block, or has no
 * Multicall3 there.
 */
export const callAll = Effect.fnUntraced(function* (
  reader: BlockReader,
  calls: ReadonlyArray<ChainCall>,
) {
  const batches = yield* Effect.forEach(divide(calls), (batch) => callBatch(reader, batch), {
    concurrency: BATCHES_IN_FLIGHT,
  });
  return batches.flat();
});

function divide(calls: ReadonlyArray<ChainCall>): ReadonlyArray<ReadonlyArray<ChainCall>> {
  const batches: ChainCall[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const call of calls) {
    const batch = batches.at(-1);
    bytes += aggregateBytes(call);
    if (batch !== undefined && batch.length < BATCH_CALLS && bytes <= BATCH_BYTES) batch.push(call);
    else {
      batches.push([call]);
      bytes = aggregateBytes(call);
    }
  }
  return batches;
}

/**
 * A single call counts as its contract's fault after this many refusals by a node that can call.
 * With half of the nodes behind a balancer a block late, about one in ten thousand such calls is
 * blamed wrongly.
 */
const REFUSALS_HEARD = 6;

type Answers = Effect.Effect<ReadonlyArray<CallAnswer>, RpcError>;

const callBatch: (reader: BlockReader, calls: ReadonlyArray<ChainCall>) => Answers =
  Effect.fnUntraced(function* (reader, calls) {
    const answer = yield* Effect.result(aggregate(reader, calls));
    if (Result.isSuccess(answer)) return yield* askAgain(reader, calls, answer.success);
    if (!DIVISIBLE.has(answer.failure.reason)) return yield* answer.failure;
    if (calls.length === 1) return yield* callRefused(reader, calls);
    const middle = Math.ceil(calls.length / 2);
    const first = yield* callBatch(reader, calls.slice(0, middle));
    return [...first, ...(yield* callBatch(reader, calls.slice(middle)))];
  });

/**
 * Calls that failed in a batch are repeated alone: a contract before them may have burnt the gas
 * that they needed.
 */
const askAgain = Effect.fnUntraced(function* (
  reader: BlockReader,
  calls: ReadonlyArray<ChainCall>,
  answers: ReadonlyArray<CallAnswer>,
) {
  if (calls.length === 1 || !answers.includes(undefined)) return answers;
  const settled = [...answers];
  for (const [index, answer] of answers.entries()) {
    if (answer === undefined) settled[index] = (yield* callBatch(reader, [calls[index]!]))[0];
  }
  return settled;
});

/**
 * A call that is refused even alone is its contract's fault only if the node can call at all at
 * this block: the node may not know the block, or no longer have its state, and says so in its own
 * words. Behind a balancer, one answer may come from one node and the next from a node that lags,
 * so both requests are repeated in turn.
 */
const callRefused = Effect.fnUntraced(function* (
  reader: BlockReader,
  call: ReadonlyArray<ChainCall>,
) {
  for (let heard = 0; heard < REFUSALS_HEARD; heard++) {
    yield* aggregate(reader, []);
    const again = yield* Effect.result(aggregate(reader, call));
    if (Result.isSuccess(again)) return again.success;
    if (!DIVISIBLE.has(again.failure.reason)) return yield* again.failure;
  }
  return [undefined];
});

const aggregate = Effect.fnUntraced(function* (
  { endpoint, blockHash, multicall, gas }: BlockReader,
  calls: ReadonlyArray<ChainCall>,
): Effect.fn.Return<ReadonlyArray<CallAnswer>, RpcError> {
  const method = "eth_call";
  const limit = gas === undefined ? {} : { gas: `0x${gas.toString(16)}` };
  const call = { to: multicall, data: encodeAggregate(calls), ...limit };
  const raw = yield* endpoint.request(method, [call, { blockHash }]);
  const data: Hex | undefined = readHex(raw);
  if (data === "0x") return yield* badData(endpoint, method, `no Multicall3 at ${multicall}`);
  const answers = data && decodeAggregate(data, calls.length);
  return answers ?? (yield* badData(endpoint, method, "not what Multicall3 returns"));
});
