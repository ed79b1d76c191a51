import type { HistoryStatus, MarketBlock } from "@millrace/core";
import { PackedReader, PackedWriter } from "@millrace/history";
import type { FeedPosition } from "../log/FeedLog.ts";
import type { MarketPoint } from "../market/MarketPoint.ts";
import { packStamp, readContent, readMany, unpackStamp, writeContent } from "./blockBytes.ts";
import { FeedBytesError, type SealedForm, seal, unseal } from "./sealed.ts";

/** What a leader publishes: a block, or more about the newest block, with metadata. */
export interface FeedEntry {
  readonly chainId: number;
  readonly position: FeedPosition;
  /** The market that the entry applies to. */
  readonly before: MarketPoint;
  /** Digest of the market after the entry. */
  readonly digest: bigint;
  /** Unix time in ms, by the leader's clock. */
  readonly publishedAtMs: number;
  /** How much of the past has been published; undefined for a market without history. */
  readonly history: HistoryStatus | undefined;
  /** Other findings of the leader, by name; an empty text removes a note. */
  readonly notes: ReadonlyMap<string, string>;
  readonly block: MarketBlock;
}

const ENTRY: SealedForm = { mark: "MRfe", version: 1 };
const DIGEST_BYTES = 16;
const HASH_BYTES = 32;

export function encodeEntry(entry: FeedEntry): Uint8Array {
  const writer = new PackedWriter();
  writer.count(entry.chainId);
  writePosition(writer, entry.position);
  writePoint(writer, entry.before);
  writeDigest(writer, entry.digest);
  writer.float(entry.publishedAtMs);
  writeHistory(writer, entry.history);
  writeNotes(writer, entry.notes);
  packStamp(writer, entry.block.stamp);
  writeContent(writer, entry.block);
  return seal(ENTRY, writer.take());
}

/** Throws FeedBytesError for bytes that are not exactly one entry. */
export function decodeEntry(bytes: Uint8Array): FeedEntry {
  const reader = new PackedReader(unseal(ENTRY, bytes));
  return readWhole(reader, () => ({
    chainId: reader.count(),
    position: readPosition(reader),
    before: readPoint(reader),
    digest: readDigest(reader),
    publishedAtMs: reader.float(),
    history: readHistory(reader),
    notes: readNotes(reader),
    block: { stamp: unpackStamp(reader), ...readContent(reader) },
  }));
}

/**
 * Reads all bytes. Any that are left over, or a failed read, count as damage, whatever the digest
 * says.
 */
export function readWhole<A>(reader: PackedReader, read: () => A): A {
  let value: A;
  try {
    value = read();
  } catch (cause) {
    throw new FeedBytesError("Damaged", String(cause));
  }
  if (!reader.isAtEnd) throw new FeedBytesError("Damaged", "more bytes than are meant");
  return value;
}

export function writePosition(writer: PackedWriter, { epoch, sequence }: FeedPosition): void {
  writer.count(epoch);
  writer.count(sequence);
}

export const readPosition = (reader: PackedReader): FeedPosition => ({
  epoch: reader.count(),
  sequence: reader.count(),
});

function writePoint(writer: PackedWriter, { number, hash, digest }: MarketPoint): void {
  writer.count(number);
  writer.hex(hash, 2, HASH_BYTES);
  writeDigest(writer, digest);
}

const readPoint = (reader: PackedReader): MarketPoint => ({
  number: reader.count(),
  hash: reader.hex(HASH_BYTES),
  digest: readDigest(reader),
});

export function writeDigest(writer: PackedWriter, digest: bigint): void {
  writer.hex(digest.toString(16).padStart(2 * DIGEST_BYTES, "0"), 0, DIGEST_BYTES);
}

export const readDigest = (reader: PackedReader): bigint => BigInt(reader.hex(DIGEST_BYTES));

export function writeHistory(writer: PackedWriter, history: HistoryStatus | undefined): void {
  const since = history?.sinceMs;
  writer.byte(
    history === undefined ? 0 : 1 + (history.isComplete ? 1 : 0) + (since !== undefined ? 2 : 0),
  );
  if (since !== undefined) writer.float(since);
}

export function readHistory(reader: PackedReader): HistoryStatus | undefined {
  const kind = reader.byte();
  if (kind === 0) return undefined;
  if (kind > 4) throw new RangeError(`a history of kind ${kind}`);
  const isComplete = ((kind - 1) & 1) === 1;
  return { isComplete, sinceMs: kind > 2 ? reader.float() : undefined };
}

export function writeNotes(writer: PackedWriter, notes: ReadonlyMap<string, string>): void {
  writer.count(notes.size);
  for (const [name, text] of notes) {
    writer.text(name);
    writer.text(text);
  }
}

export const readNotes = (reader: PackedReader): ReadonlyMap<string, string> =>
  new Map(readMany(reader, () => [reader.text(), reader.text()] as const));
