import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/** Blocks of one row of an index, and slots of one row; both as in the store. */
const BUCKET_BLOCKS = 4_096;
const SLOTS = 1_024;
const HOURS = 2 ** 22;
const DAY_MS = 86_400_000;
const DAY_HOURS = 24;
/** A day lies in at most two buckets, so each copy gets two of its own. */
const BUCKETS = 2;

interface Row {
  readonly place: number;
  readonly bytes: Uint8Array;
}

interface BlockRow {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly ms: number;
  readonly swaps: number;
  readonly bytes: Uint8Array;
}

/**
 * Extends a file of one day, which a store has written and closed, to many days: each day has the
 * same swaps, in blocks of other numbers and hashes. Rows are written in their order, as after a
 * VACUUM. The newest blocks, which are in no index yet, are left out.
 */
export function tileHistory(path: string, days: number): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`
      PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA cache_size = -262144;
      BEGIN;
      DELETE FROM blocks WHERE number IN (SELECT number FROM unindexed);
      DELETE FROM unindexed; DELETE FROM heads; DELETE FROM ranges;
    `);
    tileBlocks(database, days);
    const bucketsOf = (copy: number) => copy * BUCKETS;
    const same = ({ bytes }: Row) => bytes;
    // By place, so that the rows of a subject, or of a bucket, lie together.
    tileRows(database, "postings", 2 ** 21, days, bucketsOf, same);
    for (const table of ["makers", "transactions"]) {
      tileRows(
        database,
        table,
        Number.MAX_SAFE_INTEGER,
        days,
        (copy) => SLOTS * bucketsOf(copy),
        same,
      );
    }
    tileRows(database, "minutes", HOURS, days, (copy) => DAY_HOURS * copy, shifted(64));
    tileRows(database, "days", HOURS, days, (copy) => copy, shifted(DAY_HOURS));
    database.exec("COMMIT; PRAGMA journal_mode = WAL;");
  } finally {
    database.close();
  }
}

const blocksOf = (copy: number): number => copy * BUCKETS * BUCKET_BLOCKS;

function tileBlocks(database: DatabaseSync, days: number): void {
  const rows = database
    .prepare("SELECT number, hash, time_ms AS ms, swaps, bytes FROM blocks ORDER BY number")
    .all() as unknown as ReadonlyArray<BlockRow>;
  const insert = database.prepare("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)");
  const range = database.prepare("INSERT INTO ranges VALUES (?, ?, ?, ?)");
  const [first, last] = [rows[0]!, rows.at(-1)!];
  for (let copy = 0; copy < days; copy++) {
    const from = first.number + blocksOf(copy);
    const to = last.number + blocksOf(copy);
    const fromMs = first.ms + copy * DAY_MS;
    range.run(from, to, fromMs, crcOf(NO_BYTES, from, to, fromMs));
    if (copy === 0) continue;
    for (const { number, hash, ms, swaps, bytes } of rows) {
      const other = new Uint8Array(hash);
      new DataView(other.buffer).setUint32(other.length - 4, copy);
      const columns = [number + blocksOf(copy), ms + copy * DAY_MS, crcOf(other)] as const;
      insert.run(columns[0], other, columns[1], swaps, bytes, crcOf(bytes, ...columns));
    }
  }
  const swaps = days * rows.reduce((sum, row) => sum + row.swaps, 0);
  const fact = database.prepare("UPDATE facts SET value = ? WHERE name = 'size'");
  fact.run(JSON.stringify([days * rows.length, swaps]));
}

/** Copies rows whose places have the same quotient by `group` together, day by day. */
function tileRows(
  database: DatabaseSync,
  table: string,
  group: number,
  days: number,
  shift: (copy: number) => number,
  bytesOf: (row: Row, copy: number) => Uint8Array,
): void {
  const base = database
    .prepare(`SELECT place, bytes FROM ${table} ORDER BY place`)
    .all() as unknown as ReadonlyArray<Row>;
  database.exec(`DELETE FROM ${table}`);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`);
  let rows: Row[] = [];
  const copyAll = () => {
    for (let copy = 0; copy < days; copy++) {
      for (const row of rows) {
        const place = row.place + shift(copy);
        const bytes = bytesOf(row, copy);
        insert.run(place, bytes, crcOf(bytes, place));
      }
    }
    rows = [];
  };
  for (const row of base) {
    const isOther = rows[0] && Math.floor(rows[0].place / group) !== Math.floor(row.place / group);
    if (isOther) copyAll();
    rows.push(row);
  }
  copyAll();
}

/** Candles of a later day: their first block number is absolute, the others are relative to it. */
const shifted =
  (whole: number) =>
  ({ bytes }: Row, copy: number): Uint8Array => {
    if (copy === 0) return bytes;
    let at = 0;
    for (;;) {
      const first = bytes[at]!;
      at += first % 64 < whole ? 1 : 2;
      at = countAt(bytes, at).end;
      if (first >= 64) break;
      // A candle without a price has no block.
      if (at === bytes.length) return bytes;
    }
    const { value, end } = countAt(bytes, at);
    const block = bytesOfCount(value + 2 * blocksOf(copy));
    const moved = new Uint8Array(bytes.length - (end - at) + block.length);
    moved.set(bytes.subarray(0, at));
    moved.set(block, at);
    moved.set(bytes.subarray(end), at + block.length);
    return moved;
  };

function countAt(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } {
  let value = 0;
  let weight = 1;
  for (let at = from; ; at++) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * weight;
    if (byte < 0x80) return { value, end: at + 1 };
    weight *= 0x80;
  }
}

function bytesOfCount(value: number): ReadonlyArray<number> {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

const NO_BYTES = new Uint8Array();

const crcOf = (bytes: Uint8Array, ...others: ReadonlyArray<number>): number =>
  crc32(bytes, crc32(others.join())) | 0;
