import { Effect } from "effect";
import type { SqlError } from "effect/sql/SqlError";
import type { Fragment } from "effect/sql/Statement";
import type { HistoryDamage, HistoryError } from "../HistoryStore.ts";
import { removeBlocks } from "./blockRows.ts";
import {
  CANDLE_KEYS,
  CANDLE_SECONDS,
  CANDLE_TABLES,
  type CandleTable,
  candleColumns,
  keyNames,
  merged,
  recountCandles,
  TouchedCandles,
} from "./candleRows.ts";
import { subtractRange } from "./coveredRows.ts";
import { type Database, table } from "./Database.ts";
import { lock } from "./migrate.ts";

const DAY_MS = 86_400_000;

/** The blocks of a day, together with any days without blocks before it. */
interface Span {
  readonly fromBlock: number;
  /** Both inclusive. */
  readonly toBlock: number;
  /** The first block of the day, before `fromBlock` where times of blocks go back at midnight. */
  readonly firstBlock: number;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/**
 * Compares blocks with their trades, and candles with a recount of all trades; mends both. Each day
 * is a transaction of its own: `oneWrite` lets others write between two. The server's own checksums
 * cover bytes on the disk, if it was set up with them.
 */
export const checkDays = Effect.fnUntraced(function* (
  database: Database,
  oneWrite: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
): Effect.fn.Return<HistoryDamage, HistoryError | SqlError> {
  const { sql, chainId } = database;
  const blocks: number[] = [];
  let candles = 0;
  for (const span of yield* spansOf(database)) {
    const checked = Effect.gen(function* () {
      yield* lock(database, `chain ${chainId}`);
      const damaged = yield* mendBlocks(database, span);
      return { damaged, mended: yield* mendCandles(database, span) };
    });
    const { damaged, mended } = yield* oneWrite(sql.withTransaction(checked));
    blocks.push(...damaged);
    candles += mended;
  }
  return { blocks, findings: candles === 0 ? [] : [`${candles} candles were made anew`] };
});

/** The spans together cover all blocks and all times. */
const spansOf = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<ReadonlyArray<Span>, SqlError> {
  const { sql, chainId } = database;
  const rows = yield* sql<{ day: Date; first: bigint; last: bigint }>`
    SELECT date_bin('1 day', time, timestamptz 'epoch') AS day, min(number) AS first,
      max(number) AS last
    FROM ${table(database, "blocks")} WHERE chain_id = ${chainId} GROUP BY day ORDER BY day`;
  const spans: Span[] = [];
  let [fromBlock, from] = [0, new Date(0)];
  for (const { day, first, last } of rows) {
    const to = new Date(day.getTime() + DAY_MS);
    spans.push({ fromBlock, toBlock: Number(last), firstBlock: Number(first), from, to });
    [fromBlock, from] = [Number(last) + 1, to];
  }
  const rest = { fromBlock, toBlock: Number.MAX_SAFE_INTEGER, firstBlock: fromBlock };
  spans.push({ ...rest, from, to: new Date(8.64e15) });
  return spans;
});

/** Forgets blocks that lack some of their trades; gives their numbers. */
const mendBlocks = Effect.fnUntraced(function* (
  database: Database,
  { fromBlock, toBlock }: Span,
): Effect.fn.Return<ReadonlyArray<number>, SqlError> {
  const { sql, chainId } = database;
  const inSpan = (number: string) =>
    sql`chain_id = ${chainId} AND ${sql(number)} BETWEEN ${fromBlock} AND ${toBlock}`;
  const rows = yield* sql<{ number: bigint }>`SELECT number FROM
      (SELECT number, swaps, time AS first, time AS last FROM ${table(database, "blocks")}
        WHERE ${inSpan("number")}) kept
    FULL JOIN (SELECT block_number AS number, count(*) AS swaps, min(time) AS first,
        max(time) AS last FROM ${table(database, "trades")}
        WHERE ${inSpan("block_number")} GROUP BY block_number) counted USING (number)
    WHERE (kept.swaps, kept.first, kept.last)
      IS DISTINCT FROM (counted.swaps, counted.first, counted.last) ORDER BY number`;
  const damaged = rows.map(({ number }) => Number(number));
  const touched = new TouchedCandles();
  yield* removeBlocks(database, damaged, touched);
  for (const number of damaged) yield* subtractRange(database, number, number);
  yield* recountCandles(database, touched);
  return damaged;
});

/**
 * Makes candles anew that are missing or differ from a recount of all trades; gives their number.
 */
const mendCandles = Effect.fnUntraced(function* (
  database: Database,
  span: Span,
): Effect.fn.Return<number, SqlError> {
  const { sql, chainId } = database;
  let count = 0;
  for (const name of CANDLE_TABLES) {
    for (const seconds of CANDLE_SECONDS) {
      const candles = table(database, name);
      const keys = keyNames(database, name);
      const columns = sql`chain_id, seconds, start, ${keys}, open, high, low, close, volume_usd`;
      const counted = sql`(SELECT ${chainId}::bigint AS chain_id, ${seconds}::integer AS seconds,
        start, ${keys}, open, high, low, close, volume_usd
        FROM (${countedCandles(database, name, seconds, span)}) counted)`;
      const isSame = CANDLE_KEYS[name].map((key) => sql`kept.${sql(key)} = wrong.${sql(key)}`);
      const wrong = yield* sql`DELETE FROM ${candles} kept USING
        (SELECT ${columns} FROM ${candles} WHERE chain_id = ${chainId} AND seconds = ${seconds}
          AND start >= ${span.from} AND start < ${span.to} EXCEPT ${counted}) wrong
        WHERE kept.chain_id = ${chainId} AND kept.seconds = ${seconds}
          AND kept.start = wrong.start AND ${sql.and(isSame)} RETURNING 1`;
      const missing = yield* sql`INSERT INTO ${candleColumns(database, name)}
        SELECT ${columns} FROM ${counted} counted ON CONFLICT DO NOTHING RETURNING 1`;
      count += Math.max(wrong.length, missing.length);
    }
  }
  return count;
});

/** The candles of all trades of a span; hours are counted from minutes. */
function countedCandles(
  database: Database,
  name: CandleTable,
  seconds: number,
  { firstBlock, toBlock, from, to }: Span,
): Fragment {
  const { sql, chainId } = database;
  const keys = keyNames(database, name);
  const bin = sql`date_bin(make_interval(secs => ${seconds}), time, timestamptz 'epoch')`;
  const inSpan = sql`chain_id = ${chainId} AND block_number BETWEEN ${firstBlock} AND ${toBlock}
    AND time >= ${from} AND time < ${to}`;
  const trades = table(database, "trades");
  if (seconds !== CANDLE_SECONDS[0]) {
    return sql`SELECT hour AS start, ${keys}, ${merged(database)} FROM (
        SELECT date_bin('1 hour', start, timestamptz 'epoch') AS hour, minutes.*
        FROM ${table(database, name)} minutes WHERE chain_id = ${chainId}
          AND seconds = ${CANDLE_SECONDS[0]} AND start >= ${from} AND start < ${to}) minutes
      GROUP BY hour, ${keys}`;
  }
  if (name === "pair_candles") {
    return sql`SELECT ${bin} AS start, pool, least(token_in, token_out) AS token0,
        greatest(token_in, token_out) AS token1, ${openToClose(database, sql`price_after`, sql`log_index`)},
        sum(coalesce(value_usd, 0)) AS volume_usd
      FROM ${trades} WHERE ${inSpan} GROUP BY 1, 2, 3, 4`;
  }
  const side = (token: Fragment, condition: Fragment) =>
    sql`SELECT time, ${token} AS token, coalesce(value_usd, 0) AS value_usd FROM ${trades}
      WHERE ${inSpan} AND ${condition}`;
  return sql`SELECT start, token, open, high, low, close, volume_usd FROM (
      SELECT ${bin} AS start, token, sum(value_usd) AS volume_usd FROM (
        ${side(sql`token_in`, sql`true`)}
        UNION ALL ${side(sql`token_out`, sql`token_in <> token_out`)}) sides GROUP BY 1, 2) volumes
    LEFT JOIN (SELECT ${bin} AS start, token, ${openToClose(database, sql`usd`, sql`block_number`)}
      FROM ${table(database, "token_prices")} WHERE ${inSpan} GROUP BY 1, 2) prices
    USING (start, token)`;
}

/** Known prices only. */
function openToClose({ sql }: Database, price: Fragment, inBlock: Fragment): Fragment {
  const known = sql`FILTER (WHERE ${price} IS NOT NULL)`;
  return sql`(array_agg(${price} ORDER BY block_number, ${inBlock}) ${known})[1] AS open,
    max(${price}) AS high, min(${price}) AS low,
    (array_agg(${price} ORDER BY block_number DESC, ${inBlock} DESC) ${known})[1] AS close`;
}
