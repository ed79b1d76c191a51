import type { Address } from "@millrace/core";
import type { ChainLog, Hex } from "@millrace/protocols";
import type { NodeLog } from "./decodeLogs.ts";

/** What `eth_getLogs` was asked for: a range of blocks, both ends inclusive. */
export interface AskedRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Hash of the last block. */
  readonly toHash: Hex;
  /** Undefined: logs of any contract. */
  readonly addresses: ReadonlySet<Address> | undefined;
  readonly topics: ReadonlySet<Hex | undefined>;
}

/** Why logs cannot be the answer to the question; undefined when nothing speaks against it. */
export function rangeProblem(
  logs: ReadonlyArray<NodeLog>,
  { fromBlock, toBlock, toHash, addresses, topics }: AskedRange,
): string | undefined {
  const isAskedFor = ({ address, topics: [topic] }: ChainLog) =>
    (addresses === undefined || addresses.has(address)) && topics.has(topic);
  let last: NodeLog | undefined;
  for (const next of logs) {
    const { blockNumber, blockHash, log, removed } = next;
    if (removed) return "a log that was reverted";
    if (!isAskedFor(log)) return "a log not asked for";
    if (blockNumber < fromBlock || blockNumber > toBlock) {
      return `a log of block ${blockNumber} in ${fromBlock} to ${toBlock}`;
    }
    if (blockNumber === toBlock && blockHash !== toHash) {
      return `a log of another block ${blockNumber}`;
    }
    if (last !== undefined && blockNumber < last.blockNumber) return "logs without order";
    if (last !== undefined && blockNumber === last.blockNumber) {
      if (blockHash !== last.blockHash) return `logs of two blocks ${blockNumber}`;
      if (log.logIndex <= last.log.logIndex) return "logs without order, or twice";
    }
    last = next;
  }
  return undefined;
}
