import type { BlockStamp } from "@millrace/core";
import type { TradedBlock } from "../activity/TradedBlock.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import {
  type BlockCandles,
  blockCandlesOf,
  isPlausible,
  pairSubject,
  tokenSubject,
} from "./blockCandles.ts";
import type { Candle, CandleInterval, CandleRange } from "./Candle.ts";
import { decodeCandles, encodeCandles } from "./candleBytes.ts";
import { EarlierCloses } from "./EarlierCloses.ts";
import { type PricesNow, pastPrices } from "./pastPrices.ts";
import { RecentBlocks } from "./RecentBlocks.ts";
import { readCandles } from "./readCandles.ts";
import { SettledCandles } from "./SettledCandles.ts";

export interface CandlesOptions {
  /** Memory for everything that is held between calls; at least `CANDLE_BYTES_MIN`. */
  readonly budgetBytes: number;
}

export const CANDLE_BYTES_MIN = 1 << 16;
/** Share of the budget for blocks that are kept apart. */
const RECENT_SHARE = 1 / 4;
/** A candle at most this far from a block of the past is evidence of prices at that time. */
const NEAR_MS = 10 * 60_000;

/**
 * Candles of pairs of pools and of tokens, in bounded memory.
 *
 * The answers do not depend on the order in which blocks are published. The newest blocks are kept
 * apart, so that a reorganisation can take them back: up to 512 with trades, fewer when they fill
 * their share of the budget. Older ones are settled for good.
 *
 * A candle of a pair has its pool's mid prices after its swaps. A candle of a token has the token's
 * prices at the ends of the blocks in which it traded; see `pastPrices` for blocks of the past.
 * Trades while there was no price add only their volume.
 */
export class Candles {
  readonly #settled: SettledCandles;
  readonly #recent: RecentBlocks;
  readonly #earlier = new EarlierCloses((token, range) => this.ofToken(token, "1m", range));

  constructor({ budgetBytes }: CandlesOptions) {
    if (!(budgetBytes >= CANDLE_BYTES_MIN)) {
      throw new RangeError(`candles need ${CANDLE_BYTES_MIN} bytes at least, not ${budgetBytes}`);
    }
    this.#recent = new RecentBlocks(RECENT_SHARE * budgetBytes);
    this.#settled = new SettledCandles((1 - RECENT_SHARE) * budgetBytes);
  }

  /** Reads a block when it comes; prices are those at its end, 0 when unknown. */
  read(
    block: TradedBlock,
    tokenPriceUsd: (token: number) => number,
  ): Generator<void, BlockCandles> {
    return blockCandlesOf(block, tokenPriceUsd);
  }

  /** Prices of tokens at the end of a block of the past, which was never valued. */
  pastPrices(block: TradedBlock, now: PricesNow): Generator<void, ReadonlyMap<number, number>> {
    const near = (token: number) => this.#priceNear(token, block.stamp.timestampMs);
    return pastPrices(block, now, near);
  }

  /** Adds the candles of a block. */
  add(block: BlockCandles): void {
    if (!isPlausible(block.stamp) || block.subjects.length === 0) return;
    this.#earlier.forgetWith(block);
    this.#recent.add(block, (settled) => this.#settled.foldAll(settled));
  }

  /** Settles old blocks, in slices, so that adding another block of this size takes no longer. */
  settleOldest(block: BlockCandles): Generator<void> {
    return this.#recent.settleOldest(block, (settled) => this.#settled.foldAll(settled));
  }

  /** Takes a block back, if it is one of the newest. */
  undo(stamp: BlockStamp): void {
    this.#earlier.forgetSince(stamp.timestampMs);
    this.#recent.undo(stamp.hash);
  }

  /** Prices of token0 in token1, both in smallest units, of a `PairSeries`. */
  ofPair(series: number, interval: CandleInterval, range: CandleRange): Candle[] {
    return readCandles(this.#settled, this.#recent, pairSubject(series), interval, range);
  }

  ofToken(token: number, interval: CandleInterval, range: CandleRange): Candle[] {
    return readCandles(this.#settled, this.#recent, tokenSubject(token), interval, range);
  }

  /** See `EarlierCloses.of`. */
  earlierCloses(token: number, endMs: number): Float64Array {
    return this.#earlier.of(token, endMs);
  }

  /** Bytes of the budget in use. */
  get byteLength(): number {
    return this.#settled.byteLength + this.#recent.byteLength;
  }

  /** True when `ofToken` has candles. */
  hasToken(token: number): boolean {
    const subject = tokenSubject(token);
    if (this.#settled.has(subject)) return true;
    // Recent trades may be of a minute of which a part was forgotten.
    return this.#recent.has(subject) && this.ofToken(token, "1m", { limit: 1 }).length > 0;
  }

  /** As `restore` reads it, at the end of what is written; nothing may change before it is done. */
  write(writer: ByteWriter): Generator<void> {
    return encodeCandles(writer, this.#settled, this.#recent);
  }

  /**
   * Replaces everything by what `write` wrote. When that is damaged, gives false, and nothing is
   * left.
   */
  restore(bytes: Uint8Array): boolean {
    return decodeCandles(bytes, this.#settled, this.#recent);
  }

  /** The price of a token by the candle nearest to a time; 0 when none is near. */
  #priceNear(token: number, timeMs: number): number {
    const range = { fromMs: timeMs - NEAR_MS, toMs: timeMs + NEAR_MS, limit: Infinity };
    let nearest = Infinity;
    let price = 0;
    for (const candle of this.ofToken(token, "1m", range)) {
      const distance = Math.abs(candle.startMs - timeMs);
      if (distance > nearest) continue;
      nearest = distance;
      price = candle.startMs > timeMs ? candle.open : candle.close;
    }
    return price;
  }
}
