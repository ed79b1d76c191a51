import type { Condition } from "../follow/Following.ts";
import type { Mirror } from "../follow/Mirror.ts";
import type { KnownRange } from "./KnownRange.ts";

/** What a reader knows that took on the first so many messages of `MarketSource.blocks`. */
export interface ToldSoFar {
  readonly messageCount: number;
  /** What it may be given as `ChainOptions.knownHistory` in its next life. */
  readonly ranges: ReadonlyArray<KnownRange>;
}

/** Blocks below the head that are so deep are hardly ever taken back. */
const SETTLED_BLOCKS = 64;

/**
 * The blocks up to the head all of whose swaps were told; and the same up to an older block, should
 * the head be taken back before anybody asks. As long as there is none, what the reader knew before.
 */
export function toldRanges(
  { head, told }: Mirror,
  { confirmed = [] }: Condition,
): ReadonlyArray<KnownRange> {
  const fromBlock = head === undefined ? undefined : told.fromBlock(head);
  if (head === undefined || fromBlock === undefined) return confirmed;
  const settled = told.heard.findLast(({ number }) => number <= head.number - SETTLED_BLOCKS);
  return [head, settled].flatMap((to) =>
    to === undefined || to.number < fromBlock
      ? []
      : [{ fromBlock, toBlock: to.number, toHash: to.hash }],
  );
}
