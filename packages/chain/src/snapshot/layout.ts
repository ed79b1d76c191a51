import { createHash } from "node:crypto";
import { Option, Schema } from "effect";
import { ChainSnapshotError } from "./ChainSnapshotError.ts";
import type { Sliced } from "./inSlices.ts";

/**
 * A chain's snapshot as bytes. Layout: magic (8 bytes), version and length of the header's text
 * (uint32 each), length of the whole (float64), SHA-256 of all other bytes (32), the header as
 * JSON, then the columns listed in COLUMNS; header and columns are padded to 8 bytes with zeros.
 * Numbers are little-endian, as on every platform that Node runs on.
 */
const MAGIC = new TextEncoder().encode("mlrchain");
const VERSION = 3;
const VERSION_AT = 8;
const HEADER_LENGTH_AT = 12;
const LENGTH_AT = 16;
const CHECKSUM_AT = 24;
const CHECKSUM_BYTES = 32;
const HEADER_AT = CHECKSUM_AT + CHECKSUM_BYTES;
/** Bytes that one slice hashes or copies. */
const SLICE_BYTES = 1 << 18;

/** The type of each column, in order. Tokens, pools and states are each sorted by address. */
const COLUMNS = {
  // -- tokens: all tokens of pools and of listings -------------------------------------------
  tokenAddresses: Uint8Array, // stride ADDRESS_BYTES
  // -- listings: what is known of a token; ascending by token --------------------------------
  listingToken: Uint32Array,
  listingDecimals: Uint8Array,
  listingTextLengths: Uint32Array, // bytes of symbol, then of name
  listingTexts: Uint8Array, // UTF-8: symbol and name of each
  // -- pools ---------------------------------------------------------------------------------
  poolAddresses: Uint8Array, // stride ADDRESS_BYTES
  poolDex: Uint32Array, // index into the header's dexIds
  poolFeePips: Uint32Array,
  poolParameter: Int32Array,
  poolCurve: Uint8Array, // index into the header's curves
  poolConstantCount: Uint8Array, // words
  poolConstants: BigUint64Array,
  poolCreatedBlock: Float64Array,
  poolTokenCount: Uint8Array,
  poolTokens: Uint32Array, // token, by position in the pool
  // -- states: of the loaded pools; ascending by pool ----------------------------------------
  statePool: Uint32Array,
  stateKind: Uint8Array, // one of STATE_KIND
  stateWordCount: Uint32Array,
  stateBookLength: Uint32Array, // keys
  stateWords: BigUint64Array,
  bookKeys: Int32Array,
  bookWords: BigInt64Array, // stride BOOK_WORDS
  ledgerWords: BigUint64Array, // stride LEDGER_WORDS; only of STATE_KIND.ledger
  stateNoteCount: Uint32Array, // words
  noteWords: BigUint64Array,
} as const;

export const STATE_KIND = { words: 0, book: 1, ledger: 2 } as const;
/** Stands for the curve where a listing names none. */
export const UNNAMED_CURVE = "";
/** Words of a ledger for each key of the book. */
export const LEDGER_WORDS = 2;

export type Columns = {
  readonly [Name in keyof typeof COLUMNS]: InstanceType<(typeof COLUMNS)[Name]>;
};
const NAMES = Object.keys(COLUMNS) as ReadonlyArray<keyof Columns>;

const CountFromZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0));
const Header = Schema.Struct({
  chainId: CountFromZero,
  venues: Schema.String,
  blockNumber: CountFromZero,
  blockHash: Schema.TemplateLiteral(["0x", Schema.String]),
  blockTimestampMs: Schema.Finite,
  /** Sorted. */
  dexIds: Schema.Array(Schema.String),
  /** Sorted; includes the empty name if a pool's listing names no curve. */
  curves: Schema.Array(Schema.String),
  /** Sorted by DEX and reason, without duplicates. */
  refusals: Schema.Array(
    Schema.Struct({ dexId: Schema.String, reason: Schema.String, count: CountFromZero }),
  ),
  /** Elements of each column, in order. */
  lengths: Schema.Array(CountFromZero),
});
const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(Header));

export interface Content {
  readonly header: Omit<typeof Header.Type, "lengths">;
  readonly columns: Columns;
}

/** The bytes of a header and columns. */
export function* pack({ header, columns }: Content): Sliced<Uint8Array> {
  const { chainId, venues, blockNumber, blockHash, blockTimestampMs, dexIds, curves, refusals } =
    header;
  const lengths = NAMES.map((name) => columns[name].length);
  // Named one by one: the order of fields in the text must not depend on who made the object.
  const text = new TextEncoder().encode(
    JSON.stringify({
      chainId,
      venues,
      blockNumber,
      blockHash,
      blockTimestampMs,
      dexIds,
      curves,
      refusals,
      lengths,
    }),
  );
  const columnsAt = padded(HEADER_AT + text.length);
  const bytes = new Uint8Array(
    NAMES.reduce((sum, name) => sum + padded(columns[name].byteLength), columnsAt),
  );
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(VERSION_AT, VERSION, true);
  view.setUint32(HEADER_LENGTH_AT, text.length, true);
  view.setFloat64(LENGTH_AT, bytes.length, true);
  bytes.set(text, HEADER_AT);
  let at = columnsAt;
  for (const name of NAMES) {
    const { buffer, byteOffset, byteLength } = columns[name];
    for (let start = 0; start < byteLength; start += SLICE_BYTES) {
      if (start > 0) yield;
      const part = Math.min(SLICE_BYTES, byteLength - start);
      bytes.set(new Uint8Array(buffer, byteOffset + start, part), at + start);
    }
    at += padded(byteLength);
  }
  bytes.set(yield* checksum(bytes), CHECKSUM_AT);
  return bytes;
}

/** Header and columns of bytes, as views; whether they fit together is not checked. */
export function* unpack(bytes: Uint8Array): Sliced<Content | ChainSnapshotError> {
  if (bytes.length < HEADER_AT || MAGIC.some((byte, index) => byte !== bytes[index])) {
    const detail = "the first bytes are not those of a chain's snapshot";
    return new ChainSnapshotError({ reason: "NotASnapshot", detail });
  }
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const view = new DataView(aligned.buffer, aligned.byteOffset, aligned.length);
  const version = view.getUint32(VERSION_AT, true);
  if (version !== VERSION) {
    const detail = `version ${version}, this program reads ${VERSION}`;
    return new ChainSnapshotError({ reason: "UnknownVersion", detail });
  }
  const length = view.getFloat64(LENGTH_AT, true);
  if (length !== aligned.length) {
    const detail = `${aligned.length} bytes, it was written with ${length}`;
    return new ChainSnapshotError({ reason: "Damaged", detail });
  }
  const sum = yield* checksum(aligned);
  if (sum.some((byte, index) => byte !== aligned[CHECKSUM_AT + index])) {
    const detail = "the checksum is not that of the bytes";
    return new ChainSnapshotError({ reason: "Damaged", detail });
  }
  return readContent(aligned, view.getUint32(HEADER_LENGTH_AT, true));
}

function readContent(bytes: Uint8Array, headerLength: number): Content | ChainSnapshotError {
  const text = new TextDecoder().decode(bytes.subarray(HEADER_AT, HEADER_AT + headerLength));
  const decoded = Option.getOrUndefined(decodeHeader(text));
  if (decoded === undefined) return inconsistent("the header is malformed");
  const { lengths, ...header } = decoded;
  if (lengths.length !== NAMES.length) return inconsistent("the header has other columns");
  const columnsAt = padded(HEADER_AT + headerLength);
  const total = NAMES.reduce(
    (sum, name, index) => sum + padded(lengths[index]! * COLUMNS[name].BYTES_PER_ELEMENT),
    columnsAt,
  );
  if (total !== bytes.length) return inconsistent("the columns have other lengths than the bytes");
  const columns: Partial<Record<keyof Columns, Columns[keyof Columns]>> = {};
  let at = bytes.byteOffset + columnsAt;
  NAMES.forEach((name, index) => {
    const column = new COLUMNS[name](bytes.buffer as ArrayBuffer, at, lengths[index]!);
    columns[name] = column;
    at += padded(column.byteLength);
  });
  return { header, columns: columns as Columns };
}

export function inconsistent(detail: string): ChainSnapshotError {
  return new ChainSnapshotError({ reason: "Inconsistent", detail });
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** SHA-256 of all bytes except the hash itself. */
function* checksum(bytes: Uint8Array): Sliced<Uint8Array> {
  const hash = createHash("sha256").update(bytes.subarray(0, CHECKSUM_AT));
  for (let start = HEADER_AT; start < bytes.length; start += SLICE_BYTES) {
    if (start > HEADER_AT) yield;
    hash.update(bytes.subarray(start, start + SLICE_BYTES));
  }
  return hash.digest();
}
