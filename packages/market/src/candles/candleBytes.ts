import { runToEnd } from "@millrace/core";
import { readStamp, writeStamp } from "../activity/savedStamp.ts";
import { ByteReader, DamagedBytes } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import { checksumOf } from "../bytes/checksumOf.ts";
import { type BlockCandles, isPlausible, VALUES } from "./blockCandles.ts";
import { CANDLES_A_CHUNK, MARKS, NO_CHUNK, START } from "./CandleSlab.ts";
import type { RecentBlocks } from "./RecentBlocks.ts";
import { BASES, type SettledCandles } from "./SettledCandles.ts";

/** Version, CRC-32 of the rest (uint32 each, little-endian); then the body. */
const VERSION = 3;
const CHECKSUM_AT = 4;
const BODY_AT = 8;

// Of each record: its subject and last trade, then floors and counts of candles by base.
const SUBJECT = 0;
const LAST_TRADE = 1;
const FLOORS = 2;
const COUNTS = FLOORS + BASES.length;
const RECORD_NUMBERS = COUNTS + BASES.length;

/** Records of a week of minutes each, this many, are written in less than a millisecond. */
const RECORDS_A_SLICE = 8;
const SECONDS_MAX = 2 ** 32 - 1;
const BLOCKS_MAX = 2 ** 16;

/** Writes at the end; nothing may change before it is done. */
export function* encodeCandles(
  writer: ByteWriter,
  settled: SettledCandles,
  recent: RecentBlocks,
): Generator<void> {
  const start = writer.length;
  writer.number(0); // the head, see below
  yield* writeSettled(writer, settled);
  writer.number(recent.blocks.length);
  for (const { stamp, subjects, values } of recent.blocks) {
    yield;
    writeStamp(writer, stamp);
    writer.array(subjects);
    writer.array(values);
  }
  const bytes = writer.bytes(start);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(0, VERSION, true);
  const checksum = yield* checksumOf(bytes.subarray(BODY_AT));
  view.setUint32(CHECKSUM_AT, checksum, true);
}

/**
 * Replaces the content of both. False when the bytes are damaged or of another version: then both
 * are empty.
 */
export function decodeCandles(
  bytes: Uint8Array,
  settled: SettledCandles,
  recent: RecentBlocks,
): boolean {
  settled.clear();
  recent.clear();
  if (bytes.length < BODY_AT) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== VERSION) return false;
  const body = bytes.subarray(BODY_AT);
  if (view.getUint32(CHECKSUM_AT, true) !== runToEnd(checksumOf(body))) return false;
  try {
    const reader = new ByteReader(body);
    readSettled(reader, settled);
    for (let left = reader.count(BLOCKS_MAX); left > 0; left--) {
      recent.add(readBlock(reader), (block) => settled.foldAll(block));
    }
    reader.check(reader.isAtEnd, "the end");
    return true;
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    settled.clear();
    recent.clear();
    return false;
  }
}

/** The idlest first: if there is less room when they are restored, these go. */
function* writeSettled(writer: ByteWriter, settled: SettledCandles): Generator<void> {
  const { slab } = settled;
  const records = settled.records();
  const numbers = new Uint32Array(RECORD_NUMBERS * records.length);
  let count = 0;
  for (let index = 0; index < records.length; index++) {
    if (index % RECORDS_A_SLICE === 0) yield;
    const record = records[index]!;
    const at = RECORD_NUMBERS * index;
    const subject = settled.subjectOf(record);
    numbers[at + SUBJECT] = subject;
    numbers[at + LAST_TRADE] = settled.lastTradeOf(record);
    for (let base = 0; base < BASES.length; base++) {
      numbers[at + FLOORS + base] = settled.floor(subject, base);
      let candles = 0;
      let chunk = settled.oldestChunk(record, base);
      for (; chunk !== NO_CHUNK; chunk = slab.newer[chunk]!) candles += slab.counts[chunk]!;
      numbers[at + COUNTS + base] = candles;
      count += candles;
    }
  }
  writer.number(settled.forgotten);
  writer.array(numbers);
  // Chunks are small: copying number by number is faster than calls.
  const marks = writer.zeros(Uint32Array, MARKS * count);
  yield* copyChunks(settled, records, slab.marks, marks, MARKS);
  const values = writer.zeros(Float64Array, VALUES * count);
  yield* copyChunks(settled, records, slab.values, values, VALUES);
}

/** Copies `stride` numbers for each candle of all records, one after the other. */
function* copyChunks(
  settled: SettledCandles,
  records: Uint32Array,
  from: Uint32Array | Float64Array,
  to: Uint32Array | Float64Array,
  stride: number,
): Generator<void> {
  const { newer, counts } = settled.slab;
  let written = 0;
  for (let index = 0; index < records.length; index++) {
    if (index % RECORDS_A_SLICE === 0) yield;
    const record = records[index]!;
    for (let base = 0; base < BASES.length; base++) {
      let chunk = settled.oldestChunk(record, base);
      for (; chunk !== NO_CHUNK; chunk = newer[chunk]!) {
        const first = stride * CANDLES_A_CHUNK * chunk;
        const end = first + stride * counts[chunk]!;
        for (let at = first; at < end; at++) to[written++] = from[at]!;
      }
    }
  }
}

function readSettled(reader: ByteReader, settled: SettledCandles): void {
  settled.clear(reader.count(SECONDS_MAX));
  const numbers = reader.array(Uint32Array);
  reader.check(numbers.length % RECORD_NUMBERS === 0, "whole records");
  const marks = reader.array(Uint32Array);
  const values = reader.array(Float64Array);
  const count = values.length / VALUES;
  reader.check(marks.length === MARKS * count && areValues(values), "whole candles");
  let read = 0;
  for (let at = 0; at < numbers.length; at += RECORD_NUMBERS) {
    const floors = numbers.subarray(at + FLOORS, at + COUNTS);
    const subject = numbers[at + SUBJECT]!;
    const record = settled.restoreRecord(subject, numbers[at + LAST_TRADE]!, floors);
    if (record === undefined) reader.fail("a subject once");
    for (let base = 0; base < BASES.length; base++) {
      const end = read + numbers[at + COUNTS + base]!;
      reader.check(end <= count, "as many candles");
      for (let before = -1, candle = read; candle < end; candle++) {
        const start = marks[MARKS * candle + START]!;
        reader.check(start > before && start % BASES[base]! === 0, "starts that ascend");
        before = start;
      }
      while (read < end) {
        const next = Math.min(end, read + CANDLES_A_CHUNK);
        settled.restoreChunk(record, base, { marks, values, from: read, to: next });
        read = next;
      }
    }
  }
  reader.check(read === count, "as many candles");
}

function readBlock(reader: ByteReader): BlockCandles {
  const stamp = readStamp(reader);
  reader.check(isPlausible(stamp), "a stamp of our time");
  const subjects = reader.array(Uint32Array);
  const values = reader.array(Float64Array);
  const isWhole = values.length === VALUES * subjects.length && areValues(values);
  reader.check(isWhole, "a whole block");
  const doAscend = subjects.every(
    (subject, position) => position === 0 || subject > subjects[position - 1]!,
  );
  reader.check(doAscend, "subjects that ascend");
  return { stamp, subjects, values };
}

function areValues(values: Float64Array): boolean {
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) return false;
  }
  return true;
}
