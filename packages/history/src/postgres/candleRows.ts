import { Effect } from "effect";
import type { SqlError } from "effect/sql/SqlError";
import type { Fragment } from "effect/sql/Statement";
import { bytesOf } from "../embedded/Numbers.ts";
import { type Database, table, unnest } from "./Database.ts";

export const CANDLE_SECONDS = [60, 3_600] as const;
const [MINUTE, HOUR] = CANDLE_SECONDS;

/**
 * The key of a minute's candle, of a token or of a pair of a pool; addresses in the order of the
 * key's columns.
 */
interface TouchedKey {
  readonly addresses: ReadonlyArray<string>;
  readonly startMs: number;
}

/** Key columns of the two tables. */
export const CANDLE_KEYS = {
  token_candles: ["token"],
  pair_candles: ["pool", "token0", "token1"],
} as const;
export type CandleTable = keyof typeof CANDLE_KEYS;
export const CANDLE_TABLES: ReadonlyArray<CandleTable> = ["token_candles", "pair_candles"];

/** The candles that a transaction has to make anew. */
export class TouchedCandles {
  readonly #keys = { token_candles: new Map(), pair_candles: new Map() } as Readonly<
    Record<CandleTable, Map<string, TouchedKey>>
  >;
  /** Swaps were removed: some candles may be left without a trade. */
  hasRemovals = false;

  /** A swap between two tokens, in either direction. */
  add(pool: string, one: string, other: string, timeMs: number): void {
    const startMs = timeMs - (timeMs % (1_000 * MINUTE));
    const [token0, token1] = one < other ? [one, other] : [other, one];
    this.#touch("pair_candles", [pool, token0, token1], startMs);
    this.#touch("token_candles", [token0], startMs);
    this.#touch("token_candles", [token1], startMs);
  }

  /** Keys of minutes, or of hours. */
  keysOf(name: CandleTable, seconds: number): ReadonlyArray<TouchedKey> {
    const minutes = [...this.#keys[name].values()];
    if (seconds === MINUTE) return minutes;
    const hours = minutes.map(({ addresses, startMs }) => {
      const hourMs = startMs - (startMs % (1_000 * seconds));
      return [`${addresses.join()} ${hourMs}`, { addresses, startMs: hourMs }] as const;
    });
    return [...new Map(hours).values()];
  }

  #touch(name: CandleTable, addresses: ReadonlyArray<string>, startMs: number): void {
    const key = `${addresses.join()} ${startMs}`;
    if (!this.#keys[name].has(key)) this.#keys[name].set(key, { addresses, startMs });
  }
}

/** Makes candles anew: minutes from trades and prices, hours from minutes. */
export const recountCandles = Effect.fnUntraced(function* (
  database: Database,
  touched: TouchedCandles,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  for (const name of CANDLE_TABLES) {
    for (const seconds of CANDLE_SECONDS) {
      const keys = touched.keysOf(name, seconds);
      if (keys.length === 0) continue;
      const rows = keyRows(database, name, keys);
      if (touched.hasRemovals) {
        const isSame = CANDLE_KEYS[name].map((key) => sql`kept.${sql(key)} = touched.${sql(key)}`);
        yield* sql`DELETE FROM ${table(database, name)} kept USING ${rows} touched
          WHERE ${sql.and(isSame)} AND kept.chain_id = ${chainId}
          AND kept.seconds = ${seconds} AND kept.start = touched.start`;
      }
      yield* sql`INSERT INTO ${candleColumns(database, name)}
        ${recount(database, name, seconds, rows)}
        ON CONFLICT (chain_id, ${keyNames(database, name)}, seconds, start) DO UPDATE SET open = excluded.open,
        high = excluded.high, low = excluded.low, close = excluded.close,
        volume_usd = excluded.volume_usd`;
    }
  }
});

/** Rows of keys and starts. */
function keyRows(database: Database, name: CandleTable, keys: ReadonlyArray<TouchedKey>): Fragment {
  const { sql } = database;
  const names = CANDLE_KEYS[name];
  const rows = unnest(database, keys, [
    ...names.map((_, at) => ["bytea", (key: TouchedKey) => bytesOf(key.addresses[at]!)] as const),
    ["timestamptz", ({ startMs }) => startMs],
  ]);
  return sql`(SELECT * FROM ${rows}
    AS keys (${keyNames(database, name)}, start))`;
}

/** The candles of some keys, as rows of `candleColumns`. */
function recount(database: Database, name: CandleTable, seconds: number, keys: Fragment): Fragment {
  const { sql, chainId } = database;
  const columns = sql.csv(CANDLE_KEYS[name].map((key) => sql`touched.${sql(key)}`));
  const source =
    seconds === HOUR
      ? hourSource(database, name)
      : name === "token_candles"
        ? tokenSource(database)
        : pairSource(database);
  return sql`SELECT ${chainId}::bigint, ${seconds}::integer, touched.start, ${columns},
      candle.open, candle.high, candle.low, candle.close, candle.volume_usd
    FROM ${keys} touched CROSS JOIN LATERAL (${source}) candle
    WHERE candle.volume_usd IS NOT NULL`;
}

/** `volume_usd` is null without a trade. */
function tokenSource(database: Database): Fragment {
  const { sql, chainId } = database;
  const inMinute = sql`chain_id = ${chainId} AND time >= touched.start
    AND time < touched.start + interval '1 minute'`;
  const volumes = [
    sql`token_in = touched.token`,
    sql`token_out = touched.token AND token_in <> token_out`,
  ].map(
    (side) => sql`SELECT coalesce(value_usd, 0) AS value_usd FROM ${table(database, "trades")}
      WHERE ${inMinute} AND ${side}`,
  );
  return sql`SELECT
      (array_agg(usd ORDER BY block_number))[1] AS open, max(usd) AS high, min(usd) AS low,
      (array_agg(usd ORDER BY block_number DESC))[1] AS close,
      (SELECT sum(value_usd) FROM (${sql.join(" UNION ALL ", false)(volumes)}) sides) AS volume_usd
    FROM ${table(database, "token_prices")} WHERE ${inMinute} AND token = touched.token`;
}

function pairSource(database: Database): Fragment {
  const { sql, chainId } = database;
  const [first, last] = [sql`block_number, log_index`, sql`block_number DESC, log_index DESC`];
  const known = sql`FILTER (WHERE price_after IS NOT NULL)`;
  return sql`SELECT
      (array_agg(price_after ORDER BY ${first}) ${known})[1] AS open,
      max(price_after) AS high, min(price_after) AS low,
      (array_agg(price_after ORDER BY ${last}) ${known})[1] AS close,
      sum(coalesce(value_usd, 0)) AS volume_usd
    FROM ${table(database, "trades")} WHERE chain_id = ${chainId} AND pool = touched.pool
      AND time >= touched.start AND time < touched.start + interval '1 minute'
      AND least(token_in, token_out) = touched.token0
      AND greatest(token_in, token_out) = touched.token1`;
}

function hourSource(database: Database, name: CandleTable): Fragment {
  const { sql, chainId } = database;
  const isSame = CANDLE_KEYS[name].map((key) => sql`minutes.${sql(key)} = touched.${sql(key)}`);
  return sql`SELECT ${merged(database)} FROM ${table(database, name)} minutes
    WHERE minutes.chain_id = ${chainId} AND ${sql.and(isSame)} AND minutes.seconds = ${MINUTE}
      AND minutes.start >= touched.start AND minutes.start < touched.start + interval '1 hour'`;
}

/** The columns of a candle that merges several, in order of their start. */
export function merged({ sql }: Database): Fragment {
  const known = sql`FILTER (WHERE open IS NOT NULL)`;
  return sql`(array_agg(open ORDER BY start) ${known})[1] AS open,
    max(high) AS high, min(low) AS low,
    (array_agg(close ORDER BY start DESC) ${known})[1] AS close, sum(volume_usd) AS volume_usd`;
}

/** The key columns that tell the subject of a candle. */
export const keyNames = ({ sql }: Database, name: CandleTable): Fragment =>
  sql.csv(CANDLE_KEYS[name].map((key) => sql`${sql(key)}`));

export function candleColumns(database: Database, name: CandleTable): Fragment {
  const { sql } = database;
  return sql`${table(database, name)} (chain_id, seconds, start, ${keyNames(database, name)},
    open, high, low, close, volume_usd)`;
}
