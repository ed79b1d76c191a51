import type { BlockId } from "../follow/Header.ts";
import type { KnownRange } from "./KnownRange.ts";
import type { PublishedBlocks } from "./PublishedBlocks.ts";

/** What a reader knows that took on the first so many messages of `MarketSource.blocks`. */
export interface PublishedSoFar {
  readonly messageCount: number;
  /** What it may be given as `ChainOptions.knownHistory` in its next life. */
  readonly ranges: ReadonlyArray<PublishedKnown>;
}

/** A range, with the time of its first block. */
export interface PublishedKnown extends KnownRange {
  readonly fromMs: number;
  readonly blocks: ReadonlyArray<BlockId>;
}

/** There are two, or three, while what lies between is read; more where an archive lost some. */
const RANGES_MAX = 64;
/** As many blocks as are ever followed from a snapshot are looked for one by one. */
const BLOCKS_MAX = 1_024;

/** The blocks all of whose swaps were published, and the hashes of the newest of each range. */
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
