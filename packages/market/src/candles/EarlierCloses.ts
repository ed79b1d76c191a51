import { WINDOWS } from "../activity/TradedBlock.ts";
import { enlarged } from "../enlarged.ts";
import { type BlockCandles, tokenOfSubject } from "./blockCandles.ts";
import type { Candle, CandleRange } from "./Candle.ts";

const MINUTE_MS = 60_000;
/** A close this much older than a window's start says nothing about it. */
const LOOKBACK_MS = 86_400_000;

/**
 * What tokens cost when each window began: the close of the last candle of a minute that had ended
 * by then, and had begun at most a day before.
 *
 * These change once a minute, so they are cached for a minute and read on demand: a block costs
 * time only for what it changes in the past.
 */
export class EarlierCloses {
  readonly #minuteCandles: (token: number, range: CandleRange) => ReadonlyArray<Candle>;
  /** The minute in which windows end. */
  #minute = Number.NaN;
  /** Grows when all cached values become invalid. */
  #epoch = 1;
  #epochs = new Float64Array(0); // index: token; when it was read, 0 never
  #closes = new Float64Array(0); // index: WINDOWS.length × token + window; 0 when unknown

  /** `minuteCandles` gives the present candles of a token. */
  constructor(minuteCandles: (token: number, range: CandleRange) => ReadonlyArray<Candle>) {
    this.#minuteCandles = minuteCandles;
  }

  /** US dollars for each window that ends at a time; 0 when unknown. Valid until the next call. */
  of(token: number, endMs: number): Float64Array {
    const minute = Math.floor(endMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#epoch++;
    }
    const first = WINDOWS.length * token;
    if (token >= this.#epochs.length) {
      this.#epochs = enlarged(this.#epochs, token + 1);
      this.#closes = enlarged(this.#closes, WINDOWS.length * this.#epochs.length);
    }
    const closes = this.#closes.subarray(first, first + WINDOWS.length);
    if (this.#epochs[token] !== this.#epoch) {
      this.#read(token, closes);
      this.#epochs[token] = this.#epoch;
    }
    return closes;
  }

  /** Drops cached values that a block is about to change. */
  forgetWith({ stamp, subjects }: BlockCandles): void {
    if (!this.#isBefore(stamp.timestampMs)) return;
    for (let position = 0; position < subjects.length; position++) {
      const token = tokenOfSubject(subjects[position]!);
      if (token !== undefined && token < this.#epochs.length) this.#epochs[token] = 0;
    }
  }

  /** Drops all cached values if a block that they may depend on is taken back. */
  forgetSince(timestampMs: number): void {
    if (this.#isBefore(timestampMs)) this.#epoch++;
  }

  /** Whether a time is before the latest of the windows' starts. */
  #isBefore(timestampMs: number): boolean {
    return timestampMs < MINUTE_MS * this.#minute - 1_000 * WINDOWS[0].seconds;
  }

  #read(token: number, closes: Float64Array): void {
    let last: Candle | undefined;
    for (let window = 0; window < WINDOWS.length; window++) {
      const startMs = MINUTE_MS * this.#minute - 1_000 * WINDOWS[window]!.seconds;
      const toMs = startMs - MINUTE_MS;
      // The last candle before a later start, if old enough, is also the last before this one.
      if (last === undefined || last.startMs > toMs) {
        const range = { fromMs: Math.max(0, startMs - LOOKBACK_MS), toMs, limit: 1 };
        [last] = this.#minuteCandles(token, range);
      }
      closes[window] = last?.close ?? 0;
    }
  }
}
