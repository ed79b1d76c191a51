import { Effect } from "effect";
import type { SqlError } from "effect/sql/SqlError";
import { bytesOf } from "../embedded/Numbers.ts";
import type { HistoryBlock } from "../HistoryBlock.ts";
import type { CoveredBlocks, HistoryChange, HistoryError, StoredState } from "../HistoryStore.ts";
import { addBlocks, removeBlocks } from "./blockRows.ts";
import { recountCandles, TouchedCandles } from "./candleRows.ts";
import { addRanges, subtractRange } from "./coveredRows.ts";
import { array, type Database, table } from "./Database.ts";
import { lock } from "./migrate.ts";

const HOUR_MS = 3_600_000;

/** See `HistoryStore.write`; one transaction. Other writers of this chain wait. */
export const writeChanges = (
  database: Database,
  changes: ReadonlyArray<HistoryChange>,
): Effect.Effect<void, HistoryError | SqlError> =>
  Effect.gen(function* () {
    yield* database.sql`SET LOCAL lock_timeout = ${database.sql.literal(`'${LOCK_SECONDS}s'`)}`;
    yield* lock(database, `chain ${database.chainId}`);
    const touched = new TouchedCandles();
    for (const part of partsOf(changes)) {
      if (part.kind === "revert") yield* revert(database, part.hashes, touched);
      else if (part.kind === "revertStates") yield* revertStates(database, part.hashes);
      else if (part.kind === "revertAbove") yield* revertAbove(database, part.number, touched);
      else if (part.kind === "forget") yield* forgetBefore(database, part.beforeMs);
      else if (part.kind === "forgetUncovered") yield* forgetUncovered(database, touched);
      else {
        yield* addBlocks(database, part.blocks, touched);
        yield* addRanges(database, part.ranges);
        yield* addStates(database, part.states);
      }
    }
    yield* recountCandles(database, touched);
  }).pipe(database.sql.withTransaction);

const LOCK_SECONDS = 10;

interface Additions {
  readonly kind: "additions";
  readonly blocks: HistoryBlock[];
  readonly ranges: CoveredBlocks[];
  readonly states: StoredState[];
}

type Part = Additions | Exclude<HistoryChange, { readonly kind: "block" | "covered" | "state" }>;

/** Groups consecutive additions, up to a change that takes something away. */
function partsOf(changes: ReadonlyArray<HistoryChange>): ReadonlyArray<Part> {
  const parts: Part[] = [];
  const additions = (): Additions => {
    const last = parts.at(-1);
    if (last?.kind === "additions") return last;
    const next: Additions = { kind: "additions", blocks: [], ranges: [], states: [] };
    parts.push(next);
    return next;
  };
  for (const change of changes) {
    if (change.kind === "block") additions().blocks.push(change.block);
    else if (change.kind === "covered") additions().ranges.push(change.range);
    else if (change.kind === "state") additions().states.push(change.state);
    else parts.push(change);
  }
  return parts;
}

const revert = Effect.fnUntraced(function* (
  database: Database,
  reverted: ReadonlyArray<string>,
  touched: TouchedCandles,
): Effect.fn.Return<void, SqlError> {
  if (reverted.length === 0) return;
  const { sql, chainId } = database;
  const hashes = array(database, "bytea", reverted.map(bytesOf));
  type Row = { number: bigint; has_swaps: boolean };
  const rows = yield* sql<Row>`
    SELECT number, bool_or(has_swaps) AS has_swaps FROM (
      SELECT number, false AS has_swaps FROM ${table(database, "covered_blocks")}
      WHERE chain_id = ${chainId} AND hash = ANY(${hashes})
      UNION ALL SELECT number, true FROM ${table(database, "blocks")}
      WHERE chain_id = ${chainId} AND hash = ANY(${hashes})
    ) known GROUP BY number ORDER BY number`;
  const numbers = rows.map(({ number }) => Number(number));
  yield* revertStates(database, reverted);
  for (const [from, to] of runsOf(numbers)) {
    yield* subtractRange(database, from, to);
  }
  const swapped = numbers.filter((_, at) => rows[at]!.has_swaps);
  yield* removeBlocks(database, swapped, touched);
});

const revertStates = (
  database: Database,
  reverted: ReadonlyArray<string>,
): Effect.Effect<unknown, SqlError> => {
  const { sql, chainId } = database;
  const hashes = array(database, "bytea", reverted.map(bytesOf));
  return sql`DELETE FROM ${table(database, "states")}
    WHERE chain_id = ${chainId} AND hash = ANY(${hashes})`;
};

const revertAbove = Effect.fnUntraced(function* (
  database: Database,
  number: number,
  touched: TouchedCandles,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  const above = yield* sql<{ number: bigint }>`
    SELECT number FROM ${table(database, "blocks")}
    WHERE chain_id = ${chainId} AND number > ${number}`;
  yield* sql`DELETE FROM ${table(database, "states")}
    WHERE chain_id = ${chainId} AND number > ${number}`;
  yield* subtractRange(database, number + 1, Number.MAX_SAFE_INTEGER);
  const numbers = above.map((block) => Number(block.number));
  yield* removeBlocks(database, numbers, touched);
});

/** First and last of each run of consecutive numbers. */
function runsOf(numbers: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> {
  const runs: Array<[number, number]> = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

const forgetUncovered = Effect.fnUntraced(function* (
  database: Database,
  touched: TouchedCandles,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  const rows = yield* sql<{ number: bigint }>`
    SELECT number FROM ${table(database, "blocks")} blocks WHERE chain_id = ${chainId}
    AND NOT EXISTS (SELECT FROM ${table(database, "covered_ranges")} covered
      WHERE covered.chain_id = ${chainId} AND number BETWEEN from_block AND to_block)`;
  const uncovered = rows.map(({ number }) => Number(number));
  yield* removeBlocks(database, uncovered, touched);
});

/** Forgets the states that no market from a time on needs, and the oldest hour of blocks. */
const forgetBefore = Effect.fnUntraced(function* (
  database: Database,
  beforeMs: number,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  const states = table(database, "states");
  yield* sql`DELETE FROM ${states} WHERE chain_id = ${chainId} AND number < (
    SELECT max(number) FROM ${states}
    WHERE chain_id = ${chainId} AND is_checkpoint AND time < ${new Date(beforeMs)})`;
  yield* forgetOldestHour(database, beforeMs);
});

/** Forgets the oldest hour, if all of it is before a time: its candles go with it, whole. */
const forgetOldestHour = Effect.fnUntraced(function* (
  database: Database,
  beforeMs: number,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  const blocks = table(database, "blocks");
  const [first] = yield* sql<{ time: Date }>`
    SELECT time FROM ${blocks} WHERE chain_id = ${chainId} ORDER BY time LIMIT 1`;
  if (first === undefined) return;
  const untilMs = (Math.floor(first.time.getTime() / HOUR_MS) + 1) * HOUR_MS;
  if (untilMs > beforeMs) return;
  const until = new Date(untilMs);
  const forgotten = yield* sql<{ number: bigint }>`
    DELETE FROM ${blocks} WHERE chain_id = ${chainId} AND time < ${until} RETURNING number`;
  const last = forgotten.reduce((max, { number }) => Math.max(max, Number(number)), 0);
  for (const name of ["trades", "token_prices"] as const) {
    yield* sql`DELETE FROM ${table(database, name)}
      WHERE chain_id = ${chainId} AND block_number <= ${last} AND time < ${until}`;
  }
  for (const name of ["token_candles", "pair_candles"] as const) {
    yield* sql`DELETE FROM ${table(database, name)}
      WHERE chain_id = ${chainId} AND start < ${until}`;
  }
  yield* subtractRange(database, 0, last);
});

const addStates = Effect.fnUntraced(function* (
  database: Database,
  states: ReadonlyArray<StoredState>,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  for (const { stamp, kind, bytes } of states) {
    yield* sql`INSERT INTO ${table(database, "states")}
      (chain_id, number, is_checkpoint, time, hash, bytes)
      VALUES (${chainId}, ${stamp.number}, ${kind === "checkpoint"},
        ${new Date(stamp.timestampMs)}, ${bytesOf(stamp.hash)}, ${Buffer.from(bytes)})
      ON CONFLICT (chain_id, number, is_checkpoint) DO UPDATE SET time = excluded.time,
      hash = excluded.hash, bytes = excluded.bytes`;
  }
});
