import type { HistoryStanding } from "../history/NetworkHistory.ts";
import type { NetworkMetric } from "./NetworkMetric.ts";

/** Metrics of the stored histories of networks. */
export const KEPT_HISTORY_METRICS: ReadonlyArray<NetworkMetric> = [
  kept(
    "behind_seconds",
    "How long the oldest swap has waited to be kept.",
    "gauge",
    (standing) => standing.behindMs / 1_000,
  ),
  kept(
    "waiting_swaps",
    "Swaps that wait to be kept.",
    "gauge",
    (standing) => standing.waitingSwaps,
  ),
  kept(
    "gaps",
    "Ranges of blocks between others that are not kept.",
    "gauge",
    ({ gaps }) => gaps.length,
  ),
  kept(
    "failures_total",
    "Writes that failed and were tried again.",
    "counter",
    (standing) => standing.failures,
  ),
  kept(
    "dropped_blocks_total",
    "Blocks that found no room to wait; they are read again.",
    "counter",
    (standing) => standing.droppedBlocks,
  ),
];

/** A metric of a history on a disk, or in a database. */
function kept(
  name: string,
  help: string,
  type: NetworkMetric["type"],
  read: (standing: HistoryStanding) => number,
): NetworkMetric {
  const sample = (standing: HistoryStanding | undefined) =>
    standing === undefined ? [] : [{ value: read(standing) }];
  return {
    name: `millrace_history_kept_${name}`,
    type,
    help,
    read: ({ market }, nowMs) => sample(market?.past?.standing(nowMs)),
  };
}
