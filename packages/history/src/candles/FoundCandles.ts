import { type CandleDraft, mergeCandle } from "./CandleDraft.ts";
import { CANDLE_COLUMNS } from "./candleColumns.ts";
import { CANDLE_NUMBERS, draftAt, numbersInto } from "./spanBytes.ts";

/** Candles of a span of time, as `readSpan` gives them, ascending. */
export interface SpanCandles {
  readonly startSeconds: number;
  readonly slotSeconds: number;
  /** Overwritten by the next span. */
  readonly numbers: Float64Array;
  readonly count: number;
}

/**
 * Candles of an interval, merged from those of spans that come newest first. They are rows of
 * numbers, which make no garbage.
 */
export class FoundCandles {
  readonly #seconds: number;
  /** `CANDLE_NUMBERS` each, with the start in place of the slot; descending. */
  #numbers = new Float64Array(256 * CANDLE_NUMBERS);
  #count = 0;
  /** How many of the candles have a price. */
  pricedCount = 0;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /**
   * Adds the candles between two times (in seconds, both inclusive); no span may be newer than one
   * before it.
   */
  addSpan({ startSeconds, slotSeconds, numbers, count }: SpanCandles, from: number, to: number) {
    for (let index = count - 1; index >= 0; index--) {
      const at = index * CANDLE_NUMBERS;
      const time = startSeconds + numbers[at]! * slotSeconds;
      if (time < from || time > to) continue;
      const start = time - (time % this.#seconds);
      const last = (this.#count - 1) * CANDLE_NUMBERS;
      if (last >= 0 && this.#numbers[last] === start) this.#merge(last, numbers, at);
      else this.#insert(this.#count, start, numbers, at);
    }
  }

  /** Adds a candle of any time. */
  add(seconds: number, draft: CandleDraft): void {
    const start = seconds - (seconds % this.#seconds);
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#numbers[middle * CANDLE_NUMBERS]! > start) low = middle + 1;
      else high = middle;
    }
    numbersInto(ONE, 0, 0, draft);
    const at = low * CANDLE_NUMBERS;
    const isThere = low < this.#count && this.#numbers[at] === start;
    if (isThere) this.#merge(at, ONE, 0);
    else this.#insert(low, start, ONE, 0);
  }

  /** The newest `limit` candles with a price, ascending; see `unpackCandles`. */
  packed(limit: number, valuesOfDollar: number): Float64Array<ArrayBuffer> {
    const count = Math.min(limit, this.pricedCount);
    const packed = new Float64Array(CANDLE_COLUMNS * count);
    let to = packed.length;
    for (let at = 0; to > 0; at += CANDLE_NUMBERS) {
      const numbers = this.#numbers;
      if (numbers[at + OPEN] === 0) continue;
      to -= CANDLE_COLUMNS;
      packed[to] = 1_000 * numbers[at]!;
      packed[to + 1] = numbers[at + OPEN]!;
      packed[to + 2] = numbers[at + HIGH]!;
      packed[to + 3] = numbers[at + LOW]!;
      packed[to + 4] = numbers[at + CLOSE]!;
      packed[to + 5] = numbers[at + VOLUME]! / valuesOfDollar;
    }
    return packed;
  }

  #insert(index: number, start: number, numbers: Float64Array, from: number): void {
    const length = this.#count * CANDLE_NUMBERS;
    if (length + CANDLE_NUMBERS > this.#numbers.length) {
      const more = new Float64Array(2 * this.#numbers.length);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    const at = index * CANDLE_NUMBERS;
    if (at < length) this.#numbers.copyWithin(at + CANDLE_NUMBERS, at, length);
    for (let column = 1; column < CANDLE_NUMBERS; column++) {
      this.#numbers[at + column] = numbers[from + column]!;
    }
    this.#numbers[at] = start;
    this.#count++;
    if (numbers[from + OPEN]! > 0) this.pricedCount++;
  }

  /** As `mergeCandle` does. */
  #merge(at: number, numbers: Float64Array, from: number): void {
    if (this.#numbers[at + OPEN] === 0 && numbers[from + OPEN]! > 0) this.pricedCount++;
    const draft = draftAt(this.#numbers, at);
    mergeCandle(draft, draftAt(numbers, from));
    numbersInto(this.#numbers, at, this.#numbers[at]!, draft);
  }
}

const OPEN = 1;
const HIGH = 3;
const LOW = 4;
const CLOSE = 5;
const VOLUME = 7;
const ONE = new Float64Array(CANDLE_NUMBERS);
