import type { Hex } from "@millrace/protocols";
import type { BlockId, Header } from "../follow/Header.ts";

/** Blocks one after the other whose swaps have all been told. */
export interface PublishedRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Unix time of the first one, in ms. */
  readonly fromMs: number;
  /** Hash of the block before the first. */
  readonly parentHash: Hex;
}

/** Blocks whose swaps have not been told: from a number up to a block, both inclusive. */
export interface Gap {
  readonly fromBlock: number;
  readonly to: BlockId;
}

/** So many hashes are remembered, the newest: deeper down nothing can be taken back one by one. */
const BLOCKS_MAX = 16_384;

/**
 * Of which blocks of the followed chain the market's reader was told all swaps, when they happened
 * or later; and which blocks it has heard of by their hash, so that they can be taken back.
 */
export class PublishedBlocks {
  /** Ascending. */
  readonly #heard: BlockId[] = [];
  /** Ascending; between any two at least one block is missing. */
  #ranges: PublishedRange[] = [];

  /** The blocks that the reader has heard of, ascending. */
  get blocks(): ReadonlyArray<BlockId> {
    return this.#heard;
  }

  /** All of whose swaps it was told, ascending. */
  get ranges(): ReadonlyArray<PublishedRange> {
    return this.#ranges;
  }

  /** The reader was told that the market now stands at this block, and nothing of its swaps. */
  stoodAt({ number, hash }: BlockId): void {
    if (this.#heard.at(-1)?.hash !== hash) this.#hear([{ number, hash }]);
  }

  /** The swaps of the block after the newest were told. */
  followed({ number, hash, parentHash, timestampMs }: Header): void {
    this.#hear([{ number, hash }]);
    this.#add({ fromBlock: number, toBlock: number, fromMs: timestampMs, parentHash });
  }

  /** The swaps of a gap, or its upper part, were told; `blocks` are some of its blocks, ascending. */
  filled(range: PublishedRange, blocks: ReadonlyArray<BlockId>): void {
    this.#hear(blocks);
    this.#add(range);
  }

  /** Forgets all blocks above a number; the hashes of those that were heard of, newest first. */
  revertAfter(number: number): Hex[] {
    const orphaned: Hex[] = [];
    while ((this.#heard.at(-1)?.number ?? number) > number) orphaned.push(this.#heard.pop()!.hash);
    this.#ranges = this.#ranges
      .filter(({ fromBlock }) => fromBlock <= number)
      .map((range) => ({ ...range, toBlock: Math.min(range.toBlock, number) }));
    return orphaned;
  }

  /** The newest blocks from a number on, up to the head, that have not been told. */
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

  /** The blocks up to one that were told without a gap; undefined where it was not told itself. */
  rangeTo({ number }: BlockId): PublishedRange | undefined {
    const last = this.#ranges.at(-1);
    return last?.toBlock === number ? last : undefined;
  }

  #hear(blocks: ReadonlyArray<BlockId>): void {
    const [first] = blocks;
    if (first === undefined) return;
    const last = blocks.at(-1)!;
    const start = this.#heard.findLastIndex(({ number }) => number < first.number) + 1;
    const end = this.#heard.findLastIndex(({ number }) => number <= last.number) + 1;
    const known = this.#heard.slice(start, end);
    const added = blocks.filter(({ hash }) => !known.some((block) => block.hash === hash));
    const all = [...known, ...added].sort((left, right) => left.number - right.number);
    this.#heard.splice(start, end - start, ...all);
    if (this.#heard.length > BLOCKS_MAX) this.#heard.splice(0, this.#heard.length - BLOCKS_MAX);
  }

  #add(added: PublishedRange): void {
    const last = this.#ranges.at(-1);
    // What is followed goes on where it was: the usual case by far.
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
