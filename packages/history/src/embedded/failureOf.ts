import type { HistoryError } from "../HistoryStore.ts";
import { FileError } from "./FileError.ts";
import { DamagedRow } from "./Statements.ts";

/** By SQLite's primary result code. */
const REASONS: ReadonlyMap<number, HistoryError["reason"]> = new Map([
  [1, "Damaged"], // a table or column is missing
  [5, "Unavailable"], // busy
  [7, "Unavailable"], // no memory
  [6, "Unavailable"], // locked
  [8, "ReadOnly"],
  [10, "Unavailable"], // input or output
  [11, "Damaged"],
  [13, "Full"],
  [14, "Unavailable"], // cannot be opened
  [18, "Damaged"], // too long
  [19, "Damaged"], // a constraint, which all that is written keeps
  [20, "Damaged"], // of another type
  [26, "Damaged"], // no database
]);

/** What the caller's HistoryError is to say; a defect is thrown. */
export function failureOf(error: unknown): Pick<HistoryError, "reason" | "detail"> {
  if (error instanceof FileError) return { reason: error.reason, detail: error.message };
  if (error instanceof DamagedRow) return { reason: "Damaged", detail: error.message };
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  const reason =
    errcode === undefined ? REASONS_OF_CODES.get(code ?? "") : REASONS.get(errcode % 256);
  if (reason === undefined) throw error;
  return { reason, detail: message };
}

const REASONS_OF_CODES: ReadonlyMap<string, HistoryError["reason"]> = new Map([
  ["EACCES", "ReadOnly"],
  ["EROFS", "ReadOnly"],
  ["ENOSPC", "Full"],
  ["ENOTDIR", "Unavailable"],
  ["ERR_OUT_OF_RANGE", "Damaged"],
]);
