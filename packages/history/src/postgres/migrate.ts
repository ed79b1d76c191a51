import { Effect } from "effect";
import type { SqlError } from "effect/sql/SqlError";
import { HistoryError } from "../HistoryStore.ts";
import { type Database, table } from "./Database.ts";

/**
 * Steps that bring a schema from each version to the next; the first turns an empty schema into
 * version 1. A published step is never changed.
 */
const MIGRATIONS: ReadonlyArray<(schema: string) => ReadonlyArray<string>> = [
  (schema) => [
    // Blocks with swaps.
    `CREATE TABLE ${schema}.blocks (
      chain_id bigint, number bigint, time timestamptz NOT NULL, swaps integer NOT NULL,
      hash bytea NOT NULL, PRIMARY KEY (chain_id, number), CHECK (number >= 0)
    )`,
    `CREATE INDEX ON ${schema}.blocks (chain_id, time)`,
    `CREATE INDEX ON ${schema}.blocks (chain_id, hash)`,
    // Amounts in smallest units; unknown prices, values and makers are null. Columns of a fixed
    // width come first, to avoid padding between them.
    `CREATE TABLE ${schema}.trades (
      chain_id bigint, block_number bigint, time timestamptz NOT NULL, price_after double precision,
      log_index integer, pool bytea NOT NULL, token_in bytea NOT NULL, token_out bytea NOT NULL,
      amount_in numeric(78) NOT NULL, amount_out numeric(78) NOT NULL, value_usd numeric(20, 4),
      transaction_hash bytea NOT NULL, maker bytea,
      PRIMARY KEY (chain_id, block_number, log_index)
    )`,
    // By time, which ascends with the blocks: through the primary key, finding the newest trades of
    // one pool would read all pools.
    `CREATE INDEX ON ${schema}.trades (chain_id, pool, time)`,
    `CREATE INDEX ON ${schema}.trades (chain_id, token_in, time)`,
    `CREATE INDEX ON ${schema}.trades (chain_id, token_out, time)`,
    `CREATE INDEX ON ${schema}.trades (chain_id, maker, time) WHERE maker IS NOT NULL`,
    `CREATE INDEX ON ${schema}.trades USING hash (transaction_hash)`,
    // US dollars of a whole token at the end of a block in which it was swapped.
    `CREATE TABLE ${schema}.token_prices (
      chain_id bigint, block_number bigint, time timestamptz NOT NULL, usd double precision NOT NULL,
      token bytea, PRIMARY KEY (chain_id, block_number, token)
    )`,
    `CREATE INDEX ON ${schema}.token_prices (chain_id, token, time)`,
    // Candles of 60 and of 3,600 seconds. For a token in US dollars; for a pair, the price of
    // token0, the lower address, in token1, both in smallest units. Prices are null where none was
    // known.
    ...["token_candles", "pair_candles"].flatMap((name) => {
      const key = name === "token_candles" ? ["token"] : ["pool", "token0", "token1"];
      return [
        `CREATE TABLE ${schema}.${name} (
          chain_id bigint, start timestamptz, open double precision, high double precision,
          low double precision, close double precision, seconds integer,
          ${key.map((column) => `${column} bytea`).join(", ")}, volume_usd numeric(30, 4) NOT NULL,
          PRIMARY KEY (chain_id, ${key.join(", ")}, seconds, start)
        ) WITH (fillfactor = 80)`,
        `CREATE INDEX ON ${schema}.${name} (chain_id, start)`,
      ];
    }),
    // The ranges of blocks all of whose swaps are kept, and their newest blocks, with or without
    // swaps.
    `CREATE TABLE ${schema}.covered_ranges (
      chain_id bigint, from_block bigint, to_block bigint NOT NULL, from_time timestamptz NOT NULL,
      PRIMARY KEY (chain_id, from_block)
    )`,
    `CREATE TABLE ${schema}.covered_blocks (
      chain_id bigint, number bigint, hash bytea NOT NULL, PRIMARY KEY (chain_id, number)
    )`,
    `CREATE INDEX ON ${schema}.covered_blocks (chain_id, hash)`,
    `CREATE TABLE ${schema}.states (
      chain_id bigint, number bigint, time timestamptz NOT NULL, is_checkpoint boolean,
      hash bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (chain_id, number, is_checkpoint)
    )`,
  ],
];

/**
 * Brings a schema to the newest version, and creates it where missing; a schema of the newest
 * version is only read. Fails with `Foreign` for a later version.
 */
export const migrate = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<void, HistoryError | SqlError> {
  const { sql, schema } = database;
  if ((yield* versionOf(database)) === MIGRATIONS.length) return;
  yield* Effect.gen(function* () {
    // Processes that start at the same time wait here, and find it done.
    yield* lock(database, "schema");
    const version = yield* versionOf(database);
    if (version === 0) {
      yield* sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`;
      yield* sql`CREATE TABLE ${table(database, "schema_version")} (version integer NOT NULL)`;
      yield* sql`INSERT INTO ${table(database, "schema_version")} VALUES (0)`;
    }
    for (const migration of MIGRATIONS.slice(version)) {
      for (const statement of migration(`"${schema}"`)) yield* sql.unsafe(statement).unprepared;
    }
    yield* sql`UPDATE ${table(database, "schema_version")} SET version = ${MIGRATIONS.length}`;
  }).pipe(sql.withTransaction);
});

/**
 * Takes a lock until the end of the transaction, of the schema or of a chain; waits for its holder.
 */
export const lock = ({ sql, schema }: Database, what: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`millrace history: ${schema} ${what}`}, 0))`,
  );

/** 0 where there is no schema. */
const versionOf = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<number, HistoryError | SqlError> {
  const { sql, schema } = database;
  // From `pg_tables`, as they stand now: the lookup of a name may be cached from before the lock.
  const [found] = yield* sql<{ found: boolean }>`SELECT EXISTS (SELECT FROM pg_tables
    WHERE schemaname = ${schema} AND tablename = 'schema_version') AS found`;
  if (found?.found !== true) return 0;
  const rows = yield* sql<{ version: number }>`
    SELECT version FROM ${table(database, "schema_version")}`;
  const version = rows[0]?.version ?? 0;
  if (version <= MIGRATIONS.length) return version;
  const detail = `of version ${version}: this millrace knows versions up to ${MIGRATIONS.length}`;
  return yield* new HistoryError({ reason: "Foreign", detail });
});
