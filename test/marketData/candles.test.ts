import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MarketBlock, PastBlock, SwapEvent } from "@millrace/core";
import { embeddedHistory } from "@millrace/history";
import { type ArchivedBlock, CANDLE_LENGTHS, type Candle, type MarketData } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { sharedDataPath, TestScope } from "@millrace/testing";
import { afterAll, describe, expect, it } from "vitest";
import { mockAddress, testMarket } from "../markets/recordedMarkets.ts";

// A day of a real pool, minute by minute. The swaps of a minute were not recorded: these are made
// so that they reach the recorded prices, with the recorded amounts.

const file = sharedDataPath("candles/polygon-usdc-weth-2023-08-15.minute.csv");
const USDC = mockAddress(1);
const WETH = mockAddress(2);
const POOL = mockAddress(3);
const DAY_MS = Date.parse("2023-08-15T00:00:00Z");
const MINUTE_MS = 60_000;
const HALF = 720;
const BLOCKS_A_MINUTE = 5;
/** Smallest units of USDC in a ten-thousandth of a dollar. */
const VALUE = 100n;
const ALL = { limit: 2_000 };

const nothing = {
  dexes: [],
  tokens: [],
  pools: [],
  removedPools: [],
  states: [],
  swaps: [],
  supplies: [],
};

/** A minute as it was recorded; amounts in smallest units. */
interface Minute {
  readonly startMs: number;
  readonly openTick: number;
  readonly closeTick: number;
  readonly lowestTick: number;
  readonly highestTick: number;
  /** Inputs and outputs of token0 and token1. */
  readonly in0: bigint;
  readonly out0: bigint;
  readonly in1: bigint;
  readonly out1: bigint;
}

const minutes = readFileSync(file, "utf8").trim().split("\n").slice(1).map(parseMinute);
const traded = minutes.filter(({ in0, in1 }) => in0 + in1 > 0n);
const blocks = traded.flatMap(blocksOf);
const noonMs = DAY_MS + HALF * MINUTE_MS;
const before = blocks.filter(({ stamp }) => stamp.timestampMs < noonMs);
const after = blocks.filter(({ stamp }) => stamp.timestampMs >= noonMs);

describe("candles of a recorded day", () => {
  const market = testMarket(opening());
  const data: MarketData[] = [];
  const archived: ArchivedBlock[] = [];
  afterAll(() => {
    for (const each of data) each.close();
  });

  /**
   * Runs through the afternoon, gets the morning's history meanwhile, and is restarted on the way.
   */
  function livedThrough(): MarketData {
    let current = opened();
    const past = before.toReversed();
    for (const [index, block] of after.entries()) {
      const told = Math.ceil(past.length / (after.length - index));
      market.apply({ ...live(block), history: past.splice(0, told) });
      current.settle(); // a price is that of the newest block
      if (index % 500 !== 250) continue;
      const saved = current.save();
      current.close();
      current = opened(saved);
    }
    return current;
  }

  function opened(saved?: Uint8Array): MarketData {
    const archive = (block: ArchivedBlock) => void archived.push(block);
    const made = market.data([{ address: USDC, priceUsd: 1 }], undefined, saved, { archive });
    data.push(made);
    return made;
  }

  const lived = livedThrough();
  const pool = market.graph.findPool(POOL)!;
  const weth = market.graph.findToken(WETH)!;

  it("has something to tell", () => {
    expect(minutes.length).toBe(1_440);
    expect(traded.length).toBeGreaterThan(1_000);
    expect(before.length).toBeGreaterThan(500);
  });

  for (const [interval, length] of [
    ["1m", 1],
    ["5m", 5],
    ["15m", 15],
    ["1h", 60],
    ["4h", 240],
    ["1d", 1_440],
  ] as const) {
    it(`of ${interval} are what was recorded`, () => {
      const wanted = recordedCandles(length);
      const found = lived.poolCandles(pool, interval, ALL);
      expect(found.length).toBe(wanted.length);
      for (const [index, candle] of found.entries()) expectSame(candle, wanted[index]!);
      const { startMs } = wanted.at(-1)!;
      expect(lived.poolCandles(pool, interval, { limit: 1 })).toEqual(found.slice(-1));
      expect(lived.poolCandles(pool, interval, { ...ALL, toMs: startMs - 1 })).toEqual(
        found.slice(0, -1),
      );
    });
  }

  it("of a history are those in memory, of all intervals, of the pool and of its token", async () => {
    const folder = await mkdtemp(join(tmpdir(), "millrace-candles-"));
    const scope = new TestScope();
    try {
      const path = join(folder, "history.sqlite");
      const store = await scope.run(embeddedHistory({ path, chainId: 1 }));
      await scope.run(store.write(archived.map((block) => ({ kind: "block", block }))));
      const ofPool = { kind: "pair", pool: POOL, token0: USDC, token1: WETH } as const;
      const wholeUnits = 10 ** (6 - 18);
      for (const { name, seconds } of CANDLE_LENGTHS) {
        const kept = await scope.run(store.candles({ of: ofPool, seconds, ...ALL }));
        const priced = kept.map(({ open, high, low, close, ...candle }) => ({
          ...candle,
          ...{ open: open * wholeUnits, high: high * wholeUnits },
          ...{ low: low * wholeUnits, close: close * wholeUnits },
        }));
        const wanted = recordedCandles(seconds / 60);
        expect(priced.length).toBe(wanted.length);
        for (const [index, candle] of priced.entries()) expectSame(candle, wanted[index]!);
        const ofToken = { kind: "token", token: WETH } as const;
        expect(await scope.run(store.candles({ of: ofToken, seconds, ...ALL }))).toEqual(
          lived.tokenCandles(weth, name, ALL),
        );
      }
    } finally {
      await scope.close();
      await rm(folder, { recursive: true });
    }
  });

  it("of the other token are its price in dollars, as it was when nobody looked, too", () => {
    const found = lived.tokenCandles(weth, "1m", ALL);
    const known = new Map(found.map((candle) => [candle.startMs, candle]));
    let compared = 0;
    for (const minute of traded) {
      const candle = known.get(minute.startMs);
      // Past swaps of a few dollars give no price.
      const isPast = minute.startMs < noonMs;
      if (candle === undefined) {
        expect(isPast).toBe(true);
        expect(dollarsOf(minute)).toBeLessThan(10 * BLOCKS_A_MINUTE);
        continue;
      }
      expect(candle.volumeUsd).toBeCloseTo(dollarsOf(minute), 2);
      expect(candle.high * priceOf(minute.lowestTick)).toBeLessThanOrEqual(1 + 1e-9);
      expect(candle.low * priceOf(minute.highestTick)).toBeGreaterThanOrEqual(1 - 1e-9);
      if (isPast && dollarsOf(minute) < 100) continue;
      expect(candle.close * priceOf(minute.closeTick)).toBeCloseTo(1, 8);
      compared++;
    }
    expect(compared).toBeGreaterThan(800);
    expect(lived.token(weth).hasCandles).toBe(true);
  });
});

function parseMinute(line: string): Minute {
  const cells = line.split(",");
  const [net0, net1, in0, in1] = [cells[1]!, cells[2]!, cells[7]!, cells[8]!].map(BigInt);
  const [closeTick, openTick, lowestTick, highestTick] = cells.slice(3, 7).map(Number);
  return {
    startMs: Date.parse(`${cells[0]!.replace(" ", "T")}Z`),
    openTick: openTick!,
    closeTick: closeTick!,
    // Seven minutes were recorded with an open or close beyond their extremes.
    lowestTick: Math.min(lowestTick!, openTick!, closeTick!),
    highestTick: Math.max(highestTick!, openTick!, closeTick!),
    in0: in0!,
    out0: in0! - net0!,
    in1: in1!,
    out1: in1! - net1!,
  };
}

/** One whole USDC in WETH. */
function priceOf(tick: number): number {
  return 1.0001 ** tick * 10 ** (6 - 18);
}

function dollarsOf({ in0, out0 }: Minute): number {
  return Number(in0 + out0) / 1e6;
}

interface MadeBlock extends PastBlock {
  readonly lastTick: number;
}

/** Swaps through the open, then the extremes, to the close, a few to a block. */
function blocksOf(minute: Minute, index: number): MadeBlock[] {
  const { openTick, closeTick, lowestTick, highestTick } = minute;
  const extremes = index % 2 === 0 ? [lowestTick, highestTick] : [highestTick, lowestTick];
  // Some ticks come twice, so that each input has swaps of its direction.
  const ticks = [openTick, openTick, ...extremes, closeTick, closeTick];
  const sells0 = ticks.map((_, place) => minute.in1 === 0n || (minute.in0 > 0n && place % 2 === 0));
  const count0 = BigInt(sells0.filter((sells) => sells).length);
  const count1 = BigInt(ticks.length) - count0;
  // The first swap of a direction takes the remainder.
  const isFirst = (place: number) => sells0.indexOf(sells0[place]!) === place;
  return [0, 1].map((half) => {
    const places = [...ticks.keys()].filter((place) => place % 6 < 3 === (half === 0));
    const number = 1_000_000 + BLOCKS_A_MINUTE * index + half;
    return {
      stamp: {
        number,
        hash: `0x${number.toString(16).padStart(64, "0")}` as const,
        timestampMs: minute.startMs + 1_000 * (7 + 40 * half),
      },
      swaps: places.map((place): SwapEvent => {
        const rate = 1.0001 ** ticks[place]!;
        const part = (whole: bigint) =>
          share(whole, sells0[place]! ? count0 : count1, isFirst(place));
        const common = {
          pool: POOL,
          transactionHash: `0x${(10 * number + place).toString(16).padStart(64, "0")}`,
          logIndex: place,
        };
        return sells0[place]!
          ? {
              ...common,
              tokenIn: USDC,
              tokenOut: WETH,
              amountIn: part(minute.in0),
              amountOut: part(minute.out1),
              priceAfter: rate,
            }
          : {
              ...common,
              tokenIn: WETH,
              tokenOut: USDC,
              amountIn: part(minute.in1),
              amountOut: part(minute.out0),
              priceAfter: 1 / rate,
            };
      }),
      lastTick: ticks[places.at(-1)!]!,
    };
  });
}

/** A part of an amount, in whole values; the first part takes the remainder. */
function share(whole: bigint, count: bigint, isFirst: boolean): bigint {
  const part = (whole / count / VALUE) * VALUE;
  return isFirst ? whole - part * (count - 1n) : part;
}

/** Candles of `length` minutes each; volumes to the ten-thousandth of a dollar. */
function recordedCandles(length: number): Candle[] {
  const groups = Map.groupBy(traded, ({ startMs }) => {
    const lengthMs = length * MINUTE_MS;
    return Math.floor(startMs / lengthMs) * lengthMs;
  });
  return [...groups].map(([startMs, group]) => ({
    startMs,
    open: priceOf(group[0]!.openTick),
    high: priceOf(Math.max(...group.map(({ highestTick }) => highestTick))),
    low: priceOf(Math.min(...group.map(({ lowestTick }) => lowestTick))),
    close: priceOf(group.at(-1)!.closeTick),
    volumeUsd:
      group.reduce((sum, minute) => sum + values(minute.in0) + values(minute.out0), 0) / 1e4,
  }));
}

function values(usdc: bigint): number {
  return Number((usdc + VALUE / 2n) / VALUE);
}

function expectSame(found: Candle, wanted: Candle): void {
  expect({ startMs: found.startMs, volumeUsd: found.volumeUsd }).toEqual({
    startMs: wanted.startMs,
    volumeUsd: wanted.volumeUsd,
  });
  for (const field of ["open", "high", "low", "close"] as const) {
    expect(Math.abs(found[field] / wanted[field] - 1)).toBeLessThan(1e-12);
  }
}

/** The market at noon: the pool, with millions on either side. */
function opening(): MarketBlock {
  const token = { name: "", symbol: "" };
  const { stamp } = before.at(-1)!;
  const number = stamp.number + 1;
  return {
    ...nothing,
    stamp: {
      number,
      hash: `0x${number.toString(16).padStart(64, "0")}`,
      timestampMs: noonMs - 1_000,
    },
    dexes: [{ id: "DEX", name: "Dex", protocol: "constant-product", factory: mockAddress(9) }],
    tokens: [
      { ...token, address: USDC, decimals: 6 },
      { ...token, address: WETH, decimals: 18 },
    ],
    pools: [{ address: POOL, dexId: "DEX", tokens: [USDC, WETH], feePips: 500, parameter: 0 }],
    states: [stateAt(before.at(-1)!.lastTick)],
  };
}

function live({ stamp, swaps, lastTick }: MadeBlock): MarketBlock {
  return { ...nothing, stamp, swaps, states: [stateAt(lastTick)] };
}

function stateAt(tick: number) {
  const reserve0 = 10n ** 7n * 10n ** 6n;
  return {
    pool: POOL,
    state: encodeReserves([reserve0, BigInt(Math.round(Number(reserve0) * 1.0001 ** tick))]),
  };
}
