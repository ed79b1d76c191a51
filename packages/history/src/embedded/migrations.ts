import { PackedSwaps } from "../blocks/blockBytes.ts";
import { PackedWriter } from "../blocks/PackedWriter.ts";
import { readBlock } from "./readBlock.ts";
import { crcOf, type Statements } from "./Statements.ts";

/**
 * Steps that bring a file from each version to the next, each in a transaction; the first turns an
 * empty file into version 1. A published step is never changed.
 */
export const MIGRATIONS: ReadonlyArray<(statements: Statements) => void> = [
  ({ database }) => database.exec(TABLES),
  (statements) => {
    statements.database.exec(SMALLER_ADDRESSES);
    indexMakers(statements);
    statements.database.exec(WITHOUT_MAKERS);
  },
];

const TABLES = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  -- Pools, tokens and makers: all that stands elsewhere by its number.
  CREATE TABLE addresses (
    number INTEGER PRIMARY KEY, address BLOB NOT NULL UNIQUE, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE pairs (
    number INTEGER PRIMARY KEY, pool INTEGER NOT NULL, token0 INTEGER NOT NULL,
    token1 INTEGER NOT NULL, checksum INTEGER NOT NULL, UNIQUE (pool, token0, token1)
  ) STRICT;
  -- Blocks with swaps.
  CREATE TABLE blocks (
    number INTEGER PRIMARY KEY, hash BLOB NOT NULL, time_ms INTEGER NOT NULL,
    swaps INTEGER NOT NULL, bytes BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX blocks_by_time ON blocks (time_ms);
  CREATE INDEX blocks_by_hash ON blocks (substr(hash, 1, 4));
  -- Blocks that are not in postings, transactions, days and minutes yet.
  CREATE TABLE unindexed (number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL) STRICT;
  -- See BlockIndex.
  CREATE TABLE postings (
    place INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE transactions (
    place INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  -- See CandleTables.
  CREATE TABLE days (
    place INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE minutes (
    place INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE ranges (
    from_block INTEGER PRIMARY KEY, to_block INTEGER NOT NULL, from_ms INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  -- Newest blocks of ranges, with swaps or without.
  CREATE TABLE heads (
    number INTEGER PRIMARY KEY, hash BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX heads_by_hash ON heads (hash);
  CREATE TABLE states (
    number INTEGER, is_checkpoint INTEGER, hash BLOB NOT NULL, time_ms INTEGER NOT NULL,
    bytes BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (number, is_checkpoint)
  ) STRICT;
  CREATE INDEX states_by_hash ON states (substr(hash, 1, 4));
  `;

/** An index of the first bytes takes a third of the room of an index of whole addresses. */
const SMALLER_ADDRESSES = `
  CREATE TABLE numbered (
    number INTEGER PRIMARY KEY, address BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  INSERT INTO numbered SELECT number, address, checksum FROM addresses ORDER BY number;
  DROP TABLE addresses;
  ALTER TABLE numbered RENAME TO addresses;
  CREATE INDEX addresses_by_start ON addresses (substr(address, 1, 4));
  -- See BlockIndex.
  CREATE TABLE makers (
    place INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
`;

/**
 * Postings also held the blocks of makers; rows of addresses that are neither pool nor token go.
 */
const WITHOUT_MAKERS = `
  DELETE FROM postings WHERE place / 2097152 NOT IN
    (SELECT pool FROM pairs UNION SELECT token0 FROM pairs UNION SELECT token1 FROM pairs);
`;

const BUCKET_BLOCKS = 4_096;
const SLOTS = 1_024;

/** A damaged block is skipped: it is forgotten as soon as somebody reads it. */
function indexMakers(statements: Statements): void {
  const indexed = `SELECT number FROM blocks
    WHERE number NOT IN (SELECT number FROM unindexed) ORDER BY number`;
  let bucket = 0;
  let rows = new Map<number, Set<number>>();
  for (const { number } of statements.each<{ number: number }>(indexed)) {
    if (Math.floor(number / BUCKET_BLOCKS) !== bucket) {
      insertMakers(statements, bucket, rows);
      rows = new Map();
      bucket = Math.floor(number / BUCKET_BLOCKS);
    }
    const block = readBlock(statements, number);
    if (typeof block === "string") continue;
    const swaps = new PackedSwaps(block.bytes);
    while (swaps.next()) {
      if (swaps.maker === 0) continue;
      const row = rows.get(swaps.maker % SLOTS) ?? new Set();
      rows.set(swaps.maker % SLOTS, row);
      row.add(Math.floor(swaps.maker / SLOTS) * BUCKET_BLOCKS + (number % BUCKET_BLOCKS));
    }
  }
  insertMakers(statements, bucket, rows);
}

function insertMakers(
  statements: Statements,
  bucket: number,
  rows: ReadonlyMap<number, ReadonlySet<number>>,
): void {
  const writer = new PackedWriter();
  for (const [slot, entries] of [...rows].sort(([a], [b]) => a - b)) {
    let last = 0;
    for (const entry of Float64Array.from(entries).sort()) {
      writer.count(entry - last);
      last = entry;
    }
    const bytes = writer.take();
    const place = bucket * SLOTS + slot;
    statements.run("INSERT INTO makers VALUES (?, ?, ?)", place, bytes, crcOf(bytes, place));
  }
}
