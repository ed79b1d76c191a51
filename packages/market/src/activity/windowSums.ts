import type { Windowed } from "../MarketData.ts";
import type { PoolSumField, ReadSums, TokenSumField } from "./sumFields.ts";
import { WINDOWS, type WindowName } from "./TradedBlock.ts";
import type { WindowTotals } from "./WindowTotals.ts";

/** All windows of a subject. */
export function windowed(totals: WindowTotals, subject: number): Windowed {
  return {
    "5m": totals.sums(subject, 0),
    "1h": totals.sums(subject, 1),
    "6h": totals.sums(subject, 2),
    "24h": totals.sums(subject, 3),
  };
}

/** One sum of any subject; 0 for subjects below 0, which never traded. */
export function sumOf(
  field: TokenSumField | PoolSumField,
  totals: WindowTotals,
  subject: number,
): number {
  const { window, what } = SUMS[field];
  return subject < 0 ? 0 : totals[what](subject, window);
}

/**
 * One sum for all indexes; `linked`: the subject of each index plus 1, or 0 where it never traded.
 */
export function sumsBy(
  field: TokenSumField | PoolSumField,
  totals: WindowTotals,
  linked: Uint32Array,
): ReadSums {
  const { window, what } = SUMS[field];
  // First read in the order of subjects, as they lie in memory.
  const column = totals.column(what, window);
  return (into, first) => {
    const count = Math.min(into.length, Math.max(0, linked.length - first));
    for (let at = 0; at < count; at++) into[at] = column[linked[first + at]!] ?? 0;
    into.fill(0, count);
  };
}

const indexOf = (name: WindowName) => WINDOWS.findIndex((window) => window.name === name);

const SUMS = {
  volume24h: { window: indexOf("24h"), what: "volumeUsd" },
  volume6h: { window: indexOf("6h"), what: "volumeUsd" },
  volume1h: { window: indexOf("1h"), what: "volumeUsd" },
  volume5m: { window: indexOf("5m"), what: "volumeUsd" },
  txns24h: { window: indexOf("24h"), what: "transactions" },
  buys24h: { window: indexOf("24h"), what: "buys" },
  sells24h: { window: indexOf("24h"), what: "sells" },
} as const;
