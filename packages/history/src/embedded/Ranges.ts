import type { CoveredBlocks, CoveredRange } from "../HistoryStore.ts";
import { bytesOf, hexOf } from "./Numbers.ts";
import { crcOf, NO_BYTES, type Statements } from "./Statements.ts";

/** Number of newest blocks whose hashes are kept, for each range and over all. */
const HEADS_MAX = 1_024;

interface Range {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly fromMs: number;
}

interface Head {
  readonly number: number;
  readonly hash: Uint8Array;
}

type Checksum = { readonly checksum: number };

const checksumOf = ({ fromBlock, toBlock, fromMs }: Range): number =>
  crcOf(NO_BYTES, fromBlock, toBlock, fromMs);

/** The ranges of blocks all of whose swaps are kept, and the hashes of the newest blocks. */
export class Ranges {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Ascending. A range reaches up to its newest block whose hash is known. */
  all(): ReadonlyArray<CoveredRange> {
    return this.#ranges().flatMap(({ fromBlock, toBlock, fromMs }) => {
      const blocks = this.#newestIn(fromBlock, toBlock);
      const last = blocks.at(-1);
      if (last === undefined) return [];
      return [{ fromBlock, toBlock: last.number, fromMs, toHash: last.hash, blocks }];
    });
  }

  add({ fromBlock, toBlock, fromMs, blocks }: CoveredBlocks): void {
    let joined: Range = { fromBlock, toBlock, fromMs };
    for (const other of this.#touching(fromBlock - 1, toBlock + 1)) {
      joined = {
        fromBlock: Math.min(joined.fromBlock, other.fromBlock),
        toBlock: Math.max(joined.toBlock, other.toBlock),
        fromMs: other.fromBlock < joined.fromBlock ? other.fromMs : joined.fromMs,
      };
      this.#remove(other);
    }
    this.#insert(joined);
    for (const { number, hash } of blocks) {
      this.#name(number, bytesOf(hash));
    }
    this.#statements.run(
      `DELETE FROM heads WHERE number <= (SELECT max(number) FROM heads) - ${HEADS_MAX}
        AND number NOT IN (SELECT to_block FROM ranges)`,
    );
  }

  /** Blocks from … to are no longer all kept, or differ from the chain. */
  subtract(fromBlock: number, toBlock: number): void {
    for (const range of this.#touching(fromBlock, toBlock)) {
      this.#remove(range);
      if (range.fromBlock < fromBlock) this.#insert({ ...range, toBlock: fromBlock - 1 });
      if (range.toBlock > toBlock) {
        const fromMs = this.#timeAfter(toBlock) ?? range.fromMs;
        this.#insert({ ...range, fromBlock: toBlock + 1, fromMs });
      }
    }
    this.#statements.run("DELETE FROM heads WHERE number BETWEEN ? AND ?", fromBlock, toBlock);
  }

  /** A block replaces another of its number. */
  replaceHead(number: number, hash: Uint8Array): void {
    const sql = "SELECT number FROM heads WHERE number = ?";
    if (this.#statements.get(sql, number) !== undefined) this.#name(number, hash);
  }

  /** Whether all rows are sound; damaged ones are removed. */
  check(): boolean {
    let isSound = true;
    const sql = `SELECT from_block AS fromBlock, to_block AS toBlock, from_ms AS fromMs, checksum
      FROM ranges`;
    for (const range of this.#statements.all<Range & Checksum>(sql)) {
      if (checksumOf(range) === range.checksum) continue;
      this.#remove(range);
      isSound = false;
    }
    for (const head of this.#statements.all<Head & Checksum>("SELECT * FROM heads")) {
      if (crcOf(head.hash, head.number) === head.checksum) continue;
      this.#statements.run("DELETE FROM heads WHERE number = ?", head.number);
      isSound = false;
    }
    return isSound;
  }

  /** The gaps between ranges, before the first and after the last; both numbers are exclusive. */
  gaps(): ReadonlyArray<readonly [after: number, before: number]> {
    const ranges = this.#ranges();
    const starts = [-1, ...ranges.map(({ toBlock }) => toBlock)];
    const ends = [...ranges.map(({ fromBlock }) => fromBlock), Number.MAX_SAFE_INTEGER];
    return starts.map((after, at) => [after, ends[at]!]);
  }

  /** The number of a block whose hash is known. */
  numberOf(hash: string): number | undefined {
    const sql = "SELECT number FROM heads WHERE hash = ?";
    return this.#statements.get<Head>(sql, bytesOf(hash))?.number;
  }

  /** The newest blocks whose hashes are known, ascending. */
  #newestIn(fromBlock: number, toBlock: number): CoveredRange["blocks"] {
    const hashes = new Map<number, Uint8Array>();
    for (const [table, columns] of [
      ["blocks", "number, hash"],
      ["heads", "number, hash, checksum"],
    ]) {
      const sql = `SELECT ${columns} FROM ${table} WHERE number BETWEEN ? AND ?
        ORDER BY number DESC LIMIT ${HEADS_MAX}`;
      for (const row of this.#statements.all<Head & Partial<Checksum>>(sql, fromBlock, toBlock)) {
        const { number, hash, checksum } = row;
        if (checksum === undefined || crcOf(hash, number) === checksum) hashes.set(number, hash);
      }
    }
    return [...hashes]
      .sort(([a], [b]) => a - b)
      .slice(-HEADS_MAX)
      .map(([number, hash]) => ({ number, hash: hexOf(hash) }));
  }

  #name(number: number, hash: Uint8Array): void {
    const sql = "INSERT OR REPLACE INTO heads VALUES (?, ?, ?)";
    this.#statements.run(sql, number, hash, crcOf(hash, number));
  }

  /** Time of the first block with swaps after a block. */
  #timeAfter(number: number): number | undefined {
    const sql = "SELECT time_ms AS ms FROM blocks WHERE number > ? ORDER BY number LIMIT 1";
    return this.#statements.get<{ ms: number }>(sql, number)?.ms;
  }

  #ranges(): ReadonlyArray<Range> {
    return this.#touching(0, Number.MAX_SAFE_INTEGER);
  }

  #touching(fromBlock: number, toBlock: number): ReadonlyArray<Range> {
    const sql = `SELECT from_block AS fromBlock, to_block AS toBlock, from_ms AS fromMs, checksum
      FROM ranges WHERE to_block >= ? AND from_block <= ? ORDER BY from_block`;
    const rows = this.#statements.all<Range & Checksum>(sql, fromBlock, toBlock);
    return rows.filter((range) => checksumOf(range) === range.checksum);
  }

  #remove({ fromBlock }: Range): void {
    this.#statements.run("DELETE FROM ranges WHERE from_block = ?", fromBlock);
  }

  #insert(range: Range): void {
    const { fromBlock, toBlock, fromMs } = range;
    this.#statements.run(
      "INSERT OR REPLACE INTO ranges VALUES (?, ?, ?, ?)",
      fromBlock,
      toBlock,
      fromMs,
      checksumOf(range),
    );
  }
}
