import { type BlockStamp, NO_HASH } from "@millrace/core";
import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import type { PackedFlows } from "./packedFlows.ts";
import { readFlows, writeFlows } from "./packedFlows.ts";
import { readStamp, writeStamp } from "./savedStamp.ts";

/** What the newest so many blocks did is kept, to be undone. */
export const UNDONE_MOST = 512;

/** A block whose swaps are counted; without its flows, it is too old to be taken back. */
export interface BlockRecord {
  readonly stamp: BlockStamp;
  readonly flows: PackedFlows | undefined;
}

/**
 * Which blocks are counted. A chain has one block of each number: another one of the same number
 * tells that the first is no longer of the chain. A block without a hash is no block of a chain:
 * nothing is recorded of it.
 */
export class BlockRecords {
  readonly #byNumber = new Map<number, BlockRecord>();
  // Value: number.
  readonly #byHash = new Map<string, number>();
  /** The numbers of the blocks whose flows are kept. */
  readonly #kept = new Set<number>();

  get count(): number {
    return this.#byNumber.size;
  }

  /** The block of a hash, when it is counted. */
  find(hash: string): BlockRecord | undefined {
    const number = this.#byHash.get(hash);
    return number === undefined ? undefined : this.#byNumber.get(number);
  }

  /** Notes a block; what has its number is gone from here on. */
  add(stamp: BlockStamp, flows: PackedFlows): void {
    if (stamp.hash === NO_HASH) return;
    const { number } = stamp;
    const before = this.#byNumber.get(number);
    if (before !== undefined) this.remove(before);
    this.#byHash.set(stamp.hash, number);
    this.#byNumber.set(number, { stamp, flows });
    this.#kept.add(number);
    if (this.#kept.size > UNDONE_MOST) this.#forgetFlows(Math.min(...this.#kept));
  }

  remove({ stamp }: BlockRecord): void {
    this.#byNumber.delete(stamp.number);
    this.#byHash.delete(stamp.hash);
    this.#kept.delete(stamp.number);
  }

  /** Another block of the same number, which cannot be of the same chain. */
  rivalOf({ number, hash }: BlockStamp): BlockRecord | undefined {
    const record = this.#byNumber.get(number);
    return hash === NO_HASH || record?.stamp.hash === hash ? undefined : record;
  }

  /**
   * What a chain that has come to a block cannot have: the rival of that, and all that stand upon
   * the rival; the newest first.
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

  /** The earliest time of a block that can be undone; undefined when none can. */
  earliestKeptMs(): number | undefined {
    let earliest: number | undefined;
    for (const number of this.#kept) {
      const { timestampMs } = this.#byNumber.get(number)!.stamp;
      if (earliest === undefined || timestampMs < earliest) earliest = timestampMs;
    }
    return earliest;
  }

  /** Forgets blocks before a time. */
  drop(beforeMs: number): void {
    for (const record of [...this.#byNumber.values()]) {
      if (record.stamp.timestampMs < beforeMs) this.remove(record);
    }
  }

  write(writer: ByteWriter): void {
    writer.number(this.#byNumber.size);
    for (const { stamp, flows } of this.#byNumber.values()) {
      writeStamp(writer, stamp);
      writer.number(flows === undefined ? 0 : 1);
      if (flows !== undefined) writeFlows(writer, flows);
    }
  }

  /** Records of so many pools and tokens. */
  static read(reader: ByteReader, pools: number, tokens: number): BlockRecords {
    const records = new BlockRecords();
    for (let left = reader.count(Number.MAX_SAFE_INTEGER); left > 0; left--) {
      const stamp = readStamp(reader);
      const hasFlows = reader.count(1) === 1;
      records.#byNumber.set(stamp.number, {
        stamp,
        flows: hasFlows ? readFlows(reader, pools, tokens) : undefined,
      });
      records.#byHash.set(stamp.hash, stamp.number);
      if (hasFlows) records.#kept.add(stamp.number);
    }
    const isSound = records.#byHash.size === records.#byNumber.size;
    reader.check(isSound && records.#kept.size <= UNDONE_MOST, "one block of each number");
    return records;
  }

  #forgetFlows(number: number): void {
    this.#kept.delete(number);
    const { stamp } = this.#byNumber.get(number)!;
    this.#byNumber.set(number, { stamp, flows: undefined });
  }
}
