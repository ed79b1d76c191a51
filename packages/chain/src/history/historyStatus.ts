import type { HistoryStatus } from "@millrace/core";
import type { Condition } from "../follow/Following.ts";
import type { Mirror } from "../follow/Mirror.ts";

/** Since when every swap has been published, and whether more of the past is still to come. */
export function historyStatus(
  { head, published, resetCount }: Mirror,
  { wanted }: Condition,
  historyMs: number,
): HistoryStatus {
  if (head === undefined) return { sinceMs: undefined, isComplete: false };
  const isRead =
    wanted?.resetCount === resetCount && published.gapBelow(head, wanted.fromBlock) === undefined;
  const range = published.rangeTo(head);
  // Earlier blocks are for the archive alone.
  if (isRead && range !== undefined && range.fromBlock < wanted.fromBlock) {
    return { sinceMs: wanted.fromMs, isComplete: true };
  }
  const fromMs = range?.fromMs ?? head.timestampMs;
  // Swaps of the block that the market was read at are not published yet; and until it is checked,
  // the block before the first published one may be of the same second.
  const isFirst = isRead && range?.fromBlock === wanted.fromBlock;
  return { sinceMs: isFirst ? fromMs : fromMs + 1, isComplete: historyMs === 0 || isRead };
}

export interface ArchiveProgress {
  readonly headBlock: number;
  /** The first wanted block. */
  readonly fromBlock: number;
  /** The newest missing block; undefined when none is missing. */
  readonly missingTo: number | undefined;
}

export function archiveProgress(
  { head, published, resetCount }: Mirror,
  { wanted }: Condition,
): ArchiveProgress | undefined {
  if (head === undefined || wanted?.resetCount !== resetCount) return undefined;
  const { archiveFromBlock: fromBlock } = wanted;
  const gap = published.gapBelow(head, fromBlock);
  return { headBlock: head.number, fromBlock, missingTo: gap?.to.number };
}
