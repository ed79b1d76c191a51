import type { Hex } from "@millrace/protocols";
import type { BlockId, Header } from "../follow/Header.ts";

/** Consecutive blocks whose swaps have all been published. */
export interface PublishedRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Unix time of the first one, in ms. */
  readonly fromMs: number;
  /** Hash of the block before the first. */
  readonly parentHash: Hex;
}

/** Blocks whose swaps have not been published: from a number up to a block, both inclusive. */
export interface Gap {
  readonly fromBlock: number;
  readonly to: BlockId;
}

/** Number of newest hashes that are remembered; deeper blocks are never reverted one by one. */
const BLOCKS_MAX = 16_384;

/**
 * The blocks of the followed chain whose swaps were all published to the market's reader, as they
 * happened or later; and the blocks whose hashes the reader knows, so that they can be reverted.
 */
export class PublishedBlocks {
  /** Ascending. */
  readonly #blocks: BlockId[] = [];
  /** Ascending; between any two at least one block is missing. */
  #ranges: PublishedRange[] = [];
  #republishedTo = -1;

  /** The blocks whose hashes the reader knows, ascending. */
  get blocks(): ReadonlyArray<BlockId> {
    return this.#blocks;
  }

  /** Ranges all of whose swaps were published, ascending. */
  get ranges(): ReadonlyArray<PublishedRange> {
    return this.#ranges;
  }

  /** The market was published as of this block, without its swaps. */
  stoodAt({ number, hash }: BlockId): void {
    if (this.#blocks.at(-1)?.hash !== hash) this.#remember([{ number, hash }]);
  }

  /** The swaps of the block after the newest were published. */
  followed({ number, hash, parentHash, timestampMs }: Header): void {
    this.#remember([{ number, hash }]);
    this.#add({ fromBlock: number, toBlock: number, fromMs: timestampMs, parentHash });
  }

  /**
   * The swaps of a gap, or of its upper part, were published; `blocks`: some of its blocks,
   * ascending.
   */
  filled(range: PublishedRange, blocks: ReadonlyArray<BlockId>): void {
    this.#remember(blocks);
    this.#add(range);
  }

  /**
   * Forgets all blocks above a number. Gives the hashes of those that the reader knows, newest
   * first.
   */
  revertAfter(number: number): Hex[] {
    const orphaned: Hex[] = [];
    while ((this.#blocks.at(-1)?.number ?? number) > number)
      orphaned.push(this.#blocks.pop()!.hash);
    this.#ranges = this.#ranges
      .filter(({ fromBlock }) => fromBlock <= number)
      .map((range) => ({ ...range, toBlock: Math.min(range.toBlock, number) }));
    return orphaned;
  }

  /** The newest blocks from `fromBlock` up to the head that have not been published. */
  gapBelow(head: BlockId, fromBlock: number): Gap | undefined {
    let to: BlockId = { number: head.number, hash: head.hash };
    for (const range of this.#ranges.toReversed()) {
      if (range.toBlock < to.number) {
        return to.number < fromBlock
          ? undefined
          : { fromBlock: Math.max(fromBlock, range.toBlock + 1), to };
      }
      to = { number: range.fromBlock - 1, hash: range.parentHash };
    }
    return to.number < fromBlock ? undefined : { fromBlock, to };
  }

  /**
   * Marks these blocks, both inclusive, as unpublished, so that they are published again; also
   * those after them up to the next block whose hash is known.
   */
  republish(fromBlock: number, toBlock: number): void {
    const last = this.#blocks.find(({ number }) => number >= toBlock);
    this.#ranges = this.#ranges.flatMap((range) => {
      const to = last?.number ?? range.toBlock;
      if (range.toBlock < fromBlock || range.fromBlock > to) return [range];
      this.#republishedTo = Math.max(this.#republishedTo, Math.min(range.toBlock, to));
      const below = { ...range, toBlock: fromBlock - 1 };
      const above = last && { ...range, fromBlock: to + 1, parentHash: last.hash };
      const parts = above === undefined ? [below] : [below, above];
      return parts.filter((part) => part.fromBlock <= part.toBlock);
    });
  }

  /** True when the gap was published before. */
  isRepublished({ to }: Gap): boolean {
    return to.number <= this.#republishedTo;
  }

  /**
   * The last range, if it ends in this block; undefined where the block itself was not published.
   */
  rangeTo({ number }: BlockId): PublishedRange | undefined {
    const last = this.#ranges.at(-1);
    return last?.toBlock === number ? last : undefined;
  }

  #remember(blocks: ReadonlyArray<BlockId>): void {
    const [first] = blocks;
    if (first === undefined) return;
    const last = blocks.at(-1)!;
    const start = this.#blocks.findLastIndex(({ number }) => number < first.number) + 1;
    const end = this.#blocks.findLastIndex(({ number }) => number <= last.number) + 1;
    const known = this.#blocks.slice(start, end);
    const added = blocks.filter(({ hash }) => !known.some((block) => block.hash === hash));
    const all = [...known, ...added].sort((left, right) => left.number - right.number);
    this.#blocks.splice(start, end - start, ...all);
    if (this.#blocks.length > BLOCKS_MAX) this.#blocks.splice(0, this.#blocks.length - BLOCKS_MAX);
  }

  #add(added: PublishedRange): void {
    const last = this.#ranges.at(-1);
    // A followed block extends the last range: the usual case by far.
    if (last !== undefined && last.toBlock + 1 === added.fromBlock) {
      this.#ranges[this.#ranges.length - 1] = { ...last, toBlock: added.toBlock };
      return;
    }
    const joined: PublishedRange[] = [];
    for (const range of [...this.#ranges, added].sort((a, b) => a.fromBlock - b.fromBlock)) {
      const before = joined.at(-1);
      if (before === undefined || before.toBlock + 1 < range.fromBlock) joined.push(range);
      else {
        const toBlock = Math.max(before.toBlock, range.toBlock);
        joined[joined.length - 1] = { ...before, toBlock };
      }
    }
    this.#ranges = joined;
  }
}
