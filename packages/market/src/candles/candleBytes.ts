import { crc32 } from "node:zlib";
import { readStamp, writeStamp } from "../activity/savedStamp.ts";
import { ByteReader, DamagedBytes } from "../bytes/ByteReader.ts";
import { ByteWriter } from "../bytes/ByteWriter.ts";
import { type BlockCandles, isPlausible, OPEN, VALUES } from "./blockCandles.ts";
import { CANDLES_A_PIECE, CLOSE_BLOCK, MARKS, NO_PIECE, OPEN_BLOCK, START } from "./CandleSlab.ts";
import type { RecentBlocks } from "./RecentBlocks.ts";
import { BASES, type SettledCandles } from "./SettledCandles.ts";

/** Version (uint8), CRC-32 of the rest (uint32, little-endian); then the body. */
const VERSION = 1;
const CHECKSUM_AT = 1;
const BODY_AT = 5;

// Of each record: its subject and last trade, then floors and counts of candles by base.
const SUBJECT = 0;
const LAST_TRADE = 1;
const FLOORS = 2;
const COUNTS = FLOORS + BASES.length;
const RECORD_NUMBERS = COUNTS + BASES.length;

const SECONDS_MAX = 2 ** 32 - 1;
const BLOCKS_MAX = 2 ** 16;

export function encodeCandles(settled: SettledCandles, recent: RecentBlocks): Uint8Array {
  const writer = new ByteWriter();
  writeSettled(writer, settled);
  writer.number(recent.blocks.length);
  for (const { stamp, subjects, values } of recent.blocks) {
    writeStamp(writer, stamp);
    writer.array(subjects);
    writer.array(values);
  }
  const body = writer.bytes();
  const bytes = new Uint8Array(BODY_AT + body.length);
  bytes[0] = VERSION;
  new DataView(bytes.buffer).setUint32(CHECKSUM_AT, crc32(body), true);
  bytes.set(body, BODY_AT);
  return bytes;
}

/** Replaces what both hold. False when the bytes are damaged or of another version: both are empty then. */
export function decodeCandles(
  bytes: Uint8Array,
  settled: SettledCandles,
  recent: RecentBlocks,
): boolean {
  settled.clear();
  recent.clear();
  if (bytes.length < BODY_AT || bytes[0] !== VERSION) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const body = bytes.subarray(BODY_AT);
  if (view.getUint32(CHECKSUM_AT, true) !== crc32(body)) return false;
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

/** The idlest first: should there be less room to restore them, those are the ones to go. */
function writeSettled(writer: ByteWriter, settled: SettledCandles): void {
  const { slab } = settled;
  const records = settled.records();
  const numbers = new Uint32Array(RECORD_NUMBERS * records.length);
  let count = 0;
  for (const [index, record] of records.entries()) {
    const at = RECORD_NUMBERS * index;
    const subject = settled.subjectOf(record);
    numbers[at + SUBJECT] = subject;
    numbers[at + LAST_TRADE] = settled.lastTradeOf(record);
    for (let base = 0; base < BASES.length; base++) {
      numbers[at + FLOORS + base] = settled.floor(subject, base);
      let candles = 0;
      for (const piece of piecesOf(settled, record, base)) candles += slab.counts[piece]!;
      numbers[at + COUNTS + base] = candles;
      count += candles;
    }
  }
  const marks = new Uint32Array(MARKS * count);
  const values = new Float64Array(VALUES * count);
  let written = 0;
  for (const record of records) {
    for (let base = 0; base < BASES.length; base++) {
      for (const piece of piecesOf(settled, record, base)) {
        const from = CANDLES_A_PIECE * piece;
        const to = from + slab.counts[piece]!;
        marks.set(slab.marks.subarray(MARKS * from, MARKS * to), MARKS * written);
        values.set(slab.values.subarray(VALUES * from, VALUES * to), VALUES * written);
        written += to - from;
      }
    }
  }
  writer.number(settled.forgotten);
  writer.array(numbers);
  writer.array(marks);
  writer.array(values);
}

function* piecesOf(settled: SettledCandles, record: number, base: number): Generator<number> {
  let piece = settled.oldestPiece(record, base);
  for (; piece !== NO_PIECE; piece = settled.slab.newer[piece]!) yield piece;
}

function readSettled(reader: ByteReader, settled: SettledCandles): void {
  settled.clear(reader.count(SECONDS_MAX));
  const numbers = reader.array(Uint32Array);
  reader.check(numbers.length % RECORD_NUMBERS === 0, "whole records");
  const marks = reader.array(Uint32Array);
  const values = reader.array(Float64Array);
  const count = values.length / VALUES;
  reader.check(marks.length === MARKS * count && values.every(isValue), "whole candles");
  let read = 0;
  for (let at = 0; at < numbers.length; at += RECORD_NUMBERS) {
    const floors = numbers.subarray(at + FLOORS, at + COUNTS);
    const subject = numbers[at + SUBJECT]!;
    const record = settled.restoreRecord(subject, numbers[at + LAST_TRADE]!, floors);
    if (record === undefined) reader.fail("a subject once");
    for (let base = 0; base < BASES.length; base++) {
      const end = read + numbers[at + COUNTS + base]!;
      reader.check(end <= count, "as many candles");
      for (let before = -1; read < end; read++) {
        const start = marks[MARKS * read + START]!;
        reader.check(start > before && start % BASES[base]! === 0, "starts that ascend");
        before = start;
        const { slab } = settled;
        const isPriced = values[VALUES * read + OPEN]! > 0;
        const candle = settled.restoreCandle(record, base, start, isPriced);
        slab.marks[MARKS * candle + OPEN_BLOCK] = marks[MARKS * read + OPEN_BLOCK]!;
        slab.marks[MARKS * candle + CLOSE_BLOCK] = marks[MARKS * read + CLOSE_BLOCK]!;
        for (let value = 0; value < VALUES; value++) {
          slab.values[VALUES * candle + value] = values[VALUES * read + value]!;
        }
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
  const isWhole = values.length === VALUES * subjects.length && values.every(isValue);
  reader.check(isWhole, "a whole block");
  const doAscend = subjects.every(
    (subject, place) => place === 0 || subject > subjects[place - 1]!,
  );
  reader.check(doAscend, "subjects that ascend");
  return { stamp, subjects, values };
}

function isValue(value: number): boolean {
  return value >= 0 && Number.isFinite(value);
}
