import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { CANDLE_LENGTHS } from "../src/candles/Candle.ts";
import { CANDLE_BYTES_MIN, Candles } from "../src/candles/Candles.ts";
import { addBlock, randomBlock, stampOf, type TrafficBlock } from "./candlesReference.ts";
import { savedCandles } from "./savedCandles.ts";

const ROOMY = { budgetBytes: 4 << 20 };
const NOON = 1_750_000_000;
const TRAFFIC = { pools: 20, swapsMax: 8 };
const ALL = { limit: Number.POSITIVE_INFINITY };

describe("saved candles", () => {
  it("go on as if they had never been away, through reorganisations of what was before", () => {
    const blocks = blocksOf(new RandomSource(TEST_SEED + 1).next, 700);
    const candles = new Candles(ROOMY);
    for (const block of blocks.slice(0, 600)) publish(candles, block);
    const restored = restoredFrom(savedCandles(candles), ROOMY);
    for (const each of [candles, restored]) {
      for (const block of blocks.slice(400, 600).reverse()) each.undo(block.stamp);
      for (const block of blocks.slice(600)) publish(each, block);
    }
    assert.deepStrictEqual(allOf(restored), allOf(candles));
    assert.deepStrictEqual(savedCandles(restored), savedCandles(candles));
    assert.isAbove(allOf(candles).flat().length, 1_000);
  });

  it("are all there when there is more room, and the newest when there is less", () => {
    const candles = new Candles(ROOMY);
    for (const block of blocksOf(new RandomSource(TEST_SEED + 2).next, 700))
      publish(candles, block);
    const bytes = savedCandles(candles);
    assert.deepStrictEqual(allOf(restoredFrom(bytes, { budgetBytes: 32 << 20 })), allOf(candles));
    const fewer = allOf(restoredFrom(bytes, { budgetBytes: CANDLE_BYTES_MIN }));
    const every = allOf(candles);
    for (const [index, series] of fewer.entries()) {
      assert.deepStrictEqual(
        series,
        series.length === 0 ? [] : every[index]!.slice(-series.length),
      );
    }
    assert.isAbove(fewer.flat().length, 100);
    assert.isBelow(fewer.flat().length, every.flat().length);
  });

  it("replace what was there before", () => {
    const [some, others] = [new Candles(ROOMY), new Candles(ROOMY)];
    for (const block of blocksOf(new RandomSource(TEST_SEED + 3).next, 600)) publish(some, block);
    for (const block of blocksOf(new RandomSource(TEST_SEED + 4).next, 650)) publish(others, block);
    const wanted = allOf(others);
    assert.isTrue(some.restore(savedCandles(others)));
    assert.deepStrictEqual(allOf(some), wanted);
    assert.deepStrictEqual(savedCandles(some), savedCandles(others));
  });

  it("that are damaged or cut are refused, and nothing of them is kept", () => {
    const next = new RandomSource(TEST_SEED + 5).next;
    const candles = new Candles(ROOMY);
    for (const block of blocksOf(next, 560)) publish(candles, block);
    const bytes = savedCandles(candles);
    const empty = allOf(new Candles(ROOMY));
    for (let round = 0; round < 200; round++) {
      const damaged = bytes.slice();
      // The first bytes are few and matter most.
      const at = Math.floor((round < 60 ? 60 : bytes.length) * next());
      damaged[at]! ^= 1 << Math.floor(8 * next());
      const length = next() < 0.5 ? bytes.length : Math.floor(bytes.length * next());
      assert.isFalse(candles.restore(damaged.subarray(0, length)));
    }
    assert.deepStrictEqual(allOf(candles), empty);
    assert.isFalse(candles.restore(new Uint8Array(0)));
    assert.isTrue(candles.restore(bytes));
  });
});

function blocksOf(next: () => number, count: number): TrafficBlock[] {
  let seconds = NOON;
  return Array.from({ length: count }, (_, number) => {
    seconds += 1 + Math.floor(100 * next());
    return randomBlock(next, stampOf(number, seconds), TRAFFIC);
  });
}

function publish(candles: Candles, block: TrafficBlock): void {
  addBlock(candles, block, (token) => block.prices.get(token) ?? 0);
}

function restoredFrom(bytes: Uint8Array, options: { budgetBytes: number }): Candles {
  const candles = new Candles(options);
  assert.isTrue(candles.restore(bytes));
  return candles;
}

function allOf(candles: Candles) {
  return Array.from({ length: TRAFFIC.pools }, (_, number) => {
    const ofToken = CANDLE_LENGTHS.map(({ name }) => candles.ofToken(number, name, ALL));
    assert.strictEqual(candles.hasToken(number), ofToken.flat().length > 0);
    return [...CANDLE_LENGTHS.map(({ name }) => candles.ofPair(number, name, ALL)), ...ofToken];
  }).flat();
}
