import type { BlockStamp } from "@millrace/core";
import { PackedSwaps } from "../blocks/blockBytes.ts";
import { pairCandles, tokenCandles } from "../candles/blockCandles.ts";
import { FoundCandles } from "../candles/FoundCandles.ts";
import type { HistoryBlock, HistorySwap, HistoryTrade } from "../HistoryBlock.ts";
import type {
  BlocksQuery,
  CandlesQuery,
  StatesQuery,
  StoredState,
  TradesQuery,
} from "../HistoryStore.ts";
import { BlockIndex } from "./BlockIndex.ts";
import { CandleTables, HOUR_SECONDS } from "./CandleTables.ts";
import { hexOf, Numbers } from "./Numbers.ts";
import { Ranges } from "./Ranges.ts";
import { readBlock, type StoredBlock } from "./readBlock.ts";
import { DamagedRow, Statements } from "./Statements.ts";
import { StateTable } from "./StateTable.ts";
import { type OpenFileOptions, openFile } from "./schema.ts";
import { UnindexedBlocks } from "./UnindexedBlocks.ts";

const VALUES_A_DOLLAR = 10_000;

/** Reads from a SQLite file; see `SqliteHistory`. */
export class SqliteReads {
  readonly statements: Statements;
  readonly numbers: Numbers;
  protected readonly blockIndex: BlockIndex;
  protected readonly candleTables: CandleTables;
  readonly ranges: Ranges;
  readonly stateTable: StateTable;
  protected readonly recent = new UnindexedBlocks();

  constructor(options: OpenFileOptions) {
    this.statements = new Statements(openFile(options));
    this.numbers = new Numbers(this.statements);
    this.blockIndex = new BlockIndex(this.statements);
    this.candleTables = new CandleTables(this.statements);
    this.ranges = new Ranges(this.statements);
    this.stateTable = new StateTable(this.statements);
  }

  /** See `HistoryStore.trades`. Throws DamagedRow when it meets a damaged block. */
  trades(query: TradesQuery): HistoryTrade[] {
    const { before, fromMs = 0, toMs = Number.POSITIVE_INFINITY, limit } = query;
    const found: HistoryTrade[] = [];
    const isOfPair = this.#pairFilter(query);
    const isWanted = this.#swapFilter(query);
    if (isWanted === undefined) return found;
    for (const number of this.#blocksForAll(query)) {
      if (found.length >= limit) break;
      if (before !== undefined && number > before.blockNumber) continue;
      const block = this.#block(number);
      if (block === undefined || block.timestampMs > toMs) continue;
      if (block.timestampMs < fromMs - BACKWARDS_MS) break;
      if (block.timestampMs < fromMs) continue;
      const stamp = stampOf(block);
      const ofBlock: HistoryTrade[] = [];
      const reader = new PackedSwaps(block.bytes, isOfPair);
      while (reader.next()) {
        if (before?.blockNumber === number && reader.logIndex >= before.logIndex) break;
        if (isWanted(reader)) ofBlock.push({ stamp, ...this.#swap(reader) });
      }
      found.push(...ofBlock.reverse().slice(0, limit - found.length));
    }
    return found;
  }

  /** See `HistoryStore.candles`, and `unpackCandles`. */
  candles({ of, seconds, fromMs, toMs, limit }: CandlesQuery): Float64Array<ArrayBuffer> {
    const subject = this.#subjectOf(of);
    const found = new FoundCandles(seconds);
    if (subject === undefined || !(limit >= 1)) return found.packed(0, VALUES_A_DOLLAR);
    const from = Math.max(0, Math.ceil((fromMs ?? 0) / 1_000 / seconds) * seconds);
    const end = Math.floor((toMs ?? LAST_MS) / 1_000 / seconds) * seconds + seconds - 1;
    const spans =
      seconds % HOUR_SECONDS === 0
        ? this.candleTables.hours(subject, from, end)
        : this.candleTables.minutes(subject, from, end);
    for (const span of spans) {
      // The earliest candle may be half of an interval whose other half is in the next span.
      if (found.pricedCount > limit) break;
      found.addSpan(span, from, end);
    }
    for (const { seconds: time, draft } of this.recent.candlesOf(subject, from, end)) {
      found.add(time, draft);
    }
    return found.packed(limit, VALUES_A_DOLLAR);
  }

  /** See `HistoryStore.blocks`. */
  blocks({ after, fromMs = 0, toMs = LAST_MS, swapsMax }: BlocksQuery): HistoryBlock[] {
    const found: HistoryBlock[] = [];
    let swapCount = 0;
    const sql = "SELECT number FROM blocks WHERE number > ? ORDER BY number";
    const first = Math.max(after, this.#firstBlockAt(fromMs) - 1);
    for (const { number } of this.statements.each<{ number: number }>(sql, first)) {
      if (swapCount >= swapsMax) break;
      const block = this.#block(number);
      if (block === undefined || block.timestampMs < fromMs) continue;
      if (block.timestampMs > toMs + BACKWARDS_MS) break;
      if (block.timestampMs > toMs) continue;
      const swaps: HistorySwap[] = [];
      const reader = new PackedSwaps(block.bytes);
      while (reader.next()) swaps.push(this.#swap(reader));
      const prices = [...reader.prices].map(
        ([token, price]) => [this.numbers.addressOf(token), price] as const,
      );
      swapCount += swaps.length;
      found.push({ stamp: stampOf(block), swaps, prices: new Map(prices) });
    }
    return found;
  }

  states(query: StatesQuery): ReadonlyArray<StoredState> {
    return this.stateTable.read(query);
  }

  /** Filters pairs whose swaps may be wanted; each pair is tested once. */
  #pairFilter({ of, pair }: TradesQuery): (pair: number) => boolean {
    const tokens = pair?.map((token) => this.numbers.findAddress(token));
    const wanted = "address" in of ? this.numbers.findAddress(of.address) : undefined;
    const known = new Map<number, boolean>();
    const isWanted = (number: number) => {
      const { pool, token0, token1 } = this.numbers.pairOf(number);
      if (tokens !== undefined && !(tokens.includes(token0) && tokens.includes(token1))) {
        return false;
      }
      if (of.kind === "pool") return pool === wanted;
      return of.kind === "token" ? token0 === wanted || token1 === wanted : true;
    };
    return (number) => {
      const answer = known.get(number) ?? isWanted(number);
      known.set(number, answer);
      return answer;
    };
  }

  /** Filters swaps of these pairs; undefined where none can match. */
  #swapFilter({ of, maker }: TradesQuery): ((swap: PackedSwaps) => boolean) | undefined {
    const makers: Array<number | undefined> = [];
    if (maker !== undefined) makers.push(this.numbers.findAddress(maker));
    if (of.kind === "maker") makers.push(this.numbers.findAddress(of.address));
    if (makers.includes(undefined)) return undefined;
    return (swap) =>
      makers.every((number) => swap.maker === number) &&
      (of.kind !== "transaction" || swap.transactionHash() === of.hash);
  }

  /**
   * Numbers of blocks that may match all conditions, the newest first. So a maker who traded once
   * is not looked for in every block of a pool.
   */
  #blocksForAll(query: TradesQuery): Iterable<number> {
    const { of, maker } = query;
    const numbers = this.#blocksFor(query);
    if (of.kind === "transaction" || maker === undefined) return numbers;
    return inBoth(numbers, this.#blocksFor({ ...query, of: { kind: "maker", address: maker } }));
  }

  /** Numbers of blocks that may match `of`, the newest first. */
  *#blocksFor({ of, before, toMs }: TradesQuery): Generator<number> {
    if (of.kind === "transaction") {
      const { hash } = of;
      yield* newestFirst(this.recent.blocksWith(hash), this.blockIndex.blocksWith(hash));
      return;
    }
    const address = this.numbers.findAddress(of.address);
    if (address === undefined) return;
    const last = Math.min(before?.blockNumber ?? LAST_BLOCK, this.#lastBlockAt(toMs));
    const { recent, blockIndex } = this;
    const [newest, others] =
      of.kind === "maker"
        ? [recent.blocksBy(address), blockIndex.blocksBy(address, last)]
        : [recent.blocksOf(address), blockIndex.blocksOf(address, last)];
    yield* newestFirst(
      newest.filter((number) => number <= last),
      others,
    );
  }

  /** No block of this time or earlier has a higher number. */
  #lastBlockAt(timeMs: number | undefined): number {
    if (timeMs === undefined) return LAST_BLOCK;
    // All blocks after one that is this much later are later themselves.
    const sql = "SELECT number FROM blocks WHERE time_ms > ? ORDER BY time_ms, number LIMIT 1";
    const later = this.statements.get<{ number: number }>(sql, timeMs + BACKWARDS_MS);
    return later === undefined ? LAST_BLOCK : later.number - 1;
  }

  /** No block of this time or later has a lower number. */
  #firstBlockAt(timeMs: number): number {
    if (timeMs <= 0) return 0;
    // All blocks before one that is this much earlier are earlier themselves.
    const sql =
      "SELECT number FROM blocks WHERE time_ms < ? ORDER BY time_ms DESC, number DESC LIMIT 1";
    const earlier = this.statements.get<{ number: number }>(sql, timeMs - BACKWARDS_MS);
    return earlier === undefined ? 0 : earlier.number + 1;
  }

  /** Undefined for a block that was forgotten. */
  #block(number: number): StoredBlock | undefined {
    const block = readBlock(this.statements, number);
    if (block === "damaged") throw new DamagedRow({ kind: "block", number });
    return block === "missing" ? undefined : block;
  }

  #swap(reader: PackedSwaps): HistorySwap {
    const { pool, token0, token1 } = this.numbers.pairOf(reader.pair);
    const [tokenIn, tokenOut] = reader.isToken0In ? [token0, token1] : [token1, token0];
    return {
      pool: this.numbers.addressOf(pool),
      tokenIn: this.numbers.addressOf(tokenIn),
      tokenOut: this.numbers.addressOf(tokenOut),
      ...reader.amounts(),
      priceAfter: reader.priceAfter,
      value: reader.value,
      transactionHash: reader.transactionHash(),
      maker: reader.maker === 0 ? undefined : this.numbers.addressOf(reader.maker),
      logIndex: reader.logIndex,
    };
  }

  #subjectOf(of: CandlesQuery["of"]): number | undefined {
    if (of.kind === "token") {
      const token = this.numbers.findAddress(of.token);
      return token && tokenCandles(token);
    }
    const pair = this.numbers.findPair(of.pool, of.token0, of.token1);
    return pair && pairCandles(pair);
  }
}

const LAST_BLOCK = Number.MAX_SAFE_INTEGER;
const LAST_MS = 1_000 * 2 ** 32;
/** A later block's time may be this much earlier, where sequencers' clocks disagree. */
const BACKWARDS_MS = 60_000;

const stampOf = ({ number, hash, timestampMs }: StoredBlock): BlockStamp => ({
  number,
  hash: hexOf(hash),
  timestampMs,
});

/** The common elements of two descending lists. */
function* inBoth(left: Iterable<number>, right: Iterable<number>): Generator<number> {
  const [lefts, rights] = [left[Symbol.iterator](), right[Symbol.iterator]()];
  let [one, other] = [lefts.next(), rights.next()];
  while (one.done !== true && other.done !== true) {
    if (one.value === other.value) yield one.value;
    const isHigher = one.value >= other.value;
    if (one.value <= other.value) other = rights.next();
    if (isHigher) one = lefts.next();
  }
}

/** Merges two descending lists. */
function* newestFirst(list: ReadonlyArray<number>, others: Iterable<number>): Generator<number> {
  let next = 0;
  for (const other of others) {
    while (next < list.length && list[next]! > other) yield list[next++]!;
    yield other;
  }
  while (next < list.length) yield list[next++]!;
}
