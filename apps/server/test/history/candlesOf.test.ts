import type { Candle } from "@millrace/market";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { candlesOf } from "../../src/history/candlesOf.ts";

type Opened = Parameters<typeof candlesOf>[0];

const HOUR_MS = 3_600_000;
const candle = (hour: number, volumeUsd: number): Candle => ({
  ...{ startMs: hour * HOUR_MS, volumeUsd },
  ...{ open: volumeUsd, high: volumeUsd, low: volumeUsd, close: volumeUsd },
});

describe("candles of memory and history", () => {
  /** Reads candles of a market at hour 100, with all hours since 90 in memory. */
  function read(isRead: boolean, limit = 100) {
    const kept = [candle(0, 10), candle(1, 2), candle(95, 1)];
    const store = {
      candles: ({ toMs }: { readonly toMs: number }) =>
        Effect.succeed(kept.filter(({ startMs }) => startMs <= toMs)),
    };
    const progress = { missingTo: isRead ? undefined : 17 };
    const past = {
      standing: () => ({ progress }),
      readFor: (_: string, reading: Effect.Effect<unknown>) => reading,
      store,
    };
    const stamp = { timestampMs: 100 * HOUR_MS };
    const opened = {
      network: { history: { sinceMs: 90 * HOUR_MS } },
      market: { past, engine: { graph: { stamp } } },
    } as unknown as Opened;
    const asked: Parameters<typeof candlesOf>[1] = {
      ...{
        client: "",
        interval: "1h",
        fill: false,
        range: { limit },
      },
      of: { kind: "token", token: "0x" },
      inMemory: () => [candle(0, 3), candle(1, 5), candle(50, 4), candle(95, 8)],
      convert: (each) => each,
    };
    const found = Effect.runSync(candlesOf(opened, asked));
    return found.map(({ startMs, volumeUsd }) => [startMs / HOUR_MS, volumeUsd]);
  }

  it("are the history's, but for what memory has all of", () => {
    expect(read(true)).toEqual([
      [0, 10],
      [1, 2],
      [95, 8],
    ]);
  });

  it("are of whichever knows more, while the past is still read", () => {
    const all = [
      [0, 10],
      [1, 5],
      [50, 4],
      [95, 8],
    ];
    expect(read(false)).toEqual(all);
    expect(read(false, 2)).toEqual(all.slice(-2));
  });
});
