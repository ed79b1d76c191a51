import { assert, describe, it } from "@effect/vitest";
import { CANDLE_BYTES_MIN, Candles } from "../src/candles/Candles.ts";
import { ALL, NOON } from "./CandlesWorld.ts";
import { addBlock, stampOf, swapOf } from "./candlesReference.ts";

const HOUR = 3_600;

describe("candles that there is no room for", () => {
  it("of pools that traded longer ago than all that have some take nobody's place", () => {
    // Pools that trade once each, an hour after one another, until the next one costs another its
    // place.
    const most = (count: number): number =>
      known(tradedOnce(count)) < count ? count - 1 : most(count + 1);
    const room = most(1);
    assert.isAbove(room, 20);
    const candles = tradedOnce(room);
    for (let past = 1; past <= 3 * room; past++) {
      trade(candles, room + past, 10_000 - past, NOON - HOUR * past);
      assert.strictEqual(known(candles), room, `after ${past}`);
      assert.deepStrictEqual(candles.ofPair(room + past, "1m", ALL), []);
    }
  });

  function tradedOnce(pools: number): Candles {
    const candles = new Candles({ budgetBytes: CANDLE_BYTES_MIN });
    for (let pool = 0; pool < pools; pool++)
      trade(candles, pool, 10_000 + pool, NOON + HOUR * pool);
    return candles;
  }

  /** Without a value, and tokens without a price, there is nothing but the candle of the pool. */
  function trade(candles: Candles, pool: number, number: number, seconds: number): void {
    addBlock(
      candles,
      { stamp: stampOf(number, seconds), swaps: [swapOf(pool, { value: 0 })] },
      () => 0,
    );
  }

  /** How many pools have candles of the time from which on they traded first. */
  function known(candles: Candles): number {
    let count = 0;
    for (let pool = 0; pool < 1_000; pool++) {
      if (candles.ofPair(pool, "1m", ALL).some(({ startMs }) => startMs >= 1_000 * (NOON - 60)))
        count++;
    }
    return count;
  }
});
