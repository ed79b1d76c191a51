import { assert, describe, it } from "@effect/vitest";
import { CANDLE_BYTES_MIN, Candles } from "../src/candles/Candles.ts";
import { ALL, NOON } from "./CandlesWorld.ts";
import { addBlock, stampOf, swapOf, type TrafficBlock } from "./candlesReference.ts";

const ROOMY = { budgetBytes: 16 << 20 };
const TIGHT = { budgetBytes: CANDLE_BYTES_MIN };
const MINUTE = 60;
const DAY = 86_400;

describe("a block", () => {
  it("is reverted when it is among the newest 512, whatever is published of the past meanwhile", () => {
    const candles = new Candles(ROOMY);
    const stamps = Array.from({ length: 530 }, (_, number) => stampOf(number, NOON + number));
    for (const stamp of stamps.slice(18)) publish(candles, stamp, [swapOf(1, { priceAfter: 2 })]);
    for (const stamp of stamps.slice(0, 18))
      publish(candles, stamp, [swapOf(1, { priceAfter: 3 })]);
    for (const stamp of stamps.slice(18).reverse()) candles.undo(stamp);
    const [day] = candles.ofPair(1, "1d", ALL);
    assert.deepInclude(day, { open: 3, high: 3, low: 3, close: 3, volumeUsd: 18 });
  });

  it("that is published after newer ones were settled changes neither their close nor their order", () => {
    const candles = new Candles(ROOMY);
    const swapsAt = (number: number) => [swapOf(1, { priceAfter: number })];
    for (let number = 10; number < 600; number++) {
      publish(candles, stampOf(number, NOON), swapsAt(number));
    }
    // Now there is room for an older one beside those that are kept apart, and then for newer ones.
    for (let number = 599; number >= 80; number--) candles.undo(stampOf(number, NOON));
    publish(candles, stampOf(5, NOON), swapsAt(5));
    const [minute] = candles.ofPair(1, "1m", ALL);
    assert.deepInclude(minute, { open: 5, high: 87, low: 5, close: 87, volumeUsd: 79 });
  });

  it("whose time is before that of the block before it is put where its time says", () => {
    const candles = new Candles(ROOMY);
    for (const [number, seconds] of [60, 0, 60].entries()) {
      publish(candles, stampOf(number, DAY + seconds), [swapOf(1, {})]);
    }
    assert.deepStrictEqual(
      candles.ofPair(1, "1m", ALL).map(({ startMs, volumeUsd }) => [startMs, volumeUsd]),
      [
        [1_000 * DAY, 1],
        [1_000 * (DAY + 60), 2],
      ],
    );
  });

  it("that is forgotten at once leaves no part of itself in later candles", () => {
    let forgotten = 0;
    // At different lengths there is different room left for what is published of the past.
    for (let minutes = 400; minutes < 424; minutes++) {
      const candles = new Candles(TIGHT);
      for (let minute = 1; minute <= minutes; minute++) {
        publish(candles, stampOf(minute, DAY + minute * MINUTE), [swapOf(1, {})]);
      }
      publish(candles, stampOf(0, DAY + 1), [swapOf(500, {})]);
      const later = DAY + (minutes + 1) * MINUTE;
      publish(candles, stampOf(minutes + 1, later), [swapOf(500, {})]);
      for (const settle of [() => {}, () => flush(candles, minutes + 1, later)]) {
        settle();
        const days = candles.ofPair(500, "1d", ALL);
        if (days.length > 0) assert.strictEqual(days[0]!.volumeUsd, 2);
        else forgotten++;
        assert.isAtLeast(candles.ofPair(500, "1m", ALL).length, 1);
      }
    }
    assert.isAbove(forgotten, 0);
  });

  it("that is published twice counts once, and one that is not known is undone in vain", () => {
    const candles = new Candles(ROOMY);
    for (let twice = 0; twice < 2; twice++) publish(candles, stampOf(5, NOON), [swapOf(1, {})]);
    candles.undo(stampOf(6, NOON));
    assert.strictEqual(candles.ofPair(1, "1m", ALL)[0]!.volumeUsd, 1);
  });

  it("of a time or number that cannot be is left aside", () => {
    const candles = new Candles(ROOMY);
    for (const [number, seconds] of [
      [-1, NOON],
      [2 ** 32, NOON],
      [Number.NaN, NOON],
      [1, -1],
      [1, 2 ** 32],
      [1, Number.NaN],
    ] as const) {
      publish(candles, { ...stampOf(1, seconds), number }, [swapOf(1, {})]);
    }
    assert.deepStrictEqual(candles.ofPair(1, "1d", ALL), []);
  });

  it("with more pools than memory has room for leaves the right candles of some", () => {
    const candles = new Candles(TIGHT);
    const swaps = Array.from({ length: 20_000 }, (_, pool) =>
      swapOf(pool, { priceAfter: pool + 1 }),
    );
    publish(candles, stampOf(1, NOON), swaps);
    let found = 0;
    for (const { pool } of swaps) {
      for (const candle of candles.ofPair(pool, "1d", ALL)) {
        assert.strictEqual(candle.open, pool + 1);
        found++;
      }
    }
    assert.isAbove(found, 10);
  });

  it("of swaps without prices that make sense shows no candle, and one with a price all volumes", () => {
    const candles = new Candles(ROOMY);
    const odd = [0, Number.NaN, Number.POSITIVE_INFINITY, -1];
    const swaps = odd.map((priceAfter) => swapOf(1, { priceAfter }));
    publish(candles, stampOf(1, NOON), swaps, () => Number.NaN);
    assert.deepStrictEqual(candles.ofPair(1, "1m", ALL), []);
    assert.isFalse(candles.hasToken(1));
    const volumes = [Number.NaN, Number.POSITIVE_INFINITY, -5, 30_000];
    publish(
      candles,
      stampOf(2, NOON),
      volumes.map((value) => swapOf(1, { value, priceAfter: 7 })),
      () => 3,
    );
    assert.deepStrictEqual(candles.ofPair(1, "1m", ALL), [
      { startMs: 1_000 * minuteOf(NOON), open: 7, high: 7, low: 7, close: 7, volumeUsd: 7 },
    ]);
    assert.strictEqual(candles.ofToken(2, "1m", ALL)[0]!.volumeUsd, 7);
    assert.isTrue(candles.hasToken(1));
    candles.undo(stampOf(2, NOON));
    assert.isFalse(candles.hasToken(1));
  });
});

function publish(
  candles: Candles,
  stamp: TrafficBlock["stamp"],
  swaps: TrafficBlock["swaps"],
  price: (token: number) => number = () => 1,
): void {
  addBlock(candles, { stamp, swaps }, price);
}

/**
 * Fills what is kept apart with blocks of a pool that is not looked at, until the rest is settled.
 */
function flush(candles: Candles, number: number, seconds: number): void {
  for (let more = 1; more <= 10; more++) {
    publish(candles, stampOf(number + more, seconds), [swapOf(9_999, {})]);
  }
}

function minuteOf(seconds: number): number {
  return seconds - (seconds % MINUTE);
}
