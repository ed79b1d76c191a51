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

/** Blocks of a row: the number of one is so many times its bucket, and an offset. */
const BUCKET_BLOCKS = 4_096;
/** Numbers of blocks are below 2^33. */
const BUCKETS = 2 ** 21;
export const BLOCKS_MAX = BUCKETS * BUCKET_BLOCKS;
/** Of a transaction's hash so many first bits are its row's, and the next stand in the row. */
const SLOT_BITS = 10;
const SLOTS = 2 ** SLOT_BITS;
const HASH_VALUES = 2 ** 16;

/** What a block is found by. */
export interface BlockKeys {
  readonly number: number;
  /** Numbers of the pools and tokens of its swaps. */
  readonly addresses: ReadonlySet<number>;
  readonly makers: ReadonlySet<number>;
  readonly transactions: ReadonlySet<string>;
}

/**
 * Finds blocks by what is in them: a row of whole numbers, ascending, of each pool or token and
 * bucket, and of each bucket and slot of makers, or of hashes. What is written together lies close
 * together, but for pools and tokens, whose rows are read one after the other. Makers are many, and
 * most come once: rows of their own would take more room than what is in them.
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

  /** Numbers of blocks up to `last` in which a pool or a token stands, the newest first. */
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

  /** Numbers of blocks up to `last` in which a maker is named, the newest first. */
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

  /** Those of a table up to that of a block, the newest first. */
  *#buckets(table: "makers" | "transactions", lastBlock: number): Generator<number> {
    // In one query SQLite would look at all rows.
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

  /** First and last number of the blocks of a row. */
  static blocksAt(table: IndexTable, place: number): readonly [first: number, last: number] {
    const bucket = table === "postings" ? place % BUCKETS : bucketOf(place);
    return [bucket * BUCKET_BLOCKS, (bucket + 1) * BUCKET_BLOCKS - 1];
  }

  /** Makes a row anew, of all blocks of its bucket. */
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

/** By table, and in it by place: what blocks add. */
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

/** Its slot, and what the entries of its blocks begin at. */
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
