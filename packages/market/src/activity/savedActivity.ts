import { runToEnd } from "@millrace/core";
import { ByteReader, DamagedBytes } from "../bytes/ByteReader.ts";
import { ALIGNMENT, ByteWriter } from "../bytes/ByteWriter.ts";
import { checksumOf } from "../bytes/checksumOf.ts";
import { Candles } from "../candles/Candles.ts";
import { BlockRecords } from "./BlockRecords.ts";
import { Subjects } from "./Subjects.ts";
import { Trades } from "./Trades.ts";
import { Windows } from "./Windows.ts";

/** Everything that is kept of trading. */
export interface SavedActivity {
  readonly subjects: Subjects;
  readonly windows: Windows;
  readonly records: BlockRecords;
  readonly trades: Trades;
  readonly candles: Candles;
}

export interface ActivityLimits {
  /** The step with which windows end. */
  readonly end: number;
  readonly tradesMax: number;
  readonly candleBytes: number;
}

/**
 * Magic (8 bytes), CRC-32 of everything from the version up to the candles, version, offset of the
 * candles (uint32 each), four zeros; then the body; then the candles, with a checksum of their own.
 */
const MAGIC = 0x7663_6167_6372_6c6dn; // "mlrcgacv", read as a little-endian uint64
const VERSION = 5;
const CHECKSUM_AT = 8;
const VERSION_AT = 12;
const CANDLES_AT_AT = 16;
const BODY_AT = 24;

// Roughly, for a trade with the stamp of its block.
const TRADE_BYTES = 512;

export function emptyActivity({ end, tradesMax, candleBytes }: ActivityLimits): SavedActivity {
  return {
    subjects: new Subjects(),
    windows: new Windows(end),
    records: new BlockRecords(),
    trades: new Trades(tradesMax),
    candles: new Candles({ budgetBytes: candleBytes }),
  };
}

/** The bytes of a chain's activity; nothing may change before they are given. */
export function* encodeActivity(
  chainId: number,
  activity: SavedActivity,
): Generator<void, Uint8Array> {
  const { subjects, windows, records, trades, candles } = activity;
  const writer = new ByteWriter(likelyBytes(activity));
  for (let at = 0; at < BODY_AT; at += ALIGNMENT) writer.number(0);
  writer.number(chainId);
  subjects.write(writer);
  yield* windows.write(writer);
  yield* records.write(writer);
  yield* trades.write(writer);
  const candlesAt = writer.length;
  yield* candles.write(writer);
  const bytes = writer.bytes();
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, MAGIC, true);
  view.setUint32(VERSION_AT, VERSION, true);
  view.setUint32(CANDLES_AT_AT, candlesAt, true);
  const checksum = yield* checksumOf(bytes.subarray(VERSION_AT, candlesAt));
  view.setUint32(CHECKSUM_AT, checksum, true);
  return bytes;
}

/** A rather high estimate of the bytes: pages that are not written to cost nothing. */
function likelyBytes({ subjects, windows, records, trades, candles }: SavedActivity): number {
  const others = TRADE_BYTES * trades.count + records.byteLength;
  return subjects.byteLength + windows.byteLength + others + candles.byteLength;
}

/**
 * The activity from bytes that `encodeActivity` gave for the same chain; or a text: why there is
 * none.
 */
export function decodeActivity(
  bytes: Uint8Array,
  chainId: number,
  limits: ActivityLimits,
): SavedActivity | string {
  if (bytes.length < BODY_AT) return "too short";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getBigUint64(0, true) !== MAGIC) return "not market data";
  const candlesAt = view.getUint32(CANDLES_AT_AT, true);
  if (candlesAt < BODY_AT || candlesAt > bytes.length) return "damaged";
  const checksum = runToEnd(checksumOf(bytes.subarray(VERSION_AT, candlesAt)));
  if (view.getUint32(CHECKSUM_AT, true) !== checksum) return "damaged";
  const version = view.getUint32(VERSION_AT, true);
  if (version !== VERSION) return `of version ${version}, not ${VERSION}`;
  try {
    const reader = new ByteReader(bytes.subarray(BODY_AT, candlesAt));
    return readBody(reader, bytes.subarray(candlesAt), chainId, limits);
  } catch (error) {
    if (error instanceof DamagedBytes) return error.message;
    throw error;
  }
}

function readBody(
  reader: ByteReader,
  savedCandles: Uint8Array,
  chainId: number,
  { end, tradesMax, candleBytes }: ActivityLimits,
): SavedActivity | string {
  const savedChainId = reader.number();
  if (savedChainId !== chainId) return `of chain ${savedChainId}, not ${chainId}`;
  const subjects = Subjects.read(reader);
  const [pools, tokens] = [subjects.pools.count, subjects.tokens.count];
  const windows = Windows.read(reader, end, pools, tokens);
  const records = BlockRecords.read(reader, pools, tokens);
  const trades = Trades.read(reader, tradesMax, pools, tokens);
  const candles = new Candles({ budgetBytes: candleBytes });
  reader.check(reader.isAtEnd, "the end");
  if (!candles.restore(savedCandles)) return "damaged candles";
  return { subjects, windows, records, trades, candles };
}
