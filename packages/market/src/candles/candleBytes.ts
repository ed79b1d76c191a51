import { createHash } from "node:crypto";
import { readStamp, writeStamp } from "../activity/savedStamp.ts";
import { ByteReader, DamagedBytes } from "../bytes/ByteReader.ts";
import { ByteWriter } from "../bytes/ByteWriter.ts";
import { type BlockCandles, isPlausible, OPEN, VALUES } from "./blockCandles.ts";
import { CLOSE_BLOCK, MARKS, OPEN_BLOCK, START } from "./CandleSlab.ts";
import type { RecentBlocks } from "./RecentBlocks.ts";
import { BASES, type SettledCandles } from "./SettledCandles.ts";

/*
 * Version, SHA-256 of the rest; then what `writeBody` writes: numbers, arrays and stamps as
 * `ByteWriter` lays them out.
 */
const VERSION = 1;
const BODY_AT = 1 + 32;
const SECONDS_MAX = 2 ** 32 - 1;
const SUBJECT_MAX = 2 ** 32 - 2;

export function encodeCandles(settled: SettledCandles, recent: RecentBlocks): Uint8Array {
  const writer = new ByteWriter();
  writeBody(writer, settled, recent);
  const body = writer.bytes();
  const bytes = new Uint8Array(BODY_AT + body.length);
  bytes[0] = VERSION;
  bytes.set(checksum(body), 1);
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
  const body = bytes.subarray(BODY_AT);
  if (bytes.length < BODY_AT || bytes[0] !== VERSION) return false;
  if (checksum(body).some((byte, index) => byte !== bytes[1 + index])) return false;
  try {
    readBody(new ByteReader(body), settled, recent);
    return true;
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    settled.clear();
    recent.clear();
    return false;
  }
}

function checksum(body: Uint8Array): Uint8Array {
  return createHash("sha256").update(body).digest();
}

function writeBody(writer: ByteWriter, settled: SettledCandles, recent: RecentBlocks): void {
  writer.number(settled.forgotten);
  const records = settled.records();
  writer.number(records.length);
  // The idlest first: should there be less room to restore them, those are the ones to go.
  for (const record of records) {
    const subject = settled.subjectOf(record);
    writer.number(subject);
    writer.number(settled.lastTradeOf(record));
    for (const base of BASES.keys()) writer.number(settled.floor(subject, base));
    for (const base of BASES.keys()) writeSeries(writer, settled, subject, base);
  }
  writer.number(recent.blocks.length);
  for (const { stamp, subjects, values } of recent.blocks) {
    writeStamp(writer, stamp);
    writer.array(subjects);
    writer.array(values);
  }
}

function writeSeries(
  writer: ByteWriter,
  settled: SettledCandles,
  subject: number,
  base: number,
): void {
  const candles: number[] = [];
  settled.visit(subject, base, 0, SECONDS_MAX, (candle) => candles.push(candle) > 0);
  const marks = new Uint32Array(MARKS * candles.length);
  const values = new Float64Array(VALUES * candles.length);
  for (const [index, candle] of candles.reverse().entries()) {
    const { slab } = settled;
    marks.set(slab.marks.subarray(MARKS * candle, MARKS * (candle + 1)), MARKS * index);
    values.set(slab.values.subarray(VALUES * candle, VALUES * (candle + 1)), VALUES * index);
  }
  writer.array(marks);
  writer.array(values);
}

function readBody(reader: ByteReader, settled: SettledCandles, recent: RecentBlocks): void {
  settled.clear(reader.count(SECONDS_MAX));
  for (let left = reader.count(SUBJECT_MAX); left > 0; left--) {
    const subject = reader.count(SUBJECT_MAX);
    const lastTrade = reader.count(SECONDS_MAX);
    const floors = BASES.map(() => reader.count(SECONDS_MAX));
    const record = settled.restoreRecord(subject, lastTrade, floors);
    reader.check(record !== undefined, "each subject once");
    for (const base of BASES.keys()) readSeries(reader, settled, record!, base);
  }
  for (let left = reader.count(SUBJECT_MAX); left > 0; left--) {
    recent.add(readBlock(reader), (block) => settled.foldAll(block));
  }
  reader.check(reader.isAtEnd, "the end");
}

function readSeries(
  reader: ByteReader,
  settled: SettledCandles,
  record: number,
  base: number,
): void {
  const marks = reader.array(Uint32Array);
  const values = reader.array(Float64Array);
  const count = values.length / VALUES;
  reader.check(marks.length === MARKS * count && values.every(isValue), "whole candles");
  let before = -1;
  for (let index = 0; index < count; index++) {
    const start = marks[MARKS * index + START]!;
    reader.check(start > before && start % BASES[base]! === 0, "starts that ascend");
    before = start;
    const at = VALUES * index;
    const candle = settled.restoreCandle(record, base, start, values[at + OPEN]! > 0);
    const { slab } = settled;
    slab.marks[MARKS * candle + OPEN_BLOCK] = marks[MARKS * index + OPEN_BLOCK]!;
    slab.marks[MARKS * candle + CLOSE_BLOCK] = marks[MARKS * index + CLOSE_BLOCK]!;
    slab.values.set(values.subarray(at, at + VALUES), VALUES * candle);
  }
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
