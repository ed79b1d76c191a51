import { assert, describe, it } from "@effect/vitest";
import { law, RandomSource, TEST_SEED } from "@millrace/testing";
import { CANDLE_BYTES_MIN, Candles } from "../src/candles/Candles.ts";
import { ALL, NOON, shuffled, World } from "./CandlesWorld.ts";
import { addBlock, stampOf, swapOf, type Traffic, type TrafficBlock } from "./candlesReference.ts";

const ROOMY = { budgetBytes: 16 << 20 };
const TIGHT = { budgetBytes: CANDLE_BYTES_MIN };
const FEW: Traffic = { pools: 12, swapsMax: 6 };
const MINUTE = 60;
const DAY = 86_400;

describe("candles", () => {
  it("are those of all trades, whatever the order, what is undone and restored", () => {
    for (const [, { next }] of law("candles: those of all trades", 1).sources()) {
      const world = new World(new Candles(ROOMY), next);
      for (let round = 0; round < 120; round++) {
        world.grow(1 + Math.floor(20 * next()), 1 + 90 * next(), FEW);
        if (next() < 0.3) world.undo(1 + Math.floor(12 * next()));
        if (next() < 0.05) world.restart(ROOMY);
        if (round % 30 === 29) world.compareAll(FEW.pools, next);
      }
      assert.isAbove(world.published.size, 512); // some blocks are settled
    }
  });

  it("of days that are published from the newest block to the oldest are those of the days", () => {
    const next = new RandomSource(TEST_SEED + 4).next;
    const world = new World(new Candles(ROOMY), next);
    const blocks = world.make(1_500, 400, FEW);
    for (const block of blocks.slice(1_300)) world.publish(block);
    for (const block of blocks.slice(0, 1_300).reverse()) world.publish(block);
    world.compareAll(FEW.pools, next);
  });

  it("of blocks that are published in any order are those of the blocks", () => {
    const next = new RandomSource(TEST_SEED + 5).next;
    const world = new World(new Candles(ROOMY), next);
    for (const block of shuffled(world.make(1_500, 300, FEW), next)) world.publish(block);
    world.compareAll(FEW.pools, next);
  });

  it("that memory is too short for are forgotten, and those that remain are right", () => {
    for (const [, { next }] of law("candles: of too short a memory", 1).sources()) {
      const world = new World(new Candles(TIGHT), next);
      const traffic = { pools: 50, swapsMax: 10 };
      let remaining = 0;
      for (let round = 0; round < 40; round++) {
        world.grow(20, 200 * next() ** 2, traffic);
        if (next() < 0.3) world.undo(1 + Math.floor(4 * next()));
        if (next() < 0.2) world.restart(TIGHT);
        if (round % 10 === 9) remaining += world.compareRemaining(traffic.pools);
      }
      assert.isAbove(remaining, 0);
    }
  });

  it("of the past that memory is too short for do not push out the newest, nor stay in part", () => {
    const next = new RandomSource(TEST_SEED + 10).next;
    const world = new World(new Candles(TIGHT), next);
    const traffic = { pools: 60, swapsMax: 12 };
    const blocks = world.make(800, 60, traffic);
    for (const block of blocks.slice(400)) world.publish(block);
    const newest = world.candles.ofPair(0, "1m", { limit: 1 });
    for (const block of blocks.slice(0, 400).reverse()) world.publish(block);
    world.compareRemaining(traffic.pools);
    // Older ones of a pair that was idle at the end may go for the past of one that was not.
    assert.isAbove(newest.length, 0);
    assert.deepStrictEqual(world.candles.ofPair(0, "1m", { limit: 1 }), newest);
  });

  it("of what has been idle the longest go first, and of that the oldest and shortest", () => {
    const candles = new Candles(TIGHT);
    let number = 0;
    const trade = (pool: number, seconds: number) =>
      publish(candles, stampOf(++number, seconds), [swapOf(pool, {})]);
    // Two pools trade for 40 minutes, then only the second does, and new ones come up.
    for (let minute = 0; minute < 40; minute++) {
      trade(1, NOON + minute * MINUTE);
      trade(2, NOON + minute * MINUTE);
    }
    const counts: number[] = [];
    for (let other = 0; other < 40; other++) {
      trade(2, NOON + DAY + other * MINUTE);
      trade(1_000 + other, NOON + DAY + other * MINUTE);
      // Fills what is kept apart with blocks of another pool, until the rest is settled.
      for (let more = 0; more < 10; more++) {
        trade(9_999, NOON + DAY + other * MINUTE);
        counts.push(candles.ofPair(1, "1m", ALL).length);
        const days = candles.ofPair(1, "1d", ALL).length;
        assert.strictEqual(days, counts.at(-1)! > 0 ? 1 : 0);
      }
    }
    assert.strictEqual(counts[0], 40);
    assert.isTrue(counts.some((count) => count > 0 && count < 40)); // by and by
    assert.strictEqual(counts.at(-1), 0);
    assert.strictEqual(candles.ofPair(2, "1m", ALL).length, 80);
  });

  it("of one series are at most a week of minutes, and longer ones stay", () => {
    const candles = new Candles(ROOMY);
    const minutes = 8 * 1_440;
    for (let minute = 0; minute < minutes; minute++) {
      publish(candles, stampOf(minute, minute * MINUTE + DAY), [swapOf(1, { value: 10_000 })]);
    }
    const kept = candles.ofPair(1, "1m", ALL);
    assert.isAtMost(kept.length, 10_080 + 512);
    assert.isAtLeast(kept.length, 10_080 - 8);
    assert.strictEqual(kept.at(-1)!.startMs, 1_000 * ((minutes - 1) * MINUTE + DAY));
    const days = candles.ofPair(1, "1d", ALL);
    assert.deepStrictEqual(
      days.map((day) => day.volumeUsd),
      Array(8).fill(1_440),
    );
    // Of five minutes, too, only whole ones are served.
    for (const candle of candles.ofPair(1, "5m", ALL)) assert.strictEqual(candle.volumeUsd, 5);
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
