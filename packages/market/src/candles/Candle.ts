export type CandleInterval = (typeof CANDLE_LENGTHS)[number]["name"];

export const CANDLE_LENGTHS = [
  { name: "1m", seconds: 60 },
  { name: "5m", seconds: 300 },
  { name: "15m", seconds: 900 },
  { name: "1h", seconds: 3_600 },
  { name: "4h", seconds: 14_400 },
  { name: "1d", seconds: 86_400 },
] as const;

/**
 * Intervals begin at multiples of their length since 1970; an interval without trades has no
 * candle.
 */
export interface Candle {
  readonly startMs: number;
  /** For a token: US dollars. For a pair of a pool: the quote for one base, in whole tokens. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volumeUsd: number;
}

export interface CandleRange {
  /** Bounds of starts, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The newest candles, at most this many, in ascending order. */
  readonly limit: number;
}
