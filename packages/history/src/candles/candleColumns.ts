import type { HistoryCandle } from "../HistoryStore.ts";

/** Of a candle: start in ms, open, high, low, close, and volume in US dollars. */
export const CANDLE_COLUMNS = 6;

/** Unpacks candles that another thread handed over as numbers. */
export function unpackCandles(numbers: Float64Array): ReadonlyArray<HistoryCandle> {
  const candles: HistoryCandle[] = [];
  for (let at = 0; at < numbers.length; at += CANDLE_COLUMNS) {
    candles.push({
      startMs: numbers[at]!,
      open: numbers[at + 1]!,
      high: numbers[at + 2]!,
      low: numbers[at + 3]!,
      close: numbers[at + 4]!,
      volumeUsd: numbers[at + 5]!,
    });
  }
  return candles;
}
