import type { BlockStamp } from "@millrace/core";
import { encodeBlock, PackedSwaps } from "../blocks/blockBytes.ts";
import { isHex } from "../blocks/isHex.ts";
import type { HistoryBlock } from "../HistoryBlock.ts";
import type { CoveredBlocks, HistoryChange, HistoryDamage } from "../HistoryStore.ts";
import { BLOCKS_MAX, type BlockKeys } from "./BlockIndex.ts";
import { type CandleParts, CandleTables } from "./CandleTables.ts";
import { FileError } from "./FileError.ts";
import { failureOf } from "./failureOf.ts";
import { HOUR_MS, hourOf, MendedFile } from "./MendedFile.ts";
import { bytesOf, hexOf } from "./Numbers.ts";
import { insertBlock, readBlock } from "./readBlock.ts";
import { crcOf, INDEX_TABLES, NO_BYTES } from "./Statements.ts";
import type { OpenFileOptions } from "./schema.ts";
import { UnindexedBlocks } from "./UnindexedBlocks.ts";

/** Blocks this far below the newest are indexed: reorganisations hardly reach them. */
const INDEXED_BELOW = 64;
/**
 * … in batches: at most this many blocks, or swaps, wait. Of many swaps, the newest keep waiting.
 */
const WAITING_BLOCKS = 64;
const WAITING_SWAPS = 10_000;
const NEWEST_SWAPS = 4_000;
/** … and are forgotten this many at a time. */
const FORGOTTEN_SWAPS = 5_000;
/** Bound of block times, in seconds. */
const SECONDS_MAX = 2 ** 32;

/**
 * The history of one chain in a SQLite file. A block is one row: its swaps, packed. The newest
 * blocks, which a reorganisation may take back, are also in `UnindexedBlocks`; older ones are in
 * indexes and candles. Calls must not overlap.
 */
export class SqliteHistory extends MendedFile {
  /** Blocks before this time are to be forgotten, some with each write. */
  #forgetMs: number | undefined;
  #isForgetting = false;

  constructor(options: OpenFileOptions) {
    super(options);
    if (options.isReadOnly === true) return;
    // Damage among the newest blocks becomes a gap.
    for (const number of this.reload()) this.mend({ kind: "block", number });
  }

  /** See `HistoryStore.write`. */
  write(changes: ReadonlyArray<HistoryChange>): void {
    this.mended(() => {
      this.transact(() => {
        this.expectSound();
        for (const change of changes) this.#take(change);
        this.#indexOld();
        if (this.#isForgetting) this.#forgetSome();
      });
    });
  }

  /** See `HistoryStore.check`. */
  check(): HistoryDamage {
    const findings: string[] = [];
    // Each check goes as far as it can; where SQLite's own pages are damaged, that may not be far.
    for (const look of [
      () => this.#checkPages(),
      () => this.#checkSmallTables(),
      () => this.#checkBlocks(),
      () => this.#checkMade(),
      () => this.recount(),
    ]) {
      try {
        findings.push(...(look() ?? []));
      } catch (error) {
        const { reason, detail } = failureOf(error);
        if (reason !== "Damaged") throw error;
        findings.push(detail);
      }
    }
    findings.push(...this.mendings.splice(0));
    return { blocks: this.lost.splice(0), findings };
  }

  #checkPages(): ReadonlyArray<string> {
    type Row = { integrity_check: string };
    const rows = this.statements.all<Row>("PRAGMA integrity_check(20)");
    const findings = rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
    // Tables are right more often than their indexes.
    if (findings.length > 0) this.statements.database.exec("REINDEX");
    return findings;
  }

  #checkSmallTables(): ReadonlyArray<string> {
    return this.transact(() => [
      ...this.numbers.check(),
      ...(this.ranges.check() ? [] : ["damaged ranges, or hashes of their blocks: they are gaps"]),
      ...this.stateTable.mend().map((number) => `the state of block ${number} is gone`),
    ]);
  }

  #checkBlocks(): void {
    for (const { number } of this.statements.all<{ number: number }>("SELECT number FROM blocks")) {
      if (readBlock(this.statements, number) === "damaged") this.mend({ kind: "block", number });
    }
  }

  #checkMade(): void {
    for (const place of this.candleTables.damaged()) this.mend({ kind: "candles", ...place });
    for (const table of INDEX_TABLES) {
      for (const place of this.blockIndex.damaged(table)) this.mend({ kind: table, place });
    }
  }

  close(): void {
    this.statements.database.close();
  }

  #take(change: HistoryChange): void {
    if (change.kind === "block") this.#addBlock(change.block);
    else if (change.kind === "covered") this.#addRange(change.range);
    else if (change.kind === "forget") this.#forgetBefore(change.beforeMs);
    else if (change.kind === "forgetUncovered") this.#forgetUncovered();
    else if (change.kind === "revert") this.#revert(change.hashes);
    else if (change.kind === "revertStates") {
      for (const hash of change.hashes) this.stateTable.revert(hash);
    } else if (change.kind === "revertAbove") this.#revertAbove(change.number);
    else this.stateTable.add(change.state);
  }

  #addBlock(block: HistoryBlock): void {
    const { number, hash, timestampMs } = block.stamp;
    checkStamp(block.stamp);
    const kept = this.#hashOf(number);
    if (kept === hash) return;
    if (kept !== undefined) {
      this.#removeBlocks([number]);
      this.stateTable.revert(kept);
      this.ranges.replaceHead(number, bytesOf(hash));
    }
    if (block.swaps.length === 0) return;
    const bytes = encoded(block, this.numbers);
    const stored = { number, hash: bytesOf(hash), timestampMs, bytes };
    insertBlock(this.statements, stored, block.swaps.length);
    const checksum = crcOf(NO_BYTES, number);
    this.statements.run("INSERT INTO unindexed VALUES (?, ?)", number, checksum);
    this.recent.add(stored, this.numbers);
    this.sizes.blocks++;
    this.sizes.swaps += block.swaps.length;
  }

  #addRange(range: CoveredBlocks): void {
    // A block with another hash replaces one that nobody took back.
    for (const { number, hash } of range.blocks) {
      const kept = this.#hashOf(number);
      if (kept === undefined || kept === hash) continue;
      this.#removeBlocks([number]);
      this.stateTable.revert(kept);
    }
    this.ranges.add(range);
  }

  #revert(hashes: ReadonlyArray<string>): void {
    const reverted: number[] = [];
    for (const hash of hashes) {
      this.stateTable.revert(hash);
      const number = this.ranges.numberOf(hash) ?? this.#numberOf(hash);
      if (number === undefined) continue;
      this.ranges.subtract(number, number);
      if (this.#hashOf(number) === hash) reverted.push(number);
    }
    this.#removeBlocks(reverted);
  }

  #revertAbove(number: number): void {
    const sql = "SELECT number FROM blocks WHERE number > ? ORDER BY number DESC";
    const above = this.statements.all<{ number: number }>(sql, number);
    this.stateTable.revertAbove(number);
    this.ranges.subtract(number + 1, Number.MAX_SAFE_INTEGER);
    this.#removeBlocks(above.map((block) => block.number));
  }

  /** Takes blocks out of everything derived from them; each hour is made anew only once. */
  #removeBlocks(numbers: ReadonlyArray<number>): void {
    const removed: BlockKeys[] = [];
    const hours = new Map<number, Set<number>>();
    for (const number of numbers) {
      const block = readBlock(this.statements, number);
      if (typeof block === "string") {
        this.forgetDamaged(number);
        continue;
      }
      const isIndexed = this.recent.contentsOf(number) === undefined;
      this.deleteBlock(number);
      if (!isIndexed) continue;
      const { keys, candles } = UnindexedBlocks.contents(block, this.numbers);
      removed.push(keys);
      const hour = hourOf(block.timestampMs);
      hours.set(hour, new Set([...(hours.get(hour) ?? []), ...candles.keys()]));
    }
    this.blockIndex.remove(removed);
    for (const [hour, subjects] of hours) this.rebuildHour(subjects, hour);
  }

  /** Moves blocks that are old enough into indexes and candles. */
  #indexOld(): void {
    if (this.recent.swapCount > WAITING_SWAPS) this.#index(this.recent.before(NEWEST_SWAPS));
    const old = this.recent.upTo(this.recent.newest - INDEXED_BELOW);
    if (old.length >= WAITING_BLOCKS) this.#index(old);
  }

  #index(numbers: ReadonlyArray<number>): void {
    const parts: CandleParts = new Map();
    const added = numbers.map((number) => this.recent.contentsOf(number)!);
    for (const { candles, seconds } of added) {
      for (const [subject, draft] of candles) CandleTables.add(parts, subject, seconds, draft);
    }
    this.candleTables.merge(parts);
    this.blockIndex.add(added.map(({ keys }) => keys));
    for (const number of numbers) {
      this.statements.run("DELETE FROM unindexed WHERE number = ?", number);
      this.recent.remove(number);
    }
  }

  /**
   * Forgets whole days, so that no candle outlives its blocks. The blocks are no longer covered
   * from now on; their content goes with this write and the following ones.
   */
  #forgetBefore(beforeMs: number): void {
    const dayMs = Math.floor(beforeMs / DAY_MS) * DAY_MS;
    const sql = "SELECT max(number) AS last FROM blocks WHERE time_ms < ?";
    const last = this.statements.get<{ last: number | null }>(sql, dayMs)?.last;
    this.stateTable.forget(beforeMs);
    if (last === null || last === undefined) return;
    this.ranges.subtract(0, last);
    this.#forgetMs = dayMs;
    this.#isForgetting = true;
  }

  #forgetSome(): void {
    const sql = "SELECT number, swaps FROM blocks WHERE time_ms < ? ORDER BY time_ms";
    const numbers: number[] = [];
    let swapCount = 0;
    type Row = { number: number; swaps: number };
    for (const { number, swaps } of this.statements.each<Row>(sql, this.#forgetMs!)) {
      if (swapCount >= FORGOTTEN_SWAPS) break;
      numbers.push(number);
      swapCount += swaps;
    }
    this.#isForgetting = swapCount >= FORGOTTEN_SWAPS;
    const parts: CandleParts = new Map();
    const forgotten: BlockKeys[] = [];
    for (const number of numbers) {
      const block = readBlock(this.statements, number);
      const isIndexed = this.recent.contentsOf(number) === undefined;
      this.deleteBlock(number);
      if (typeof block === "string" || !isIndexed) continue;
      const { keys, candles, seconds } = UnindexedBlocks.contents(block, this.numbers);
      forgotten.push(keys);
      for (const [subject, draft] of candles) CandleTables.add(parts, subject, seconds, draft);
    }
    this.blockIndex.remove(forgotten);
    this.candleTables.forgetDays(parts);
  }

  #forgetUncovered(): void {
    const sql = "SELECT number FROM blocks WHERE number > ? AND number < ?";
    const uncovered = this.ranges
      .gaps()
      .flatMap(([after, before]) => this.statements.all<{ number: number }>(sql, after, before));
    this.#removeBlocks(uncovered.map(({ number }) => number));
  }

  #hashOf(number: number): string | undefined {
    const sql = "SELECT hash FROM blocks WHERE number = ?";
    const row = this.statements.get<{ hash: Uint8Array }>(sql, number);
    if (row === undefined) return undefined;
    return row.hash instanceof Uint8Array ? hexOf(row.hash) : "";
  }

  #numberOf(hash: string): number | undefined {
    const sql =
      "SELECT number FROM blocks WHERE substr(hash, 1, 4) = substr(?1, 1, 4) AND hash = ?1";
    return this.statements.get<{ number: number }>(sql, bytesOf(hash))?.number;
  }
}

const DAY_MS = 24 * HOUR_MS;

function checkStamp({ number, hash, timestampMs }: BlockStamp): void {
  const seconds = timestampMs / 1_000;
  const isChain = isHex(hash, 32) && BigInt(hash) !== 0n;
  if (
    isChain &&
    Number.isSafeInteger(number) &&
    number >= 0 &&
    number < BLOCKS_MAX &&
    seconds >= 0 &&
    seconds < SECONDS_MAX
  ) {
    return;
  }
  throw invalid(`block ${number} (${hash}) of ${timestampMs} ms is none of a chain`);
}

function encoded(block: HistoryBlock, numbers: SqliteHistory["numbers"]): Uint8Array {
  try {
    const bytes = encodeBlock(block, numbers);
    const reader = new PackedSwaps(bytes);
    while (reader.next());
    return bytes;
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`block ${block.stamp.number}: ${error.message}`);
    throw error;
  }
}

const invalid = (detail: string): FileError => new FileError("Invalid", detail);
