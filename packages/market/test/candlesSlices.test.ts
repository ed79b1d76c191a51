import { assert, describe, it } from "@effect/vitest";
import { runToEnd } from "@millrace/core";
import { Candles } from "../src/candles/Candles.ts";
import { ALL, NOON } from "./CandlesWorld.ts";
import { addBlock, stampOf, swapOf } from "./candlesReference.ts";

const POOLS = 3_000;

describe("candles of the newest blocks", () => {
  it("are served whole while those of older ones are settled in slices", () => {
    const candles = new Candles({ budgetBytes: 64 << 20 });
    const block = (number: number) => ({
      stamp: stampOf(number, NOON + 60 * number),
      swaps: Array.from({ length: POOLS }, (_, pool) => swapOf(pool, { priceAfter: 1 + number })),
    });
    const served = () =>
      [0, 700, 1_400, POOLS - 1].map((pool) => candles.ofPair(pool, "1m", ALL).length);
    let slicesMost = 0;
    for (let number = 0; number < 60; number++) {
      const read = runToEnd(candles.read(block(number), () => 1));
      candles.add(read);
      let slices = 0;
      for (const _ of candles.settleOldest(read)) {
        slices++;
        assert.deepStrictEqual(served(), Array(4).fill(number + 1));
      }
      slicesMost = Math.max(slicesMost, slices);
    }
    assert.isAbove(slicesMost, 3);
  });

  it("can be reverted, of as many blocks as windows can revert", () => {
    const candles = new Candles({ budgetBytes: 8 << 20 });
    for (let number = 0; number < 600; number++) {
      const stamp = stampOf(number, NOON + number);
      addBlock(candles, { stamp, swaps: [swapOf(1, {})] }, () => 1);
    }
    const [day] = candles.ofPair(1, "1d", ALL);
    for (let number = 599; number > 599 - 512; number--) candles.undo(stampOf(number, 0));
    const [left] = candles.ofPair(1, "1d", ALL);
    assert.strictEqual(left!.volumeUsd, (day!.volumeUsd / 600) * (600 - 512));
  });
});
