import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { CANDLE_BYTES_MIN, Candles } from "../src/candles/Candles.ts";
import { addBlock, randomBlock, stampOf, swapOf } from "./candlesReference.ts";

const BUDGET = 12 << 20;
const NOON = 1_750_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

describe("the memory of candles", () => {
  it("is never more than the budget, however much is traded", () => {
    filled(); // for whatever is taken only once
    const before = heldBytes();
    const candles = filled();
    const taken = heldBytes() - before;
    assert.isAtMost(taken, BUDGET);
    assert.isAtLeast(taken, 0.7 * BUDGET);
    assert.isAtLeast(countOf(candles), 10_000); // it is full, and of use
  });

  it("holds recent blocks of one swap each within its budget, too", () => {
    const sparse = (budgetBytes: number) => {
      const candles = new Candles({ budgetBytes });
      for (let number = 0; number < 2_000; number++) {
        const stamp = { ...stampOf(number, NOON + number), hash: hashOf(number) };
        addBlock(candles, { stamp, swaps: [swapOf(number, {})] }, () => 1);
      }
      return candles;
    };
    sparse(1 << 20);
    const before = heldBytes();
    const many = Array.from({ length: 20 }, () => sparse(1 << 20));
    assert.isAtMost(heldBytes() - before, many.length << 20);
    assert.isTrue(many.every((candles) => candles.hasToken(1_999)));
  });

  it("is refused when it is too little to be of use", () => {
    for (const budgetBytes of [0, CANDLE_BYTES_MIN - 1, Number.NaN]) {
      assert.throws(() => new Candles({ budgetBytes }), /bytes at least/);
    }
  });
});

function filled(): Candles {
  const candles = new Candles({ budgetBytes: BUDGET });
  const next = new RandomSource(TEST_SEED + 1).next;
  for (let number = 0; number < 700; number++) {
    const stamp = { ...stampOf(number, NOON + 12 * number), hash: hashOf(number) };
    const block = randomBlock(next, stamp, { pools: 6_000, swapsMax: 600 });
    addBlock(candles, block, (token) => block.prices.get(token)!);
  }
  return candles;
}

function hashOf(number: number): `0x${string}` {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

function countOf(candles: Candles): number {
  let count = 0;
  for (let pool = 0; pool < 6_000; pool++) {
    count += candles.ofPair(pool, "1m", { limit: Number.POSITIVE_INFINITY }).length;
  }
  return count;
}

function heldBytes(): number {
  for (let times = 0; times < 3; times++) collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
