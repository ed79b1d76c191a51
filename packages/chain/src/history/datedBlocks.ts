import type { BlockStamp } from "@millrace/core";
import type { ChainLog } from "@millrace/protocols";
import { Effect } from "effect";
import { headerByNumber } from "../follow/Header.ts";
import type { NodeLog } from "../reading/decodeLogs.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import type { ReadRange } from "./readRange.ts";

/** A block of a range, with those of its logs that are of interest. */
export interface LoggedBlock {
  readonly stamp: BlockStamp;
  readonly logs: ReadonlyArray<ChainLog>;
}

const CONCURRENT_HEADERS = 4;

/**
 * The blocks of the logs of a range, ascending. Their times come from the logs, if every log has
 * one, none goes back, and all lie between the times of the ends; otherwise from the headers.
 */
export const datedBlocks = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  { first, last }: Pick<ReadRange, "first" | "last">,
  logs: ReadonlyArray<NodeLog>,
): Effect.fn.Return<ReadonlyArray<LoggedBlock>, RpcError> {
  const groups = [...Map.groupBy(logs, ({ blockHash }) => blockHash).values()];
  const times = emittedTimes(groups, { first, last }) ?? (yield* headerTimes(endpoint, groups));
  return groups.map((group, index) => {
    const { blockNumber: number, blockHash: hash } = group[0]!;
    const stamp = { number, hash, timestampMs: times[index]! };
    return { stamp, logs: group.map(({ log }) => log) };
  });
});

function emittedTimes(
  groups: ReadonlyArray<ReadonlyArray<NodeLog>>,
  { first, last }: Pick<ReadRange, "first" | "last">,
): ReadonlyArray<number> | undefined {
  const times: number[] = [];
  let before = first.timestampMs;
  for (const group of groups) {
    const { blockNumber, timestampMs } = group[0]!;
    if (timestampMs === undefined || timestampMs < before) return undefined;
    if (timestampMs > last.timestampMs) return undefined;
    if (blockNumber === first.number && timestampMs !== first.timestampMs) return undefined;
    if (blockNumber === last.number && timestampMs !== last.timestampMs) return undefined;
    if (group.some((log) => log.timestampMs !== timestampMs)) return undefined;
    times.push(timestampMs);
    before = timestampMs;
  }
  return times;
}

const headerTimes = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  groups: ReadonlyArray<ReadonlyArray<NodeLog>>,
) {
  return yield* Effect.forEach(
    groups,
    Effect.fnUntraced(function* ([log]) {
      const { blockNumber, blockHash } = log!;
      const { hash, timestampMs } = yield* headerByNumber(endpoint, blockNumber);
      if (hash === blockHash) return timestampMs;
      return yield* badData(endpoint, "eth_getLogs", `a log of another block ${blockNumber}`);
    }),
    { concurrency: CONCURRENT_HEADERS },
  );
});
