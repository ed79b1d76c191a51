import type { HistoryStatus } from "@millrace/core";
import type { Condition } from "../follow/Following.ts";
import type { Mirror } from "../follow/Mirror.ts";

/** Since when every swap has been told, and whether more of the past is wanted. */
export function historyStatus(
  { head, told, resetCount }: Mirror,
  { wanted }: Condition,
  historyMs: number,
): HistoryStatus {
  if (head === undefined) return { sinceMs: undefined, isComplete: false };
  const isComplete =
    historyMs === 0 ||
    (wanted?.resetCount === resetCount && told.gapBelow(head, wanted.fromBlock) === undefined);
  // Of the block itself that the market was read at nothing is told yet.
  return { sinceMs: told.sinceMs(head) ?? head.timestampMs, isComplete };
}
