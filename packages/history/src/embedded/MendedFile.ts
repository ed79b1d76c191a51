import type { HistorySize } from "../HistoryStore.ts";
import { BlockIndex } from "./BlockIndex.ts";
import { type CandleParts, CandleTables, HOUR_SECONDS } from "./CandleTables.ts";
import { FileError } from "./FileError.ts";
import { readBlock } from "./readBlock.ts";
import { SqliteReads } from "./SqliteReads.ts";
import { crcOf, type Damage, DamagedRow, damageInWords, NO_BYTES } from "./Statements.ts";
import { UnindexedBlocks } from "./UnindexedBlocks.ts";

/** Maximum number of rows that one call mends. */
const MENDINGS_MAX = 100;
/** Maximum number of hours around a damaged block that are made anew. */
const DAMAGED_HOURS_MAX = 48;

/** A SQLite file whose damaged rows are mended when they are met; see `SqliteHistory`. */
export class MendedFile extends SqliteReads {
  protected sizes = { blocks: 0, swaps: 0 };
  /** Version of the file as of which the newest blocks, numbers and sizes are cached. */
  #dataVersion: number | undefined;
  /** Number of one of the newest blocks that is damaged. */
  #damagedBlock: number | undefined;
  /** Findings since the last check. */
  protected readonly lost: number[] = [];
  protected readonly mendings: string[] = [];

  /** Runs `work`, mending damage first where it meets any: the row is forgotten or made anew. */
  mended<A>(work: () => A): A {
    const places = new Set<string>();
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof DamagedRow)) throw error;
        // Damage that stays is in one of SQLite's own pages.
        if (places.size === MENDINGS_MAX || places.has(error.message)) {
          throw new FileError("Damaged", error.message);
        }
        places.add(error.message);
        this.mend(error.place);
      }
    }
  }

  /** Forgets a damaged block, which becomes a gap; makes any other damaged row anew. */
  protected mend(damage: Damage): void {
    if (damage.kind === "block") this.lost.push(damage.number);
    else this.mendings.push(`made anew: ${damageInWords(damage)}`);
    this.mended(() => {
      this.transact(() => {
        if (damage.kind === "block") this.forgetDamaged(damage.number);
        else if (damage.kind === "candles") {
          for (const hour of this.candleTables.hoursToMend(damage)) {
            this.rebuildHour(new Set([damage.subject]), hour);
          }
        } else {
          const { kind, place } = damage;
          const [first, last] = BlockIndex.blocksAt(kind, place);
          const sql = "SELECT number FROM blocks WHERE number BETWEEN ? AND ?";
          const keys = this.#indexed(sql, first, last).map((block) => block.keys);
          this.blockIndex.replace(kind, place, keys);
        }
      });
    });
  }

  /** Does all of `work`, or nothing, and updates what is cached about the file. */
  protected transact<A>(work: () => A): A {
    try {
      return this.statements.transaction(() => {
        this.#refresh();
        const result = work();
        const { blocks, swaps } = this.sizes;
        const sql = "INSERT OR REPLACE INTO facts VALUES ('size', ?)";
        this.statements.run(sql, JSON.stringify([blocks, swaps]));
        return result;
      });
    } catch (error) {
      this.numbers.clear();
      this.reload();
      throw error;
    }
  }

  /** Reads one consistent state of a file that others may write. */
  readTogether<A>(read: () => A): A {
    return this.statements.transaction(() => {
      this.#refresh();
      this.expectSound();
      return read();
    }, "DEFERRED");
  }

  /** Throws DamagedRow when one of the newest blocks cannot be read. */
  protected expectSound(): void {
    const number = this.#damagedBlock;
    if (number !== undefined) throw new DamagedRow({ kind: "block", number });
  }

  /** Reads what is cached about the file again if another process has written. */
  #refresh(): void {
    type Row = { data_version: number };
    const { data_version: version } = this.statements.get<Row>("PRAGMA data_version")!;
    if (version === this.#dataVersion) return;
    this.numbers.clear();
    [this.#damagedBlock] = this.reload();
    this.#dataVersion = this.#damagedBlock === undefined ? version : undefined;
  }

  /** Forgets an unreadable block. What it added to candles goes when these are made anew. */
  protected forgetDamaged(number: number): void {
    const sql = "SELECT time_ms AS timestampMs FROM blocks WHERE number = ?";
    const row = this.statements.get<{ timestampMs: number }>(sql, number);
    if (row === undefined) return;
    this.deleteBlock(number);
    this.ranges.subtract(number, number);
    for (const hour of this.#hoursAround(number, row.timestampMs)) {
      this.rebuildHour(new Set(this.candleTables.subjectsAround(hour)), hour);
    }
  }

  /** Hours in which a damaged block may have been: its time may be damaged, too. */
  #hoursAround(number: number, timestampMs: number): ReadonlySet<number> {
    const before = "SELECT max(number) AS number, time_ms AS ms FROM blocks WHERE number < ?";
    const after = "SELECT min(number) AS number, time_ms AS ms FROM blocks WHERE number > ?";
    type Neighbour = { ms: number | null };
    const from = this.statements.get<Neighbour>(before, number)?.ms ?? timestampMs;
    const to = this.statements.get<Neighbour>(after, number)?.ms ?? from + HOUR_MS;
    const hours = new Set<number>();
    for (let hour = hourOf(from); hour <= hourOf(to) && hours.size < DAMAGED_HOURS_MAX; hour++) {
      hours.add(hour);
    }
    return hours.add(hourOf(timestampMs));
  }

  protected deleteBlock(number: number): void {
    const swaps = "SELECT swaps FROM blocks WHERE number = ?";
    this.sizes.swaps -= this.statements.get<{ swaps: number }>(swaps, number)?.swaps ?? 0;
    this.sizes.blocks--;
    this.statements.run("DELETE FROM blocks WHERE number = ?", number);
    this.statements.run("DELETE FROM unindexed WHERE number = ?", number);
    this.recent.remove(number);
  }

  /** Makes an hour's candles of some subjects anew, from the indexed blocks. */
  protected rebuildHour(subjects: ReadonlySet<number>, hour: number): void {
    const parts: CandleParts = new Map();
    for (const subject of subjects) CandleTables.addHour(parts, subject, hour);
    const sql = "SELECT number FROM blocks WHERE time_ms >= ? AND time_ms < ? ORDER BY number";
    const fromMs = hour * HOUR_MS;
    for (const { seconds, candles } of this.#indexed(sql, fromMs, fromMs + HOUR_MS)) {
      for (const [subject, draft] of candles) {
        if (subjects.has(subject)) CandleTables.add(parts, subject, seconds, draft);
      }
    }
    this.candleTables.replace(parts);
  }

  /** The contents of those blocks of a query that are indexed. */
  #indexed(sql: string, from: number, to: number) {
    return this.statements.all<{ number: number }>(sql, from, to).flatMap(({ number }) => {
      if (this.recent.contentsOf(number) !== undefined) return [];
      const block = readBlock(this.statements, number);
      return typeof block === "string" ? [] : [UnindexedBlocks.contents(block, this.numbers)];
    });
  }

  /** Reads the blocks not indexed yet, and the sizes; gives the damaged blocks. */
  protected reload(): ReadonlyArray<number> {
    const sql = "SELECT value FROM facts WHERE name = 'size'";
    const size = /^\[(\d+),(\d+)\]$/.exec(this.statements.get<{ value: string }>(sql)?.value ?? "");
    if (size === null) this.recount();
    else this.sizes = { blocks: Number(size[1]), swaps: Number(size[2]) };
    this.recent.clear();
    const damaged: number[] = [];
    type Row = { number: number; checksum: number };
    for (const { number, checksum } of this.statements.all<Row>("SELECT * FROM unindexed")) {
      const block = readBlock(this.statements, number);
      if (checksum !== crcOf(NO_BYTES, number) || block === "missing") {
        throw new FileError("Damaged", "the list of blocks to be indexed");
      }
      if (block === "damaged") damaged.push(number);
      else this.recent.add(block, this.numbers);
    }
    return damaged;
  }

  protected recount(): void {
    this.sizes = this.statements.get<{ blocks: number; swaps: number }>(
      "SELECT count(*) AS blocks, coalesce(sum(swaps), 0) AS swaps FROM blocks",
    )!;
  }

  size(): HistorySize {
    const pages = this.statements.get<{ page_count: number }>("PRAGMA page_count")!.page_count;
    const { page_size } = this.statements.get<{ page_size: number }>("PRAGMA page_size")!;
    return { ...this.sizes, bytes: pages * page_size };
  }
}

export const HOUR_MS = 1_000 * HOUR_SECONDS;
export const hourOf = (timestampMs: number): number => Math.floor(timestampMs / HOUR_MS);
