import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";

type Row = Readonly<Record<string, unknown>>;

/** The statements of a file; each is prepared once, except those of `each`. */
export class Statements {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  run(sql: string, ...values: ReadonlyArray<SQLInputValue>): number {
    return Number(this.#prepare(sql).run(...values).lastInsertRowid);
  }

  get<A = Row>(sql: string, ...values: ReadonlyArray<SQLInputValue>): A | undefined {
    return this.#prepare(sql).get(...values) as A | undefined;
  }

  all<A = Row>(sql: string, ...values: ReadonlyArray<SQLInputValue>): ReadonlyArray<A> {
    return this.#prepare(sql).all(...values) as unknown as ReadonlyArray<A>;
  }

  /** Rows one by one, from a statement of its own. */
  each<A = Row>(sql: string, ...values: ReadonlyArray<SQLInputValue>): IterableIterator<A> {
    return this.database.prepare(sql).iterate(...values) as unknown as IterableIterator<A>;
  }

  /** Does all of `work`, or nothing. */
  transaction<A>(work: () => A, kind: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE"): A {
    this.database.exec(`BEGIN ${kind}`);
    try {
      const result = work();
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite rolls back by itself when the disk is full.
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/** Stored bytes, with the checksum that reveals damage. */
export interface Checked {
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

export const NO_BYTES = new Uint8Array();

/**
 * CRC-32 of the bytes of a row and its other columns. Signed, since SQLite then keeps it in four
 * bytes. NaN where the value is not bytes any more.
 */
export const crcOf = (bytes: Uint8Array, ...others: ReadonlyArray<number>): number =>
  bytes instanceof Uint8Array ? crc32(bytes, crc32(others.join())) | 0 : Number.NaN;

export const isSound = ({ bytes, checksum }: Checked, ...others: ReadonlyArray<number>): boolean =>
  crcOf(bytes, ...others) === checksum;

/** An hour since 1970 of a subject's candles (see `pairCandles`). */
export interface SubjectHour {
  readonly subject: number;
  readonly hour: number;
}

/** The row read is not the one written: it can be mended, or done without. */
export class DamagedRow extends Error {
  readonly place: Damage;

  constructor(place: Damage) {
    super(damageInWords(place));
    this.place = place;
  }
}

export type Damage =
  | { readonly kind: "block"; readonly number: number }
  | ({ readonly kind: "candles" } & SubjectHour)
  /** A row of an index, by its place; see `BlockIndex`. */
  | { readonly kind: IndexTable; readonly place: number };

/** See `BlockIndex`. */
export const INDEX_TABLES = ["postings", "makers", "transactions"] as const;

export type IndexTable = (typeof INDEX_TABLES)[number];

export function damageInWords(damage: Damage): string {
  if (damage.kind === "block") return `block ${damage.number}`;
  if (damage.kind === "candles")
    return `candles of hour ${damage.hour} of subject ${damage.subject}`;
  return `${damage.kind} of place ${damage.place}`;
}
