import { NO_HASH } from "@millrace/core";
import { type BlockCandles, OPEN, VALUES } from "./blockCandles.ts";
import { secondsOf } from "./SettledCandles.ts";
import { SubjectTable, subjectTableBytes } from "./SubjectTable.ts";

/** Blocks that are kept apart, so that a reorganisation can take them back, and one being added. */
const BLOCKS_MAX = 512 + 1;
const SUBJECTS_A_SLICE = 512;
const SUBJECT_BYTES = 4 + 8 * VALUES;
/** An object, its hash, two views and their buffer: measured below 700. */
const BLOCK_BYTES = 1_024;
/** A subject's number in the table: low bits count its blocks, high bits those with a price. */
const PRICED = 1 << 16;
const TABLE_SHARE = 1 / 4;

/** The trades of one subject in one block. */
export interface RecentTrade {
  readonly block: BlockCandles;
  readonly position: number;
}

/** The newest blocks, by number, each with its contribution to candles. */
export class RecentBlocks {
  readonly #blocks: BlockCandles[] = []; // numbers ascend
  readonly #counts: SubjectTable; // see PRICED
  readonly #subjectsMax: number;
  readonly #bytesMax: number;
  #subjectCount = 0; // of all blocks, each counted in each of its blocks

  constructor(budgetBytes: number) {
    let subjectsMax = 4;
    while (subjectTableBytes(2 * subjectsMax) <= TABLE_SHARE * budgetBytes) subjectsMax *= 2;
    this.#subjectsMax = subjectsMax;
    this.#counts = new SubjectTable(subjectsMax);
    this.#bytesMax = budgetBytes - subjectTableBytes(subjectsMax);
  }

  /** From the oldest to the newest. */
  get blocks(): ReadonlyArray<BlockCandles> {
    return this.#blocks;
  }

  /** Bytes of the blocks' contents and of their descriptions. */
  get byteLength(): number {
    return this.#blocks.length * BLOCK_BYTES + this.#subjectCount * SUBJECT_BYTES;
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#counts.clear();
    this.#subjectCount = 0;
  }

  /** Adds a block, and gives `settle` the blocks without room now, possibly the block itself. */
  add(block: BlockCandles, settle: (block: BlockCandles) => void): void {
    // Blocks without a hash cannot be told apart.
    if (block.stamp.hash !== NO_HASH && this.#find(block.stamp.hash) >= 0) return;
    while (!this.#hasRoom(block)) {
      const oldest = this.#blocks[0];
      if (oldest === undefined || oldest.stamp.number > block.stamp.number) return settle(block);
      this.#remove(0);
      settle(oldest);
    }
    let position = this.#blocks.length;
    while (position > 0 && this.#blocks[position - 1]!.stamp.number > block.stamp.number)
      position--;
    this.#blocks.splice(position, 0, block);
    this.#count(block, 1);
  }

  /**
   * Gives `settle` the oldest blocks, part by part, until there is room for another block of the
   * size of the newest. No subject's candles change: what leaves here is settled.
   */
  *settleOldest(newest: BlockCandles, settle: (block: BlockCandles) => void): Generator<void> {
    while (this.#blocks.length > 1 && !this.#hasRoom(newest)) {
      const oldest = this.#blocks[0]!;
      const part = subjectsOf(oldest, 0, SUBJECTS_A_SLICE);
      this.#count(part, -1);
      if (part.subjects.length === oldest.subjects.length) this.#blocks.shift();
      else this.#blocks[0] = subjectsOf(oldest, SUBJECTS_A_SLICE, oldest.subjects.length);
      settle(part);
      yield;
    }
  }

  /** Removes a block. */
  undo(hash: string): void {
    const position = this.#find(hash);
    if (position >= 0) this.#remove(position);
  }

  /** True when one of the blocks has a price of the subject. */
  has(subject: number): boolean {
    return this.#counts.get(subject) >= PRICED;
  }

  /** The subject's trades in blocks between two times (in seconds), the newest first. */
  of(subject: number, from: number, to: number): RecentTrade[] {
    const found: RecentTrade[] = [];
    let wanted = Math.max(0, this.#counts.get(subject)) % PRICED;
    for (let index = this.#blocks.length - 1; index >= 0 && wanted > 0; index--) {
      const block = this.#blocks[index]!;
      const seconds = secondsOf(block);
      if (seconds < from || seconds > to) continue;
      const position = positionOf(block.subjects, subject);
      if (position < 0) continue;
      found.push({ block, position });
      wanted--;
    }
    return found.sort((a, b) => b.block.stamp.timestampMs - a.block.stamp.timestampMs);
  }

  #hasRoom(block: BlockCandles): boolean {
    const subjects = this.#subjectCount + block.subjects.length;
    const blocks = this.#blocks.length + 1;
    return (
      blocks <= BLOCKS_MAX &&
      subjects <= this.#subjectsMax &&
      blocks * BLOCK_BYTES + subjects * SUBJECT_BYTES <= this.#bytesMax
    );
  }

  #find(hash: string): number {
    return this.#blocks.findLastIndex((block) => block.stamp.hash === hash);
  }

  #remove(index: number): void {
    const [block] = this.#blocks.splice(index, 1);
    this.#count(block!, -1);
  }

  #count(block: BlockCandles, sign: 1 | -1): void {
    this.#subjectCount += sign * block.subjects.length;
    for (let position = 0; position < block.subjects.length; position++) {
      const subject = block.subjects[position]!;
      const isPriced = block.values[VALUES * position + OPEN]! > 0;
      const count = Math.max(0, this.#counts.get(subject)) + sign * (isPriced ? PRICED + 1 : 1);
      if (count === 0) this.#counts.delete(subject);
      else this.#counts.set(subject, count);
    }
  }
}

/** A part of a block: some of its subjects. */
function subjectsOf({ stamp, subjects, values }: BlockCandles, from: number, to: number) {
  return {
    stamp,
    subjects: subjects.subarray(from, to),
    values: values.subarray(VALUES * from, VALUES * to),
  };
}

/** The position of a number among ascending ones; -1 when it is absent. */
function positionOf(ascending: Uint32Array, wanted: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = ascending[middle]!;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
