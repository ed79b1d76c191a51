import { type BlockStamp, NO_HASH } from "@millrace/core";
import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import type { PackedFlows } from "./packedFlows.ts";
import { FLOW_BYTES, readFlows, writeFlows } from "./packedFlows.ts";
import { readStamp, writeStamp } from "./savedStamp.ts";

/** The effects of this many newest blocks are kept, so that they can be undone … */
export const UNDONE_MOST = 512;
/** … while they have no more flows than this (40 MB) together; the newest block is always kept. */
export const UNDONE_FLOWS_MOST = 1_000_000;

// Roughly, for a stamp and its entries in the maps.
const RECORD_BYTES = 256;

/** A block whose swaps are counted; without flows, it is too old to be reverted. */
export interface BlockRecord {
  readonly stamp: BlockStamp;
  readonly flows: PackedFlows | undefined;
}

/**
 * The blocks that are counted. A chain has one block of each number: another of the same number
 * means that the first has left the chain. A block without a hash is not a block of a chain: it
 * gets no record.
 */
export class BlockRecords {
  readonly #byNumber = new Map<number, BlockRecord>();
  // Value: number.
  readonly #byHash = new Map<string, number>();
  /** The numbers of the blocks whose flows are kept. */
  readonly #kept = new Set<number>();
  #keptFlows = 0;
  #settledMs = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.#byNumber.size;
  }

  /** Roughly the bytes that they take in memory, or saved. */
  get byteLength(): number {
    return RECORD_BYTES * this.count + FLOW_BYTES * this.#keptFlows;
  }

  /**
   * The time of the newest block that cannot be reverted; minus infinity when all blocks can. The
   * chain never ends before it, with or without swaps in its blocks.
   */
  get settledMs(): number {
    return this.#settledMs;
  }

  /** The block of a hash, when it is counted. */
  find(hash: string): BlockRecord | undefined {
    const number = this.#byHash.get(hash);
    return number === undefined ? undefined : this.#byNumber.get(number);
  }

  /** Records a block, and drops the record of another with its number. */
  add(stamp: BlockStamp, flows: PackedFlows): void {
    if (stamp.hash === NO_HASH) {
      this.#settle(stamp);
      return;
    }
    const { number } = stamp;
    const before = this.#byNumber.get(number);
    if (before !== undefined) this.remove(before);
    this.#put({ stamp, flows });
    while (this.#isTooMuch()) this.#forgetFlows(Math.min(...this.#kept));
  }

  remove(record: BlockRecord): void {
    // The chain went below a block that could not be reverted: it may end there again.
    if (record.flows === undefined) {
      this.#settledMs = Math.min(this.#settledMs, record.stamp.timestampMs);
    }
    this.#forget(record);
  }

  /** Another block of the same number, which cannot be of the same chain. */
  rivalOf({ number, hash }: BlockStamp): BlockRecord | undefined {
    const record = this.#byNumber.get(number);
    return hash === NO_HASH || record?.stamp.hash === hash ? undefined : record;
  }

  /**
   * The blocks that a chain with this block cannot have: its rival, and all above the rival; the
   * newest first.
   */
  deniedBy(stamp: BlockStamp): BlockRecord[] {
    const rival = this.rivalOf(stamp);
    if (rival === undefined) return [];
    return [...this.above(stamp.number), rival];
  }

  /** Blocks above a number that can be undone, the newest first. */
  above(number: number): BlockRecord[] {
    const above = [...this.#kept].filter((other) => other > number).sort((a, b) => b - a);
    return above.map((other) => this.#byNumber.get(other)!);
  }

  /** All blocks are above a number, and some of them cannot be undone. */
  isBeyond(number: number): boolean {
    const isAbove = [...this.#byNumber.keys()].every((other) => other > number);
    return isAbove && this.#kept.size < this.count;
  }

  /** Forgets blocks before a time. */
  drop(beforeMs: number): void {
    for (const record of [...this.#byNumber.values()]) {
      if (record.stamp.timestampMs < beforeMs) this.#forget(record);
    }
  }

  /** Ascending by number, whatever order they came in. Nothing may change before it is done. */
  *write(writer: ByteWriter): Generator<void> {
    writer.number(this.#byNumber.size);
    const ascending = [...this.#byNumber.values()].sort((a, b) => a.stamp.number - b.stamp.number);
    for (const { stamp, flows } of ascending) {
      yield;
      writeStamp(writer, stamp);
      writer.number(flows === undefined ? 0 : 1);
      if (flows !== undefined) writeFlows(writer, flows);
    }
  }

  /** `pools` and `tokens`: how many there are of each. */
  static read(reader: ByteReader, pools: number, tokens: number): BlockRecords {
    const records = new BlockRecords();
    let count = 0;
    for (let left = reader.count(Number.MAX_SAFE_INTEGER); left > 0; left--) {
      const stamp = readStamp(reader);
      const hasFlows = reader.count(1) === 1;
      records.#put({ stamp, flows: hasFlows ? readFlows(reader, pools, tokens) : undefined });
      reader.check(records.#byNumber.size === ++count, "one block of each number");
    }
    reader.check(records.#byHash.size === count, "one block of each hash");
    reader.check(!records.#isTooMuch(), "no more than is kept");
    return records;
  }

  #put(record: BlockRecord): void {
    const { stamp, flows } = record;
    this.#byNumber.set(stamp.number, record);
    this.#byHash.set(stamp.hash, stamp.number);
    if (flows === undefined) {
      this.#settle(stamp);
      return;
    }
    this.#kept.add(stamp.number);
    this.#keptFlows += flows.values.length;
  }

  #settle({ timestampMs }: BlockStamp): void {
    if (timestampMs > this.#settledMs) this.#settledMs = timestampMs;
  }

  #forget({ stamp, flows }: BlockRecord): void {
    this.#byNumber.delete(stamp.number);
    this.#byHash.delete(stamp.hash);
    if (this.#kept.delete(stamp.number)) this.#keptFlows -= flows!.values.length;
  }

  #isTooMuch(): boolean {
    return (
      this.#kept.size > UNDONE_MOST || (this.#keptFlows > UNDONE_FLOWS_MOST && this.#kept.size > 1)
    );
  }

  #forgetFlows(number: number): void {
    const record = this.#byNumber.get(number)!;
    this.#kept.delete(number);
    this.#keptFlows -= record.flows!.values.length;
    this.#byNumber.set(number, { stamp: record.stamp, flows: undefined });
    this.#settle(record.stamp);
  }
}
