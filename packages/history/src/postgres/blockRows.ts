import { NO_HASH } from "@millrace/core";
import { Effect } from "effect";
import type { SqlError } from "effect/sql/SqlError";
import { isHex } from "../blocks/isHex.ts";
import { bytesOf, hexOf } from "../embedded/Numbers.ts";
import type { HistoryBlock, HistorySwap } from "../HistoryBlock.ts";
import { HistoryError } from "../HistoryStore.ts";
import type { TouchedCandles } from "./candleRows.ts";
import { array, type Database, table, unnest } from "./Database.ts";

/** Swaps per statement: a millisecond of this thread. */
const SWAPS_AT_ONCE = 200;
const DOLLARS_A_VALUE = "0.0001";
/** Bound of block times, in milliseconds. */
const MS_MAX = 1_000 * 2 ** 32;
const LOG_INDEX_MAX = 2 ** 31 - 1;
const AMOUNT_MAX = 2n ** 256n - 1n;

/** Stores blocks; of several with one number, the last. */
export const addBlocks = Effect.fnUntraced(function* (
  database: Database,
  blocks: ReadonlyArray<HistoryBlock>,
  touched: TouchedCandles,
): Effect.fn.Return<void, HistoryError | SqlError> {
  const { sql, chainId } = database;
  for (const block of blocks) yield* checkBlock(block);
  const swapped = blocks.filter(({ swaps }) => swaps.length > 0);
  if (swapped.length === 0) return;
  const swappedNumbers = swapped.map(({ stamp }) => BigInt(stamp.number));
  const rows = yield* sql<{ number: bigint; hash: Uint8Array }>`
    SELECT number, hash FROM ${table(database, "blocks")}
    WHERE chain_id = ${chainId} AND number = ANY(${array(database, "int8", swappedNumbers)})`;
  const kept = new Map(rows.map(({ number, hash }) => [Number(number), hexOf(hash) as string]));
  const hashes = new Map(kept);
  const added = new Map<number, HistoryBlock>();
  for (const block of swapped) {
    const { number, hash } = block.stamp;
    if (hashes.get(number) === hash) continue;
    hashes.set(number, hash);
    added.set(number, block);
  }
  const replaced = [...added.keys()].filter((number) => kept.has(number));
  yield* removeBlocks(database, replaced, touched);
  yield* insertBlocks(database, [...added.values()], touched);
});

/** Removes blocks, with everything in them. */
export const removeBlocks = Effect.fnUntraced(function* (
  database: Database,
  numbers: ReadonlyArray<number>,
  touched: TouchedCandles,
): Effect.fn.Return<void, SqlError> {
  if (numbers.length === 0) return;
  const { sql, chainId } = database;
  const removed = array(database, "int8", numbers.map(BigInt));
  type Pair = { pool: Uint8Array; token0: Uint8Array; token1: Uint8Array; minute: Date };
  const pairs = yield* sql<Pair>`
    SELECT DISTINCT pool, least(token_in, token_out) AS token0,
      greatest(token_in, token_out) AS token1, date_trunc('minute', time) AS minute
    FROM ${table(database, "trades")}
    WHERE chain_id = ${chainId} AND block_number = ANY(${removed})`;
  for (const { pool, token0, token1, minute } of pairs) {
    touched.add(hexOf(pool), hexOf(token0), hexOf(token1), minute.getTime());
  }
  touched.hasRemovals = true;
  for (const name of ["trades", "token_prices"] as const) {
    yield* sql`DELETE FROM ${table(database, name)}
      WHERE chain_id = ${chainId} AND block_number = ANY(${removed})`;
  }
  yield* sql`DELETE FROM ${table(database, "blocks")}
    WHERE chain_id = ${chainId} AND number = ANY(${removed})`;
});

const insertBlocks = Effect.fnUntraced(function* (
  database: Database,
  blocks: ReadonlyArray<HistoryBlock>,
  touched: TouchedCandles,
): Effect.fn.Return<void, SqlError> {
  if (blocks.length === 0) return;
  const { sql, chainId } = database;
  const rows = unnest(database, blocks, [
    ["int8", ({ stamp }) => BigInt(stamp.number)],
    ["timestamptz", ({ stamp }) => stamp.timestampMs],
    ["int4", ({ swaps }) => swaps.length],
    ["bytea", ({ stamp }) => bytesOf(stamp.hash)],
  ]);
  yield* sql`INSERT INTO ${table(database, "blocks")} (chain_id, number, time, swaps, hash)
    SELECT ${chainId}::bigint, * FROM ${rows}`;
  let part: TradeRow[] = [];
  for (const block of blocks) {
    for (const swap of block.swaps) {
      touched.add(swap.pool, swap.tokenIn, swap.tokenOut, block.stamp.timestampMs);
      part.push([block, swap]);
      if (part.length < SWAPS_AT_ONCE) continue;
      yield* insertTrades(database, part);
      part = [];
    }
  }
  if (part.length > 0) yield* insertTrades(database, part);
  yield* insertPrices(database, blocks);
});

type TradeRow = readonly [HistoryBlock, HistorySwap];

function insertTrades(database: Database, trades: ReadonlyArray<TradeRow>) {
  const { sql, chainId } = database;
  const rows = unnest(database, trades, [
    ["int8", ([{ stamp }]) => BigInt(stamp.number)],
    ["timestamptz", ([{ stamp }]) => stamp.timestampMs],
    ["float8", ([, { priceAfter }]) => (priceAfter === 0 ? null : priceAfter)],
    ["int4", ([, { logIndex }]) => logIndex],
    ["bytea", ([, { pool }]) => bytesOf(pool)],
    ["bytea", ([, { tokenIn }]) => bytesOf(tokenIn)],
    ["bytea", ([, { tokenOut }]) => bytesOf(tokenOut)],
    ["numeric", ([, { amountIn }]) => amountIn.toString()],
    ["numeric", ([, { amountOut }]) => amountOut.toString()],
    ["int8", ([, { value }]) => (value === 0 ? null : BigInt(value))],
    ["bytea", ([, { transactionHash }]) => bytesOf(transactionHash)],
    ["bytea", ([, { maker }]) => (maker === undefined ? null : bytesOf(maker))],
  ]);
  return sql`INSERT INTO ${table(database, "trades")} (
      chain_id, block_number, time, price_after, log_index, pool, token_in, token_out,
      amount_in, amount_out, value_usd, transaction_hash, maker)
    SELECT ${chainId}::bigint, block_number, time, price_after, log_index, pool, token_in, token_out,
      amount_in, amount_out, value * ${sql.literal(DOLLARS_A_VALUE)}, transaction_hash, maker
    FROM ${rows} AS trades (
      block_number, time, price_after, log_index, pool, token_in, token_out,
      amount_in, amount_out, value, transaction_hash, maker)`;
}

/** Only of tokens that are swapped in their block. */
const insertPrices = Effect.fnUntraced(function* (
  database: Database,
  blocks: ReadonlyArray<HistoryBlock>,
): Effect.fn.Return<void, SqlError> {
  const { sql, chainId } = database;
  const known = blocks.flatMap(({ stamp, swaps, prices }) => {
    const swapped = new Set(swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
    const ofSwapped = [...prices].filter(([token, usd]) => usd > 0 && swapped.has(token));
    return ofSwapped.map(([token, usd]) => ({ stamp, token, usd }));
  });
  if (known.length === 0) return;
  const rows = unnest(database, known, [
    ["int8", ({ stamp }) => BigInt(stamp.number)],
    ["timestamptz", ({ stamp }) => stamp.timestampMs],
    ["float8", ({ usd }) => usd],
    ["bytea", ({ token }) => bytesOf(token)],
  ]);
  yield* sql`INSERT INTO ${table(database, "token_prices")}
    (chain_id, block_number, time, usd, token) SELECT ${chainId}::bigint, * FROM ${rows}`;
});

function checkBlock({ stamp, swaps, prices }: HistoryBlock): Effect.Effect<void, HistoryError> {
  const { number, hash, timestampMs } = stamp;
  const isStamp =
    hash !== NO_HASH &&
    isHex(hash, 32) &&
    Number.isSafeInteger(number) &&
    number >= 0 &&
    Number.isSafeInteger(timestampMs) &&
    timestampMs >= 0 &&
    timestampMs < MS_MAX;
  if (!isStamp) return invalid(`block ${number} (${hash}) of ${timestampMs} ms is none of a chain`);
  let before = -1;
  for (const swap of swaps) {
    if (!isSwap(swap, before)) return invalid(`block ${number}: log ${swap.logIndex} is no swap`);
    before = swap.logIndex;
  }
  for (const [token, price] of prices) {
    if (!isHex(token, 20) || !Number.isFinite(price)) {
      return invalid(`block ${number}: the price of ${token} is ${price}`);
    }
  }
  return Effect.void;
}

const isSwap = (swap: HistorySwap, before: number): boolean =>
  [swap.pool, swap.tokenIn, swap.tokenOut, swap.maker ?? swap.pool].every((a) => isHex(a, 20)) &&
  [swap.amountIn, swap.amountOut].every((amount) => amount >= 0n && amount <= AMOUNT_MAX) &&
  isHex(swap.transactionHash, 32) &&
  Number.isFinite(swap.priceAfter) &&
  Number.isSafeInteger(swap.value) &&
  swap.value >= 0 &&
  Number.isSafeInteger(swap.logIndex) &&
  swap.logIndex > before &&
  swap.logIndex <= LOG_INDEX_MAX;

const invalid = (detail: string) => Effect.fail(new HistoryError({ reason: "Invalid", detail }));
