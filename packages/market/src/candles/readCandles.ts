import { VALUES_A_DOLLAR } from "../activity/TradedBlock.ts";
import { CLOSE, HIGH, LOW, OPEN, VALUES, VOLUME } from "./blockCandles.ts";
import { CANDLE_LENGTHS, type Candle, type CandleInterval, type CandleRange } from "./Candle.ts";
import { CLOSE_BLOCK, MARKS, OPEN_BLOCK, START } from "./CandleSlab.ts";
import type { RecentBlocks } from "./RecentBlocks.ts";
import { BASES, type SettledCandles, secondsOf } from "./SettledCandles.ts";

/**
 * A subject's candles, ascending: settled ones with the additions of recent blocks, read backwards
 * from the newest until there are enough.
 */
export function readCandles(
  settled: SettledCandles,
  recent: RecentBlocks,
  subject: number,
  interval: CandleInterval,
  range: CandleRange,
): Candle[] {
  const { seconds } = CANDLE_LENGTHS.find(({ name }) => name === interval)!;
  const base = BASES.findLastIndex((length) => seconds % length === 0);
  const { from, to } = startsWithin(range, seconds);
  const floor = settled.floor(subject, base);
  const made = new NewestFirst(seconds, floor, range.limit);

  const trades = recent.of(subject, from, to + seconds - 1);
  let next = 0;
  /** Adds recent trades not before `start`; tells whether more is wanted. */
  const tradesSince = (start: number): boolean => {
    while (next < trades.length && !made.isFull) {
      const { block, position } = trades[next]!;
      const time = secondsOf(block);
      if (time < start) break;
      const { number } = block.stamp;
      made.add(time, block.values, VALUES * position, number, number);
      next++;
    }
    return !made.isFull;
  };
  const { values, marks } = settled.slab;
  settled.visit(subject, base, from, to + seconds - 1, (candle) => {
    const mark = MARKS * candle;
    const start = marks[mark + START]!;
    // A recent trade of the same base candle is added first; block numbers put them in order.
    if (!tradesSince(start)) return false;
    made.add(start, values, VALUES * candle, marks[mark + OPEN_BLOCK]!, marks[mark + CLOSE_BLOCK]!);
    return !made.isFull;
  });
  tradesSince(0);
  return made.finish();
}

/** The first and last multiple of the interval in a range, in seconds, not below 0. */
function startsWithin(range: CandleRange, seconds: number): { from: number; to: number } {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = range;
  return {
    from: Math.max(0, Math.ceil(fromMs / (1_000 * seconds)) * seconds),
    to: Math.floor(toMs / (1_000 * seconds)) * seconds,
  };
}

interface Draft {
  readonly start: number;
  open: number;
  openBlock: number;
  high: number;
  low: number;
  close: number;
  closeBlock: number;
  volume: number;
}

/** Joins candles and trades; none added later may be of a later interval. */
class NewestFirst {
  readonly #seconds: number;
  readonly #floor: number;
  readonly #limit: number;
  readonly #candles: Candle[] = [];
  #draft: Draft | undefined;
  isFull: boolean;

  constructor(seconds: number, floor: number, limit: number) {
    this.#seconds = seconds;
    this.#floor = floor;
    this.#limit = limit;
    this.isFull = !(limit >= 1);
  }

  /** Adds what happened from `time` (in seconds) on; its values begin at `at`. */
  add(time: number, values: Float64Array, at: number, openBlock: number, closeBlock: number): void {
    const start = time - (time % this.#seconds);
    if (this.#draft === undefined || this.#draft.start !== start) {
      this.#complete();
      // A part of an interval that begins at or before the floor may be forgotten.
      if (start <= this.#floor) this.isFull = true;
      if (this.isFull) return;
      this.#draft = emptyDraft(start);
    }
    const draft = this.#draft;
    draft.volume += values[at + VOLUME]!;
    const open = values[at + OPEN]!;
    if (open === 0) return;
    const isFirst = draft.open === 0;
    if (isFirst || openBlock < draft.openBlock) {
      draft.open = open;
      draft.openBlock = openBlock;
    }
    if (isFirst || closeBlock > draft.closeBlock) {
      draft.close = values[at + CLOSE]!;
      draft.closeBlock = closeBlock;
    }
    draft.high = isFirst ? values[at + HIGH]! : Math.max(draft.high, values[at + HIGH]!);
    draft.low = isFirst ? values[at + LOW]! : Math.min(draft.low, values[at + LOW]!);
  }

  finish(): Candle[] {
    this.#complete();
    return this.#candles.reverse();
  }

  #complete(): void {
    const draft = this.#draft;
    this.#draft = undefined;
    // A candle without a price is not shown.
    if (draft === undefined || draft.open === 0) return;
    const { start, open, high, low, close, volume } = draft;
    const volumeUsd = volume / VALUES_A_DOLLAR;
    this.#candles.push({ startMs: 1_000 * start, open, high, low, close, volumeUsd });
    this.isFull = this.#candles.length >= this.#limit;
  }
}

function emptyDraft(start: number): Draft {
  return { start, open: 0, openBlock: 0, high: 0, low: 0, close: 0, closeBlock: 0, volume: 0 };
}
