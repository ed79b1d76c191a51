import { PackedReader } from "../blocks/PackedReader.ts";
import { PackedWriter } from "../blocks/PackedWriter.ts";
import {
  type Checked,
  crcOf,
  DamagedRow,
  type IndexTable,
  isSound,
  type Statements,
} from "./Statements.ts";

/** Number of blocks per row: a block's number is its bucket times this, plus an offset. */
const BUCKET_BLOCKS = 4_096;
/** Block numbers are below 2^33. */
const BUCKETS = 2 ** 21;
export const BLOCKS_MAX = BUCKETS * BUCKET_BLOCKS;
/**
 * The first bits of a transaction's hash, this many, choose its row; the next 16 stand in the row.
 */
const SLOT_BITS = 10;
const SLOTS = 2 ** SLOT_BITS;
const HASH_VALUES = 2 ** 16;

/** The keys by which a block is found. */
export interface BlockKeys {
  readonly number: number;
  /** Numbers of the pools and tokens in its swaps. */
  readonly addresses: ReadonlySet<number>;
  readonly makers: ReadonlySet<number>;
  readonly transactions: ReadonlySet<string>;
}

/**
 * Finds blocks by what is in them. A row holds ascending whole numbers: for pools and tokens, one
 * row for each of them and each bucket; for makers and for hashes, one row for each bucket and
 * slot. Rows that are written together lie close together, except those of pools and tokens, which
 * are read one after the other. There are many makers, and most come once: rows of their own would
 * take more room than their content.
 */
export class BlockIndex {
  readonly #statements: Statements;
  readonly #writer = new PackedWriter();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  add(blocks: ReadonlyArray<BlockKeys>): void {
    for (const [table, rows] of rowsOf(blocks)) {
      for (const [place, entries] of rows) {
        this.#write(table, place, [...this.#read(table, place), ...entries]);
      }
    }
  }

  remove(blocks: ReadonlyArray<BlockKeys>): void {
    for (const [table, rows] of rowsOf(blocks)) {
      for (const [place, entries] of rows) {
        const removed = new Set(entries);
        const left = this.#read(table, place).filter((entry) => !removed.has(entry));
        this.#write(table, place, left);
      }
    }
  }

  /** Numbers of blocks up to `last` with a pool or a token, the newest first. */
  *blocksOf(address: number, last: number): Generator<number> {
    const sql = `SELECT place, bytes, checksum FROM postings
      WHERE place BETWEEN ? AND ? ORDER BY place DESC`;
    const first = address * BUCKETS;
    const bucket = Math.min(BUCKETS - 1, Math.floor(last / BUCKET_BLOCKS));
    for (const row of this.#statements.each<Row>(sql, first, first + bucket)) {
      const from = BUCKET_BLOCKS * (row.place % BUCKETS);
      for (const offset of opened("postings", row).reverse()) {
        if (from + offset <= last) yield from + offset;
      }
    }
  }

  /** Numbers of blocks up to `last` that name a maker, the newest first. */
  *blocksBy(maker: number, last: number): Generator<number> {
    const { slot, first } = placeOfMaker(maker);
    for (const bucket of this.#buckets("makers", last)) {
      const from = bucket * BUCKET_BLOCKS;
      for (const entry of this.#read("makers", bucket * SLOTS + slot).reverse()) {
        const offset = entry - first;
        if (offset >= 0 && offset < BUCKET_BLOCKS && from + offset <= last) yield from + offset;
      }
    }
  }

  /** Numbers of blocks that may have a transaction, the newest first. */
  *blocksWith(transactionHash: string): Generator<number> {
    const { slot, entry } = placeOfHash(transactionHash);
    for (const bucket of this.#buckets("transactions", BLOCKS_MAX)) {
      for (const found of this.#read("transactions", bucket * SLOTS + slot).reverse()) {
        if (found % HASH_VALUES === entry)
          yield bucket * BUCKET_BLOCKS + Math.floor(found / HASH_VALUES);
      }
    }
  }

  /** The buckets of a table up to that of a block, the newest first. */
  *#buckets(table: "makers" | "transactions", lastBlock: number): Generator<number> {
    // In a single query SQLite would scan all rows.
    const sql = `SELECT (SELECT min(place) FROM ${table}) AS first,
      (SELECT max(place) FROM ${table}) AS last`;
    type Ends = { first: number | null; last: number | null };
    const { first, last } = this.#statements.get<Ends>(sql)!;
    if (first === null || last === null) return;
    const newest = Math.min(bucketOf(last), Math.floor(lastBlock / BUCKET_BLOCKS));
    for (let bucket = newest; bucket >= bucketOf(first); bucket--) yield bucket;
  }

  /** Places of rows that are damaged. */
  damaged(table: IndexTable): ReadonlyArray<number> {
    const found: number[] = [];
    for (const row of this.#statements.each<Row>(`SELECT place, bytes, checksum FROM ${table}`)) {
      if (!isSound(row, row.place)) found.push(row.place);
    }
    return found;
  }

  /** First and last block number of a row. */
  static blocksAt(table: IndexTable, place: number): readonly [first: number, last: number] {
    const bucket = table === "postings" ? place % BUCKETS : bucketOf(place);
    return [bucket * BUCKET_BLOCKS, (bucket + 1) * BUCKET_BLOCKS - 1];
  }

  /** Makes a row anew, from all blocks of its bucket. */
  replace(table: IndexTable, place: number, blocks: ReadonlyArray<BlockKeys>): void {
    this.#write(table, place, rowsOf(blocks).get(table)!.get(place) ?? []);
  }

  #read(table: IndexTable, place: number): number[] {
    const sql = `SELECT place, bytes, checksum FROM ${table} WHERE place = ?`;
    const row = this.#statements.get<Row>(sql, place);
    return row === undefined ? [] : opened(table, row);
  }

  #write(table: IndexTable, place: number, entries: ReadonlyArray<number>): void {
    if (entries.length === 0) {
      this.#statements.run(`DELETE FROM ${table} WHERE place = ?`, place);
      return;
    }
    let last = 0;
    for (const entry of Float64Array.from(new Set(entries)).sort()) {
      this.#writer.count(entry - last);
      last = entry;
    }
    const bytes = this.#writer.take();
    const sql = `INSERT INTO ${table} VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET bytes = excluded.bytes, checksum = excluded.checksum`;
    this.#statements.run(sql, place, bytes, crcOf(bytes, place));
  }
}

interface Row extends Checked {
  readonly place: number;
}

type Rows = Map<number, number[]>;

/** The entries that blocks add, by table and then by place. */
function rowsOf(blocks: ReadonlyArray<BlockKeys>): ReadonlyMap<IndexTable, Rows> {
  const [postings, byMaker, hashes]: [Rows, Rows, Rows] = [new Map(), new Map(), new Map()];
  for (const { number, addresses, makers, transactions } of blocks) {
    const bucket = Math.floor(number / BUCKET_BLOCKS);
    const offset = number % BUCKET_BLOCKS;
    for (const address of addresses) push(postings, address * BUCKETS + bucket, offset);
    for (const maker of makers) {
      const { slot, first } = placeOfMaker(maker);
      push(byMaker, bucket * SLOTS + slot, first + offset);
    }
    for (const hash of transactions) {
      const { slot, entry } = placeOfHash(hash);
      push(hashes, bucket * SLOTS + slot, offset * HASH_VALUES + entry);
    }
  }
  return new Map([
    ["postings", postings],
    ["makers", byMaker],
    ["transactions", hashes],
  ]);
}

function push(rows: Rows, place: number, entry: number): void {
  const row = rows.get(place);
  if (row === undefined) rows.set(place, [entry]);
  else row.push(entry);
}

function opened(table: IndexTable, row: Row): number[] {
  if (!isSound(row, row.place)) throw new DamagedRow({ kind: table, place: row.place });
  const reader = new PackedReader(row.bytes);
  const entries: number[] = [];
  let last = 0;
  while (!reader.isAtEnd) {
    last += reader.count();
    entries.push(last);
  }
  return entries;
}

const bucketOf = (place: number): number => Math.floor(place / SLOTS);

/** The maker's slot, and the start of the entries of its blocks. */
function placeOfMaker(maker: number): { readonly slot: number; readonly first: number } {
  return { slot: maker % SLOTS, first: Math.floor(maker / SLOTS) * BUCKET_BLOCKS };
}

function placeOfHash(hash: string): { readonly slot: number; readonly entry: number } {
  const start = Number.parseInt(hash.slice(2, 10), 16);
  return {
    slot: start >>> (32 - SLOT_BITS),
    entry: Math.floor(start / 2 ** (16 - SLOT_BITS)) % HASH_VALUES,
  };
}
