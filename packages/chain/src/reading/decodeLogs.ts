import type { Address } from "@millrace/core";
import type { ChainLog, Hex } from "@millrace/protocols";
import { readHex, readSafeInteger } from "./hex.ts";

/** A node's log, with the block that it names. */
export interface NodeLog {
  readonly log: ChainLog;
  readonly blockHash: Hex;
  readonly blockNumber: number;
  /** The node marks the log as reverted by a reorganisation. */
  readonly removed: boolean;
  /** Time of its block, if the log tells it. */
  readonly timestampMs: number | undefined;
}

const TOPICS_MAX = 4;

/**
 * The answer of `eth_getLogs`, checked for its form only; the caller checks that the logs are those
 * asked for. Gives a text instead when the form is wrong: the problem, in words of ours.
 */
export function decodeLogs(raw: unknown): ReadonlyArray<NodeLog> | string {
  if (!Array.isArray(raw)) return "the logs are no list";
  const logs: NodeLog[] = [];
  for (let index = 0; index < raw.length; index++) {
    const log = decodeLog(raw[index]);
    if (typeof log === "string") return `log ${index} of ${raw.length}: ${log}`;
    logs.push(log);
  }
  return logs;
}

function decodeLog(raw: unknown): NodeLog | string {
  if (typeof raw !== "object" || raw === null) return "no object";
  const fields = raw as Readonly<Record<string, unknown>>;
  const address = readHex(fields["address"], 20) as Address | undefined;
  if (address === undefined) return "address is none";
  const topics = decodeTopics(fields["topics"]);
  if (topics === undefined) return "topics are none";
  const data = readHex(fields["data"]);
  if (data === undefined) return "data is no bytes";
  const transactionHash = readHex(fields["transactionHash"], 32);
  if (transactionHash === undefined) return "transactionHash is no hash";
  const logIndex = readSafeInteger(fields["logIndex"]);
  if (logIndex === undefined) return "logIndex is no number";
  const blockHash = readHex(fields["blockHash"], 32);
  if (blockHash === undefined) return "blockHash is no hash";
  const blockNumber = readSafeInteger(fields["blockNumber"]);
  if (blockNumber === undefined) return "blockNumber is no number";
  const removed = fields["removed"] ?? false;
  if (typeof removed !== "boolean") return "removed is neither true nor false";
  const log = { address, topics, data, transactionHash, logIndex };
  const seconds = readSafeInteger(fields["blockTimestamp"]);
  const timestampMs = seconds === undefined ? undefined : seconds * 1_000;
  return { log, blockHash, blockNumber, removed, timestampMs };
}

function decodeTopics(raw: unknown): ReadonlyArray<Hex> | undefined {
  if (!Array.isArray(raw) || raw.length > TOPICS_MAX) return undefined;
  const topics: Hex[] = [];
  for (const value of raw) {
    const topic = readHex(value, 32);
    if (topic === undefined) return undefined;
    topics.push(topic);
  }
  return topics;
}
