import type { StateRange, StatesQuery, StoredState } from "../HistoryStore.ts";
import { FileError } from "./FileError.ts";
import { bytesOf, hexOf } from "./Numbers.ts";
import { type Checked, crcOf, type Statements } from "./Statements.ts";

/** Checkpoints and deltas of a market, by block. */
export class StateTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  add({ stamp: { number, hash, timestampMs }, kind, bytes }: StoredState): void {
    this.#statements.run(
      "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?)",
      number,
      kind === "checkpoint" ? 1 : 0,
      bytesOf(hash),
      timestampMs,
      bytes,
      checksumOf(bytes, number, kind === "checkpoint" ? 1 : 0, timestampMs, bytesOf(hash)),
    );
  }

  /** Takes back a block's checkpoint and delta. */
  revert(hash: string): void {
    const sql = "DELETE FROM states WHERE substr(hash, 1, 4) = substr(?1, 1, 4) AND hash = ?1";
    this.#statements.run(sql, bytesOf(hash));
  }

  revertAbove(number: number): void {
    this.#statements.run("DELETE FROM states WHERE number > ?", number);
  }

  /** See `HistoryStore.states`. */
  read({ asOf, after, limit }: StatesQuery): ReadonlyArray<StoredState> {
    if (after !== undefined) {
      return this.#rows(
        `${SELECT} WHERE number > ? AND number <= ? AND is_checkpoint = 0 ORDER BY number LIMIT ?`,
        ...[after, asOf, limit ?? -1],
      );
    }
    const sql = "SELECT max(number) AS number FROM states WHERE is_checkpoint = 1 AND number <= ?";
    const checkpoint = this.#statements.get<{ number: number | null }>(sql, asOf)!.number;
    if (checkpoint === null) return [];
    return this.#rows(
      `${SELECT} WHERE number = ?1 AND is_checkpoint = 1
        UNION ALL ${SELECT} WHERE number >= ?1 AND number <= ?2 AND is_checkpoint = 0
        ORDER BY number, isCheckpoint DESC`,
      ...[checkpoint, asOf],
    );
  }

  /** See `HistoryStore.stateRange`. */
  range(): StateRange | undefined {
    const { fromBlock, toBlock } = this.#statements.get<{
      fromBlock: number | null;
      toBlock: number;
    }>(`SELECT (SELECT min(number) FROM states WHERE is_checkpoint = 1) AS fromBlock,
      (SELECT max(number) FROM states) AS toBlock`)!;
    return fromBlock === null ? undefined : { fromBlock, toBlock };
  }

  /** Removes damaged states; gives their block numbers. */
  mend(): ReadonlyArray<number> {
    const damaged: StateRow[] = [];
    for (const row of this.#statements.each<StateRow>(SELECT)) {
      if (!isSound(row)) damaged.push(row);
    }
    for (const { number, isCheckpoint } of damaged) {
      const sql = "DELETE FROM states WHERE number = ? AND is_checkpoint = ?";
      this.#statements.run(sql, number, isCheckpoint);
    }
    return damaged.map(({ number }) => number);
  }

  /**
   * Forgets what no block after a time needs: everything before the last checkpoint before that
   * time.
   */
  forget(beforeMs: number): void {
    this.#statements.run(
      `DELETE FROM states WHERE number <
        (SELECT max(number) FROM states WHERE is_checkpoint = 1 AND time_ms < ?)`,
      beforeMs,
    );
  }

  #rows(sql: string, ...values: ReadonlyArray<number>): ReadonlyArray<StoredState> {
    return this.#statements.all<Checked & StateRow>(sql, ...values).map((row) => {
      const { number, hash, timestampMs, isCheckpoint, bytes } = row;
      if (!isSound(row)) {
        throw new FileError("Damaged", `the state of block ${number}`);
      }
      return {
        stamp: { number, hash: hexOf(hash), timestampMs },
        kind: isCheckpoint === 1 ? "checkpoint" : "delta",
        bytes,
      };
    });
  }
}

const SELECT = `SELECT number, is_checkpoint AS isCheckpoint, hash, time_ms AS timestampMs, bytes,
  checksum FROM states`;

interface StateRow extends Checked {
  readonly number: number;
  readonly isCheckpoint: number;
  readonly hash: Uint8Array;
  readonly timestampMs: number;
}

const checksumOf = (
  bytes: Uint8Array,
  number: number,
  isCheckpoint: number,
  timestampMs: number,
  hash: Uint8Array,
): number => crcOf(bytes, number, isCheckpoint, timestampMs, crcOf(hash));

const isSound = ({ bytes, number, isCheckpoint, timestampMs, hash, checksum }: StateRow): boolean =>
  checksumOf(bytes, number, isCheckpoint, timestampMs, hash) === checksum;
