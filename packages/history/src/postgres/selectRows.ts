import { Effect } from "effect";
import { BeginTransaction } from "effect/sql/SqlClient";
import type { SqlError } from "effect/sql/SqlError";
import type { Fragment } from "effect/sql/Statement";
import { bytesOf, hexOf } from "../embedded/Numbers.ts";
import type { HistoryBlock, HistoryTrade } from "../HistoryBlock.ts";
import type {
  BlocksQuery,
  CandlesQuery,
  HistoryCandle,
  HistorySize,
  StateRange,
  StatesQuery,
  StoredState,
  TradesQuery,
} from "../HistoryStore.ts";
import { CANDLE_SECONDS, merged } from "./candleRows.ts";
import { array, type Database, table } from "./Database.ts";

/** Rows read at once, so that this thread has time for others. */
const BLOCKS_AT_ONCE = 200;
const SWAPS_AT_ONCE = 2_000;
const LIMIT_MAX = 2 ** 31;
/** The latest time of a Date. */
const MS_MAX = 8.64e15;

/** See `HistoryStore.trades`. */
export const selectTrades = Effect.fnUntraced(function* (
  database: Database,
  { of, pair, maker, before, fromMs, toMs, limit }: TradesQuery,
): Effect.fn.Return<ReadonlyArray<HistoryTrade>, SqlError> {
  const { sql, chainId } = database;
  const ofAll = [sql`chain_id = ${chainId}`, ...timesIn(database, sql`time`, fromMs, toMs)];
  if (pair !== undefined) {
    const tokens = array(database, "bytea", pair.map(bytesOf));
    ofAll.push(sql`token_in = ANY(${tokens}) AND token_out = ANY(${tokens})`);
  }
  if (maker !== undefined) ofAll.push(sql`maker = ${bytesOf(maker)}`);
  if (before !== undefined) {
    // Blocks do not go back in time; a bound on time uses the index that finds trades by time.
    ofAll.push(sql`(block_number, log_index) < (${before.blockNumber}, ${before.logIndex})
      AND time <= (SELECT time FROM ${table(database, "blocks")}
        WHERE chain_id = ${chainId} AND number <= ${before.blockNumber}
        ORDER BY number DESC LIMIT 1)`);
  }
  const order = sql`time DESC, block_number DESC, log_index DESC`;
  const lists = conditionsOf(database, of).map(
    (condition) => sql`(SELECT * FROM ${table(database, "trades")}
      WHERE ${condition} AND ${sql.and(ofAll)} ORDER BY ${order} LIMIT ${limitOf(limit)})`,
  );
  const rows = yield* sql<TradeRow>`SELECT ${tradeColumns(database)}, blocks.hash, time
    FROM (SELECT * FROM (${sql.join(" UNION ALL ", false)(lists)}) lists
      ORDER BY ${order} LIMIT ${limitOf(limit)}) trades
    JOIN LATERAL (SELECT hash FROM ${table(database, "blocks")} blocks
      WHERE blocks.chain_id = trades.chain_id AND blocks.number = trades.block_number) blocks
    ON true ORDER BY ${order}`;
  return rows.map((row) => ({ stamp: stampOf(row), ...swapOf(row) }));
});

/** See `HistoryStore.candles`. */
export const selectCandles = Effect.fnUntraced(function* (
  database: Database,
  { of, seconds, fromMs, toMs, limit }: CandlesQuery,
): Effect.fn.Return<ReadonlyArray<HistoryCandle>, SqlError> {
  const { sql, chainId } = database;
  const name = of.kind === "token" ? "token_candles" : "pair_candles";
  const level = CANDLE_SECONDS.findLast((each) => seconds % each === 0)!;
  const stepMs = 1_000 * seconds;
  const ofKey =
    of.kind === "token"
      ? sql`token = ${bytesOf(of.token)}`
      : sql`pool = ${bytesOf(of.pool)} AND token0 = ${bytesOf(of.token0)}
          AND token1 = ${bytesOf(of.token1)}`;
  const isWanted = sql.and([
    sql`chain_id = ${chainId} AND ${ofKey} AND seconds = ${level}`,
    ...timesIn(
      database,
      sql`start`,
      fromMs === undefined ? undefined : Math.ceil(fromMs / stepMs) * stepMs,
      toMs === undefined ? undefined : Math.floor(toMs / stepMs) * stepMs + stepMs - 1,
    ),
  ]);
  const start = sql`date_bin(make_interval(secs => ${seconds}), start, timestamptz 'epoch')`;
  const candles = table(database, name);
  // The newest candles have at most this many parts with a price: none of them begins earlier.
  const parts = Math.max(1, limitOf((limit * seconds) / level));
  const first = sql`SELECT ${start} FROM ${candles} WHERE ${isWanted} AND open IS NOT NULL
    ORDER BY start DESC OFFSET ${parts - 1} LIMIT 1`;
  const rows = yield* sql<CandleRow>`
    SELECT bin, open, high, low, close, volume_usd::double precision AS volume_usd
    FROM (SELECT ${start} AS bin, ${merged(database)} FROM ${candles}
      WHERE ${isWanted} AND start >= coalesce((${first}), '-infinity') GROUP BY bin) bins
    WHERE open IS NOT NULL ORDER BY bin DESC LIMIT ${limitOf(limit)}`;
  return rows
    .map(({ bin, open, high, low, close, volume_usd }) => {
      return { startMs: bin.getTime(), open, high, low, close, volumeUsd: volume_usd };
    })
    .reverse();
});

/** See `HistoryStore.blocks`. */
export const selectBlocks = (
  database: Database,
  { after, fromMs, toMs, swapsMax }: BlocksQuery,
): Effect.Effect<ReadonlyArray<HistoryBlock>, SqlError> => {
  const { sql, chainId } = database;
  const times = timesIn(database, sql`time`, fromMs, toMs);
  return Effect.gen(function* () {
    const found: HistoryBlock[] = [];
    let [last, swapCount, isEnd] = [after, 0, false];
    while (!isEnd && swapCount < swapsMax) {
      const rows = yield* sql<BlockRow>`SELECT number AS block_number, hash, time, swaps
        FROM ${table(database, "blocks")} WHERE chain_id = ${chainId} AND number > ${last}
        AND ${sql.and(times)} ORDER BY number LIMIT ${BLOCKS_AT_ONCE}`;
      const page: BlockRow[] = [];
      const end = Math.min(swapsMax, swapCount + SWAPS_AT_ONCE);
      for (const row of rows) {
        if (swapCount >= end) break;
        page.push(row);
        swapCount += row.swaps;
      }
      isEnd = rows.length < BLOCKS_AT_ONCE && page.length === rows.length;
      if (page.length === 0) break;
      last = Number(page.at(-1)!.block_number);
      found.push(...(yield* contentsOf(database, page)));
    }
    return found;
  }).pipe(
    sql.withTransaction,
    // Reads everything as of one moment.
    Effect.provideService(BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
  );
};

/** See `HistoryStore.states`. */
export const selectStates = Effect.fnUntraced(function* (
  database: Database,
  { asOf, after, limit }: StatesQuery,
): Effect.fn.Return<ReadonlyArray<StoredState>, SqlError> {
  const { sql, chainId } = database;
  const states = table(database, "states");
  type Row = StampRow & { is_checkpoint: boolean; bytes: Uint8Array };
  const rows =
    after !== undefined
      ? yield* sql<Row>`
    SELECT number AS block_number, hash, time, is_checkpoint, bytes FROM ${states}
    WHERE chain_id = ${chainId} AND number > ${after} AND number <= ${asOf} AND NOT is_checkpoint
    ORDER BY number LIMIT ${limit ?? null}`
      : yield* sql<Row>`
    WITH checkpoint AS (SELECT max(number) AS number FROM ${states}
      WHERE chain_id = ${chainId} AND is_checkpoint AND number <= ${asOf})
    SELECT states.number AS block_number, hash, time, is_checkpoint, bytes
    FROM ${states} states, checkpoint WHERE chain_id = ${chainId} AND (
      (states.number = checkpoint.number AND is_checkpoint)
      OR (states.number >= checkpoint.number AND states.number <= ${asOf} AND NOT is_checkpoint)
    ) ORDER BY states.number, is_checkpoint DESC`;
  return rows.map((row) => ({
    stamp: stampOf(row),
    kind: row.is_checkpoint ? "checkpoint" : "delta",
    bytes: row.bytes,
  }));
});

/** See `HistoryStore.stateRange`. */
export const selectStateRange = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<StateRange | undefined, SqlError> {
  const { sql, chainId } = database;
  const [row] = yield* sql<{ first: bigint | null; last: bigint | null }>`
    SELECT min(number) FILTER (WHERE is_checkpoint) AS first, max(number) AS last
    FROM ${table(database, "states")} WHERE chain_id = ${chainId}`;
  if (row?.first == null) return undefined;
  return { fromBlock: Number(row.first), toBlock: Number(row.last) };
});

/** Blocks and swaps of the chain; bytes of the whole schema, whose chains share its tables. */
export const selectSize = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<HistorySize, SqlError> {
  const { sql, chainId, schema } = database;
  const [row] = yield* sql<{ blocks: bigint; swaps: bigint; bytes: bigint }>`
    SELECT count(*) AS blocks, coalesce(sum(swaps), 0)::bigint AS swaps,
      (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
        WHERE relnamespace = to_regnamespace(${`"${schema}"`}) AND relkind = 'r') AS bytes
    FROM ${table(database, "blocks")} WHERE chain_id = ${chainId}`;
  const { blocks, swaps, bytes } = row!;
  return { blocks: Number(blocks), swaps: Number(swaps), bytes: Number(bytes) };
});

function conditionsOf({ sql }: Database, of: TradesQuery["of"]): ReadonlyArray<Fragment> {
  if (of.kind === "transaction") return [sql`transaction_hash = ${bytesOf(of.hash)}`];
  const address = bytesOf(of.address);
  if (of.kind !== "token") return [sql`${sql(of.kind)} = ${address}`];
  return [sql`token_in = ${address}`, sql`token_out = ${address} AND token_in <> ${address}`];
}

/** Both bounds inclusive. */
function timesIn(
  { sql }: Database,
  time: Fragment,
  fromMs: number | undefined,
  toMs: number | undefined,
): ReadonlyArray<Fragment> {
  const date = (ms: number) => new Date(Math.max(0, Math.min(MS_MAX, ms)));
  return [
    ...(fromMs === undefined ? [] : [sql`${time} >= ${date(fromMs)}`]),
    ...(toMs === undefined ? [] : [toMs < 0 ? sql`false` : sql`${time} <= ${date(toMs)}`]),
  ];
}

const contentsOf = Effect.fnUntraced(function* (
  database: Database,
  blocks: ReadonlyArray<BlockRow>,
): Effect.fn.Return<ReadonlyArray<HistoryBlock>, SqlError> {
  const { sql, chainId } = database;
  const numbers = array(
    database,
    "int8",
    blocks.map(({ block_number }) => block_number),
  );
  const inBlocks = sql`WHERE chain_id = ${chainId} AND block_number = ANY(${numbers})`;
  const contents = new Map(
    blocks.map((row) => {
      const block = { stamp: stampOf(row), swaps: [], prices: new Map() };
      return [Number(row.block_number), block as OpenBlock];
    }),
  );
  const trades = yield* sql<TradeRow>`SELECT ${tradeColumns(database)}
    FROM ${table(database, "trades")} ${inBlocks} ORDER BY block_number, log_index`;
  for (const row of trades) contents.get(Number(row.block_number))!.swaps.push(swapOf(row));
  const prices = yield* sql<PriceRow>`SELECT block_number, token, usd
    FROM ${table(database, "token_prices")} ${inBlocks} ORDER BY block_number, token`;
  for (const { block_number, token, usd } of prices) {
    contents.get(Number(block_number))!.prices.set(hexOf(token), usd);
  }
  return [...contents.values()];
});

const tradeColumns = ({ sql }: Database): Fragment =>
  sql`block_number, log_index, pool, token_in, token_out, amount_in, amount_out, price_after,
    (value_usd * 10000)::bigint AS value, transaction_hash, maker`;

const limitOf = (limit: number): number => Math.max(0, Math.min(LIMIT_MAX, Math.floor(limit)));

interface StampRow {
  readonly block_number: bigint;
  readonly hash: Uint8Array;
  readonly time: Date;
}

interface BlockRow extends StampRow {
  readonly swaps: number;
}

interface PriceRow {
  readonly block_number: bigint;
  readonly token: Uint8Array;
  readonly usd: number;
}

interface CandleRow extends Omit<HistoryCandle, "startMs" | "volumeUsd"> {
  readonly bin: Date;
  readonly volume_usd: number;
}

interface TradeRow extends StampRow {
  readonly log_index: number;
  readonly pool: Uint8Array;
  readonly token_in: Uint8Array;
  readonly token_out: Uint8Array;
  readonly amount_in: string;
  readonly amount_out: string;
  readonly price_after: number | null;
  readonly value: bigint | null;
  readonly transaction_hash: Uint8Array;
  readonly maker: Uint8Array | null;
}

interface OpenBlock extends HistoryBlock {
  readonly swaps: Array<HistoryBlock["swaps"][number]>;
  readonly prices: Map<`0x${string}`, number>;
}

const stampOf = ({ block_number, hash, time }: StampRow) => ({
  number: Number(block_number),
  hash: hexOf(hash),
  timestampMs: time.getTime(),
});

const swapOf = (row: TradeRow) => ({
  pool: hexOf(row.pool),
  tokenIn: hexOf(row.token_in),
  tokenOut: hexOf(row.token_out),
  amountIn: BigInt(row.amount_in),
  amountOut: BigInt(row.amount_out),
  priceAfter: row.price_after ?? 0,
  value: Number(row.value ?? 0n),
  transactionHash: hexOf(row.transaction_hash),
  maker: row.maker === null ? undefined : hexOf(row.maker),
  logIndex: row.log_index,
});
