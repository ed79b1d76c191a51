import type { PastBlock } from "@millrace/core";

/**
 * A reader takes one message in one go, so no message has more swaps than this, unless one block
 * alone has more.
 */
const SWAPS_MAX = 1_000;

/** The blocks in their order, in messages of bounded size. */
export function inBatches(blocks: ReadonlyArray<PastBlock>): PastBlock[][] {
  const batches: PastBlock[][] = [];
  let swapCount = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    swapCount += block.swaps.length;
    if (swapCount <= SWAPS_MAX) batches.at(-1)!.push(block);
    else {
      batches.push([block]);
      swapCount = block.swaps.length;
    }
  }
  return batches;
}
