import { type Checked, crcOf, isSound, type Statements } from "./Statements.ts";

/** A block as stored in a file. */
export interface StoredBlock {
  readonly number: number;
  readonly timestampMs: number;
  readonly hash: Uint8Array;
  /** See `encodeBlock`. */
  readonly bytes: Uint8Array;
}

/** A block, or the reason why there is none. */
export function readBlock(
  statements: Statements,
  number: number,
): StoredBlock | "missing" | "damaged" {
  const row = statements.get<StoredBlock & Checked>(
    "SELECT number, time_ms AS timestampMs, hash, bytes, checksum FROM blocks WHERE number = ?",
    number,
  );
  if (row === undefined) return "missing";
  return isSound(row, ...columnsOf(row)) ? row : "damaged";
}

/** Stores a block with this many swaps. */
export function insertBlock(statements: Statements, block: StoredBlock, swapCount: number): void {
  const { number, hash, timestampMs, bytes } = block;
  statements.run(
    "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)",
    number,
    hash,
    timestampMs,
    swapCount,
    bytes,
    crcOf(bytes, ...columnsOf(block)),
  );
}

/** The other columns that a row's checksum covers. */
const columnsOf = ({ number, timestampMs, hash }: StoredBlock): ReadonlyArray<number> => [
  number,
  timestampMs,
  crcOf(hash),
];
