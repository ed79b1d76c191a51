import type { BlockId } from "../follow/Header.ts";
import type { KnownRange } from "./KnownRange.ts";
import type { PublishedBlocks } from "./PublishedBlocks.ts";

/** What a reader knows after the first `messageCount` messages of `MarketSource.blocks`. */
export interface PublishedSoFar {
  readonly messageCount: number;
  /** Can be given as `ChainOptions.knownHistory` in the reader's next life. */
  readonly ranges: ReadonlyArray<PublishedKnown>;
}

/** A range, with the time of its first block. */
export interface PublishedKnown extends KnownRange {
  readonly fromMs: number;
  readonly blocks: ReadonlyArray<BlockId>;
}

/** There are two or three while the blocks between are read; more where an archive lost some. */
const RANGES_MAX = 64;
/** Number of hashes kept of a range: as many blocks as are ever followed from a snapshot. */
const BLOCKS_MAX = 1_024;

/** The blocks all of whose swaps were published, with the newest hashes of each range. */
export function publishedRanges(published: PublishedBlocks): ReadonlyArray<PublishedKnown> {
  return published.ranges.slice(-RANGES_MAX).flatMap(({ fromBlock, toBlock, fromMs }) => {
    const end = published.blocks.findLastIndex(({ number }) => number <= toBlock) + 1;
    const blocks = published.blocks
      .slice(Math.max(0, end - BLOCKS_MAX), end)
      .filter(({ number }) => number >= fromBlock);
    const last = blocks.at(-1);
    if (last === undefined) return [];
    return [{ fromBlock, toBlock: last.number, toHash: last.hash, fromMs, blocks }];
  });
}
