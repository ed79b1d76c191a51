import { Effect } from "effect";
import type { SqlError } from "effect/sql/SqlError";
import { bytesOf, hexOf } from "../embedded/Numbers.ts";
import type { CoveredBlocks, CoveredRange } from "../HistoryStore.ts";
import { type Database, table, unnest } from "./Database.ts";

/** Number of newest blocks whose hashes are kept, for each range and over all. */
const HEADS_MAX = 1_024;

interface Range {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly fromMs: number;
}

/** Ascending. A range reaches up to its newest block whose hash is known. */
export const selectRanges = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<ReadonlyArray<CoveredRange>, SqlError> {
  const { sql, chainId } = database;
  type Row = RangeRow & { numbers: ReadonlyArray<bigint>; hashes: ReadonlyArray<Uint8Array> };
  const newest = (name: "covered_blocks" | "blocks") =>
    sql`(SELECT number, hash FROM ${table(database, name)}
      WHERE chain_id = ${chainId} AND number BETWEEN from_block AND to_block
      ORDER BY number DESC LIMIT ${HEADS_MAX})`;
  const rows = yield* sql<Row>`
    SELECT from_block, to_block, from_time, numbers, hashes
    FROM ${table(database, "covered_ranges")} CROSS JOIN LATERAL (
      SELECT array_agg(number ORDER BY number) AS numbers, array_agg(hash ORDER BY number) AS hashes
      FROM (${newest("covered_blocks")} UNION ${newest("blocks")}
        ORDER BY number DESC LIMIT ${HEADS_MAX}) newest
    ) heads WHERE chain_id = ${chainId} AND numbers IS NOT NULL ORDER BY from_block`;
  return rows.map((row) => {
    const blocks = row.numbers.map((number, at) => ({
      number: Number(number),
      hash: hexOf(row.hashes[at]!),
    }));
    const last = blocks.at(-1)!;
    return { ...rangeOf(row), toBlock: last.number, toHash: last.hash, blocks };
  });
});

/** Adds ranges one after the other. */
export const addRanges = Effect.fnUntraced(function* (
  database: Database,
  ranges: ReadonlyArray<CoveredBlocks>,
): Effect.fn.Return<void, SqlError> {
  if (ranges.length === 0) return;
  const { sql, chainId } = database;
  const heads = new Map<number, string>();
  let joined: Range[] = [];
  for (const { blocks, ...range } of ranges) {
    joined = join(joined, range);
    for (const { number, hash } of blocks) heads.set(number, hash);
  }
  for (const range of joined) {
    const touching = yield* takeRanges(database, range.fromBlock - 1, range.toBlock + 1);
    yield* insertRanges(database, join(touching, range));
  }
  const rows = unnest(
    database,
    [...heads],
    [
      ["int8", ([number]) => BigInt(number)],
      ["bytea", ([, hash]) => bytesOf(hash)],
    ],
  );
  const covered = table(database, "covered_blocks");
  yield* sql`INSERT INTO ${covered} (chain_id, number, hash)
    SELECT ${chainId}::bigint, * FROM ${rows}
    ON CONFLICT (chain_id, number) DO UPDATE SET hash = excluded.hash`;
  yield* sql`DELETE FROM ${covered} WHERE chain_id = ${chainId}
    AND number <= (SELECT max(number) FROM ${covered} WHERE chain_id = ${chainId}) - ${HEADS_MAX}
    AND number NOT IN (SELECT to_block FROM ${table(database, "covered_ranges")}
      WHERE chain_id = ${chainId})`;
});

/** Blocks from … to are no longer all kept, or differ from the chain. */
export const subtractRange = Effect.fnUntraced(function* (
  database: Database,
  fromBlock: number,
  toBlock: number,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  const parts: Range[] = [];
  for (const range of yield* takeRanges(database, fromBlock, toBlock)) {
    if (range.fromBlock < fromBlock) parts.push({ ...range, toBlock: fromBlock - 1 });
    if (range.toBlock > toBlock) {
      const [next] = yield* sql<{ time: Date }>`SELECT time FROM ${table(database, "blocks")}
        WHERE chain_id = ${chainId} AND number > ${toBlock} ORDER BY number LIMIT 1`;
      const fromMs = next === undefined ? range.fromMs : next.time.getTime();
      parts.push({ ...range, fromBlock: toBlock + 1, fromMs });
    }
  }
  yield* insertRanges(database, parts);
  yield* sql`DELETE FROM ${table(database, "covered_blocks")}
    WHERE chain_id = ${chainId} AND number BETWEEN ${fromBlock} AND ${toBlock}`;
});

/** Adds a range to others, which do not touch each other. */
function join(ranges: ReadonlyArray<Range>, added: Range): Range[] {
  let joined = added;
  const apart = ranges.filter((other) => {
    if (other.toBlock < joined.fromBlock - 1 || other.fromBlock > joined.toBlock + 1) return true;
    joined = {
      fromBlock: Math.min(joined.fromBlock, other.fromBlock),
      toBlock: Math.max(joined.toBlock, other.toBlock),
      fromMs: other.fromBlock < joined.fromBlock ? other.fromMs : joined.fromMs,
    };
    return false;
  });
  return [...apart, joined].sort((a, b) => a.fromBlock - b.fromBlock);
}

const takeRanges = (database: Database, fromBlock: number, toBlock: number) =>
  Effect.map(
    database.sql<RangeRow>`DELETE FROM ${table(database, "covered_ranges")}
      WHERE chain_id = ${database.chainId} AND to_block >= ${fromBlock} AND from_block <= ${toBlock}
      RETURNING from_block, to_block, from_time`,
    (rows) => rows.map(rangeOf).sort((a, b) => a.fromBlock - b.fromBlock),
  );

const insertRanges = Effect.fnUntraced(function* (
  database: Database,
  ranges: ReadonlyArray<Range>,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  for (const { fromBlock, toBlock, fromMs } of ranges) {
    yield* sql`INSERT INTO ${table(database, "covered_ranges")}
      VALUES (${chainId}, ${fromBlock}, ${toBlock}, ${new Date(fromMs)})`;
  }
});

interface RangeRow {
  readonly from_block: bigint;
  readonly to_block: bigint;
  readonly from_time: Date;
}

const rangeOf = ({ from_block, to_block, from_time }: RangeRow): Range => ({
  fromBlock: Number(from_block),
  toBlock: Number(to_block),
  fromMs: from_time.getTime(),
});
