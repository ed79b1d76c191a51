import type { BlockStamp } from "@millrace/core";
import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import {
  type ChainPosition,
  isBefore,
  type StoredTrade,
  storedTrade,
  type TradeFloor,
} from "./StoredTrade.ts";
import { readFloor, readTrades, writeFloor, writeTrades } from "./savedTrades.ts";
import type { TradedBlock } from "./TradedBlock.ts";
import { TradeNumbers } from "./TradeNumbers.ts";

/** Bound of a list's length; its places are reserved at once. */
const MOST_EVER = 10_000_000;

/**
 * The newest trades of all pools, in the order of the chain, without a gap. Their numbers are
 * consecutive: new trades come and go at the new end, trades of the past come at the old end, while
 * there is room.
 */
export class Trades {
  readonly #most: number;
  // Index: number modulo the ring's length.
  #ring: Array<StoredTrade | undefined>;
  #first = 0;
  #end = 0; // one after the last
  readonly #ofPool = new Map<number, { oldest: number; newest: number }>();
  readonly #ofToken = new Map<number, TradeNumbers>();
  /** The newest trade that was left out: nothing at or before it can be added. */
  #floor: TradeFloor | undefined;

  /** Throws RangeError when `most` is not a whole number of at least 1. */
  constructor(most: number) {
    if (!(Number.isInteger(most) && most >= 1 && most <= MOST_EVER)) {
      throw new RangeError(`a list of ${most} trades`);
    }
    this.#most = most;
    this.#ring = new Array(most);
  }

  get count(): number {
    return this.#end - this.#first;
  }

  /** The newest of the trades without room; undefined when none was left out. */
  get floor(): TradeFloor | undefined {
    return this.#floor;
  }

  /** Adds the trades of a block after all others; its chain has no block above it. */
  add({ stamp, swaps }: TradedBlock): void {
    while (this.count > 0 && this.#at(this.#end - 1).blockNumber >= stamp.number) {
      this.#removeNewest();
    }
    this.#lowerFloor(stamp);
    // Of more trades than fit, the first would be removed at once.
    const start = Math.max(0, swaps.length - this.#most);
    for (let at = start; at < swaps.length; at++) this.#append(storedTrade(stamp, swaps[at]!));
    if (start > 0) this.#leaveOut(storedTrade(stamp, swaps[start - 1]!));
  }

  /** Adds the trades of a block of the past, as far as there is room. */
  addPast({ stamp, swaps }: TradedBlock): void {
    if (this.count > 0 && stamp.number >= this.#at(this.#first).blockNumber) {
      this.#insert(swaps.map((swap) => storedTrade(stamp, swap)));
      return;
    }
    for (let at = swaps.length - 1; at >= 0; at--) {
      const trade = storedTrade(stamp, swaps[at]!);
      if (this.#isBelowFloor(trade)) return;
      if (this.count === this.#most) {
        this.#leaveOut(trade);
        return;
      }
      this.#prepend(trade);
    }
  }

  /** Removes the trades of a block. */
  undo({ hash, number, timestampMs }: BlockStamp): void {
    const isUndone = (trade: StoredTrade) => trade.stamp.hash === hash;
    while (this.count > 0 && isUndone(this.#at(this.#end - 1))) this.#removeNewest();
    // They are elsewhere when later blocks stay: when another block of the past replaces this one.
    const first = this.#firstNotBefore({ blockNumber: number, logIndex: 0 });
    for (let at = first; at < this.#end && this.#at(at).blockNumber === number; at++) {
      if (!isUndone(this.#at(at))) continue;
      this.#rebuild(this.all().filter((trade) => !isUndone(trade)));
      break;
    }
    this.#lowerFloor({ number, timestampMs });
  }

  /** Trades of a pool before a position, the newest first. */
  *ofPool(pool: number, before?: ChainPosition): Generator<StoredTrade> {
    let number = this.#ofPool.get(pool)?.newest;
    if (before !== undefined) {
      // The position is mostly that of the pool's own trade, which links to the ones before.
      const next = this.#firstNotBefore(before);
      const trade = next < this.#end ? this.#at(next) : undefined;
      if (trade?.pool === pool) number = trade.older;
    }
    while (number !== undefined) {
      const trade = this.#at(number);
      if (before === undefined || isBefore(trade, before)) yield trade;
      number = trade.older;
    }
  }

  /** Trades of a token in any pool before a position, the newest first. */
  *ofToken(token: number, before?: ChainPosition): Generator<StoredTrade> {
    const numbers = this.#ofToken.get(token);
    if (numbers === undefined) return;
    const end = before === undefined ? this.#end : this.#firstNotBefore(before);
    for (const number of numbers.before(end)) yield this.#at(number);
  }

  /** In the order of the chain. */
  all(): StoredTrade[] {
    return Array.from({ length: this.count }, (_, at) => this.#at(this.#first + at));
  }

  /** Nothing may change before it is done. */
  *write(writer: ByteWriter): Generator<void> {
    writeFloor(writer, this.#floor);
    yield* writeTrades(writer, this.all());
  }

  /** `pools` and `tokens`: how many there are of each. */
  static read(reader: ByteReader, most: number, pools: number, tokens: number): Trades {
    const trades = new Trades(most);
    trades.#floor = readFloor(reader);
    trades.#rebuild(readTrades(reader, pools, tokens));
    return trades;
  }

  #append(trade: StoredTrade): void {
    if (this.count === this.#most) this.#removeOldest();
    const number = this.#end++;
    const ends = this.#ofPool.get(trade.pool);
    trade.older = ends?.newest;
    trade.newer = undefined;
    this.#put(number, trade);
    if (ends === undefined) this.#ofPool.set(trade.pool, { oldest: number, newest: number });
    else {
      this.#at(ends.newest).newer = number;
      ends.newest = number;
    }
    for (const token of tokensOf(trade)) this.#numbersOf(token).append(number);
  }

  #prepend(trade: StoredTrade): void {
    const number = --this.#first;
    const ends = this.#ofPool.get(trade.pool);
    trade.older = undefined;
    trade.newer = ends?.oldest;
    this.#put(number, trade);
    if (ends === undefined) this.#ofPool.set(trade.pool, { oldest: number, newest: number });
    else {
      this.#at(ends.oldest).older = number;
      ends.oldest = number;
    }
    for (const token of tokensOf(trade)) this.#numbersOf(token).prepend(number);
  }

  #removeOldest(): void {
    const trade = this.#at(this.#first);
    this.#put(this.#first++, undefined);
    this.#leaveOut(trade);
    if (trade.newer === undefined) this.#ofPool.delete(trade.pool);
    else {
      this.#at(trade.newer).older = undefined;
      this.#ofPool.get(trade.pool)!.oldest = trade.newer;
    }
    for (const token of tokensOf(trade)) {
      const numbers = this.#ofToken.get(token)!;
      numbers.removeOldest();
      if (numbers.count === 0) this.#ofToken.delete(token);
    }
  }

  #removeNewest(): void {
    const trade = this.#at(--this.#end);
    this.#put(this.#end, undefined);
    if (trade.older === undefined) this.#ofPool.delete(trade.pool);
    else {
      this.#at(trade.older).newer = undefined;
      this.#ofPool.get(trade.pool)!.newest = trade.older;
    }
    for (const token of tokensOf(trade)) {
      const numbers = this.#ofToken.get(token)!;
      numbers.removeNewest();
      if (numbers.count === 0) this.#ofToken.delete(token);
    }
  }

  #numbersOf(token: number): TradeNumbers {
    let numbers = this.#ofToken.get(token);
    if (numbers === undefined) {
      numbers = new TradeNumbers();
      this.#ofToken.set(token, numbers);
    }
    return numbers;
  }

  /** Inserts trades between the others. Rare: a gap below newer trades was filled. */
  #insert(trades: ReadonlyArray<StoredTrade>): void {
    const all = this.all();
    const entering = trades.filter((trade) => !this.#isBelowFloor(trade));
    this.#rebuild([...all, ...entering].sort((a, b) => (isBefore(a, b) ? -1 : 1)));
  }

  #rebuild(trades: ReadonlyArray<StoredTrade>): void {
    this.#ring = new Array(this.#most);
    this.#first = 0;
    this.#end = 0;
    this.#ofPool.clear();
    this.#ofToken.clear();
    for (const trade of trades) this.#append(trade);
  }

  #leaveOut(trade: StoredTrade): void {
    if (this.#isBelowFloor(trade)) return;
    const { blockNumber, logIndex, stamp } = trade;
    this.#floor = { blockNumber, logIndex, timestampMs: stamp.timestampMs };
  }

  /**
   * The block and those above it are gone, with the trades left out of them: only trades before it
   * may be missing.
   */
  #lowerFloor({ number, timestampMs }: Pick<BlockStamp, "number" | "timestampMs">): void {
    const start = { blockNumber: number, logIndex: -1, timestampMs };
    if (this.#floor !== undefined && isBefore(start, this.#floor)) this.#floor = start;
  }

  #isBelowFloor(trade: StoredTrade): boolean {
    return this.#floor !== undefined && !isBefore(this.#floor, trade);
  }

  /** The number of the first trade not before a position. */
  #firstNotBefore(position: ChainPosition): number {
    let low = this.#first;
    let high = this.#end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (isBefore(this.#at(middle), position)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(number: number): StoredTrade {
    return this.#ring[this.#slot(number)]!;
  }

  #put(number: number, trade: StoredTrade | undefined): void {
    this.#ring[this.#slot(number)] = trade;
  }

  /** Numbers below 0 belong to the past. */
  #slot(number: number): number {
    const rest = number % this.#most;
    return rest < 0 ? rest + this.#most : rest;
  }
}

/** The two tokens of a trade always differ. */
const tokensOf = ({ tokenIn, tokenOut }: StoredTrade) => [tokenIn, tokenOut] as const;
