import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { FileError } from "./FileError.ts";
import { MIGRATIONS } from "./migrations.ts";
import { Statements } from "./Statements.ts";

export interface OpenFileOptions {
  readonly path: string;
  readonly chainId: number;
  /** Maximum number of 4 KiB pages of the file, for tests of a full disk. */
  readonly pagesMax?: number | undefined;
  /** Only reads an existing file, while another process may write it. */
  readonly isReadOnly?: boolean | undefined;
}

/**
 * Opens a file, creates it where missing, and brings it to the newest version. What a transaction
 * wrote is on the disk when it ends. Throws a FileError for a foreign file.
 */
export function openFile({ path, chainId, pagesMax, isReadOnly }: OpenFileOptions): DatabaseSync {
  if (isReadOnly === true) return openToRead(path, chainId);
  mkdirSync(dirname(path), { recursive: true });
  const database = new (loadSqlite().DatabaseSync)(path, { timeout: BUSY_MS });
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA cell_size_check = ON;
      PRAGMA journal_size_limit = ${LOG_BYTES};
    `);
    if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count = ${pagesMax}`);
    migrate(database);
    database.exec("PRAGMA temp_store = MEMORY");
    claim(database, chainId);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Node's SQLite, without its experimental warning; other warnings pass. */
function loadSqlite(): typeof import("node:sqlite") {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...others) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) {
      Reflect.apply(emitWarning, process, [warning, ...others]);
    }
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Only its writer may bring a file of another version to this one. */
function openToRead(path: string, chainId: number): DatabaseSync {
  const database = openReadOnly(path);
  try {
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY;`);
    const version = versionOf(database);
    if (version !== MIGRATIONS.length) {
      const detail = `of version ${version}: this millrace reads version ${MIGRATIONS.length}`;
      throw new FileError("Foreign", detail);
    }
    checkChain(database, chainId);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export const openReadOnly = (path: string): DatabaseSync =>
  new (loadSqlite().DatabaseSync)(path, { readOnly: true, timeout: BUSY_MS });

const BUSY_MS = 5_000;
const CACHE_KIB = 16_384;
/** Room that the write-ahead log keeps after having needed more, as while the file was copied. */
const LOG_BYTES = 67_108_864;

function migrate(database: DatabaseSync): void {
  const version = versionOf(database);
  if (version > MIGRATIONS.length) {
    const detail = `of version ${version}: this millrace knows versions up to ${MIGRATIONS.length}`;
    throw new FileError("Foreign", detail);
  }
  const tables = "SELECT count(*) AS count FROM sqlite_schema";
  if (version === 0 && database.prepare(tables).get()?.["count"] !== 0) {
    throw new FileError("Foreign", "a database of something else");
  }
  const statements = new Statements(database);
  for (let next = version; next < MIGRATIONS.length; next++) {
    statements.transaction(() => {
      MIGRATIONS[next]!(statements);
      database.exec(`PRAGMA user_version = ${next + 1}`);
    });
  }
}

function versionOf(database: DatabaseSync): number {
  const row = database.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}

/** A file belongs to the chain that it was made for. */
function claim(database: DatabaseSync, chainId: number): void {
  database.prepare("INSERT OR IGNORE INTO facts VALUES ('chainId', ?)").run(String(chainId));
  checkChain(database, chainId);
}

function checkChain(database: DatabaseSync, chainId: number): void {
  const value = chainIn(database);
  if (value === chainId) return;
  throw new FileError("Foreign", `of chain ${value}, not ${chainId}`);
}

function chainIn(database: DatabaseSync): number | undefined {
  const found = database.prepare("SELECT value FROM facts WHERE name = 'chainId'").get();
  return found && Number(found["value"]);
}

/** The chain of a file. Throws as `openFile` does, or as SQLite does. */
export function chainOfFile(path: string): number {
  const database = openReadOnly(path);
  try {
    const chainId = versionOf(database) === 0 ? undefined : chainIn(database);
    if (chainId !== undefined) return chainId;
    throw new FileError("Foreign", "it is no history");
  } finally {
    database.close();
  }
}
