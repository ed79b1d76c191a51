import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { type BlockId, type Header, headerByNumber } from "../follow/Header.ts";
import { decodeLogs, type NodeLog } from "../reading/decodeLogs.ts";
import { LOG_COUNT_MAX } from "../reading/fetchCreations.ts";
import { writeQuantity } from "../reading/hex.ts";
import { rangeProblem } from "../reading/rangeProblem.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, RpcError } from "../rpc/RpcError.ts";

/** The logs of a range of blocks, and the headers at its ends. */
export interface ReadRange {
  readonly first: Header;
  readonly last: Header;
  readonly logs: ReadonlyArray<NodeLog>;
}

/**
 * The logs with one of the topics, from block `fromBlock` up to `to`, in the order of the chain.
 * Refused when the endpoint has another block in place of `to`, before or after the request. Fails
 * with BadData when the logs do not fit.
 */
export const readRange = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  topics: ReadonlySet<Hex>,
  fromBlock: number,
  to: BlockId,
): Effect.fn.Return<ReadRange, RpcError> {
  const last = yield* headerOf(endpoint, to);
  const first = yield* headerByNumber(endpoint, fromBlock);
  const method = "eth_getLogs";
  const filter = {
    fromBlock: writeQuantity(fromBlock),
    toBlock: writeQuantity(to.number),
    topics: [[...topics]],
  };
  const logs = decodeLogs(yield* endpoint.request(method, [filter]));
  if (typeof logs === "string") return yield* badData(endpoint, method, logs);
  if (logs.length >= LOG_COUNT_MAX) {
    const detail = `${logs.length} logs in ${to.number - fromBlock + 1} blocks`;
    return yield* new RpcError({ endpoint: endpoint.name, method, reason: "TooLarge", detail });
  }
  const asked = { fromBlock, toBlock: to.number, toHash: to.hash, addresses: undefined, topics };
  const problem = rangeProblem(logs, asked) ?? firstProblem(logs, first);
  if (problem !== undefined) return yield* badData(endpoint, method, problem);
  yield* headerOf(endpoint, to);
  return { first, last, logs };
});

/** The header of a block, if the endpoint has it in its chain. */
const headerOf = Effect.fnUntraced(function* (endpoint: Endpoint, { number, hash }: BlockId) {
  const header = yield* headerByNumber(endpoint, number);
  if (header.hash === hash) return header;
  const method = "eth_getBlockByNumber";
  const detail = `block ${number} is ${header.hash} there, not ${hash}`;
  return yield* new RpcError({ endpoint: endpoint.name, method, reason: "Refused", detail });
});

function firstProblem(logs: ReadonlyArray<NodeLog>, first: Header): string | undefined {
  const stranger = logs.some(
    ({ blockNumber, blockHash }) => blockNumber === first.number && blockHash !== first.hash,
  );
  return stranger ? `a log of another block ${first.number}` : undefined;
}
