import type { ChainLog, Hex } from "@millrace/protocols";
import { Effect } from "effect";
import type { Completeness, CompletenessProof } from "../ChainOptions.ts";
import { decodeLogs } from "../reading/decodeLogs.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import type { Header } from "./Header.ts";
import { bloomMayHold, logsBloom } from "./logsBloom.ts";
import { provedLogs } from "./provedLogs.ts";

/** When sampling, one block in this many is proved complete. */
const SAMPLE = 16;

/** Gives the followed logs of a block, proved complete as configured. */
export type BlockLogs = (
  endpoint: Endpoint,
  header: Header,
) => Effect.Effect<ReadonlyArray<ChainLog>, RpcError>;

/**
 * Gives the logs of a block whose first topic is followed, in order. They are asked for by block
 * hash, so that no reorganisation can interfere. Fails with BadData when they are another block's,
 * out of order, reverted, or incomplete.
 */
export function makeBlockLogs(
  followedTopics: ReadonlySet<Hex>,
  completeness: Completeness,
  proof: CompletenessProof,
): BlockLogs {
  const followed = (logs: ReadonlyArray<ChainLog>) =>
    logs.filter(({ topics }) => topics[0] !== undefined && followedTopics.has(topics[0]));
  const prove = proof === "receipts" ? provedLogs : logsWithBloom;
  const whole: BlockLogs = (endpoint, header) => Effect.map(prove(endpoint, header), followed);
  const part: BlockLogs = (endpoint, header) =>
    Effect.map(readLogs(endpoint, header, [...followedTopics]), followed);

  switch (completeness) {
    case "always":
      return whole;
    case "never":
      return part;
    case "sampled":
      return (endpoint, header) =>
        // By hash, not by number: a node must not foresee which blocks are checked.
        (Number.parseInt(header.hash.slice(-4), 16) % SAMPLE === 0 ? whole : part)(
          endpoint,
          header,
        );
    case "suspicion":
      return (endpoint, header) =>
        Effect.flatMap(part(endpoint, header), (logs) => {
          const isSuspect = [...followedTopics].some(
            (topic) =>
              bloomMayHold(header.logsBloom, topic) &&
              !logs.some(({ topics }) => topics[0] === topic),
          );
          return isSuspect ? whole(endpoint, header) : Effect.succeed(logs);
        });
  }
}

/** All logs of a block: they are numbered without a gap and give its bloom. */
const logsWithBloom: BlockLogs = (endpoint, header) =>
  Effect.flatMap(readLogs(endpoint, header, undefined), (logs) => {
    const problem = incompleteness(logs, header);
    return problem === undefined
      ? Effect.succeed(logs)
      : Effect.fail(badLogs(endpoint, header, problem));
  });

const readLogs = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  header: Header,
  topics: ReadonlyArray<Hex> | undefined,
) {
  const filter = { blockHash: header.hash, ...(topics === undefined ? {} : { topics: [topics] }) };
  const decoded = decodeLogs(yield* endpoint.request("eth_getLogs", [filter]));
  if (typeof decoded === "string") return yield* badLogs(endpoint, header, decoded);
  let last = -1;
  for (const { log, blockHash, removed } of decoded) {
    if (blockHash !== header.hash) {
      return yield* badLogs(endpoint, header, `a log of block ${blockHash}`);
    }
    if (removed) return yield* badLogs(endpoint, header, "a log that was reverted");
    if (log.logIndex <= last) {
      return yield* badLogs(endpoint, header, `log ${log.logIndex} after log ${last}`);
    }
    last = log.logIndex;
  }
  return decoded.map(({ log }) => log);
});

/** Why these logs cannot be complete; undefined when nothing speaks against it. */
function incompleteness(logs: ReadonlyArray<ChainLog>, header: Header): string | undefined {
  const gap = logs.findIndex(({ logIndex }, index) => logIndex !== index);
  if (gap !== -1) return `log ${gap} is missing`;
  // A Bloom filter cannot prove that a log is absent, but all logs together must give all its bits.
  return logsBloom(logs) === header.logsBloom ? undefined : "the bloom is not that of the logs";
}

function badLogs(endpoint: Endpoint, { number, hash }: Header, problem: string): RpcError {
  const detail = `logs of block ${number} ${hash}: ${problem}`;
  return badData(endpoint, "eth_getLogs", detail);
}
