import type { PgTypes } from "@effect/sql-pg";
import { Result } from "effect";
import type { SqlClient } from "effect/sql/SqlClient";
import type { SqlError } from "effect/sql/SqlError";
import type { Fragment } from "effect/sql/Statement";
import { HistoryError } from "../HistoryStore.ts";

/** A database with the history of one chain, among those of others. */
export interface Database {
  readonly sql: SqlClient;
  readonly types: typeof PgTypes;
  readonly chainId: number;
  /** The schema of its tables. */
  readonly schema: string;
}

/** The name of a table, with its schema, so that no session's search path leads elsewhere. */
export const table = ({ sql, schema }: Database, name: TableName) => sql(`${schema}.${name}`);

export type TableName =
  | "schema_version"
  | "blocks"
  | "trades"
  | "token_prices"
  | "token_candles"
  | "pair_candles"
  | "covered_ranges"
  | "covered_blocks"
  | "states";

type ColumnType = "bytea" | "int4" | "int8" | "float8" | "numeric" | "timestamptz";

/** Values as an array of a PostgreSQL type. */
export function array(
  { types }: Database,
  type: ColumnType,
  values: ReadonlyArray<unknown>,
): unknown {
  return Result.getOrThrow(types.array(values, types.OID[type]));
}

/** Rows for `FROM`: the type and the value of each column. */
export function unnest<Row>(
  database: Database,
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<readonly [ColumnType, (row: Row) => unknown]>,
): Fragment {
  const { sql } = database;
  const arrays = columns.map(([type, valueOf]) => {
    const values = rows.map((row) => valueOf(row));
    return sql`${array(database, type, values)}`;
  });
  return sql`unnest(${sql.csv(arrays)})`;
}

/** The error to give to the caller, without addresses and passwords. */
export function failureIn(error: SqlError): HistoryError {
  const { _tag, cause } = error.reason;
  const { code = "", message } = cause as { readonly code?: string; readonly message?: string };
  const reason = REASONS.find(([start]) => code !== "" && code.startsWith(start))?.[1];
  const detail = _tag === "ConnectionError" ? "no connection" : (message ?? _tag);
  const detailed = `PostgreSQL: ${detail}${code === "" ? "" : ` (${code})`}`;
  return new HistoryError({ reason: reason ?? "Unavailable", detail: detailed });
}

/** By the beginning of the server's error code; without a code, the server gave no answer. */
const REASONS: ReadonlyArray<readonly [string, HistoryError["reason"]]> = [
  ["53100", "Full"],
  ["25006", "ReadOnly"],
  ["42501", "ReadOnly"],
  ["XX001", "Damaged"],
  ["XX002", "Damaged"],
  // Tables or columns that are not ours.
  ["42", "Foreign"],
  ["22", "Invalid"],
  ["23", "Invalid"],
];
