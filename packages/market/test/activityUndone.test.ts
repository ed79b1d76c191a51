import { assert, describe, it } from "@effect/vitest";
import type { BlockStamp } from "@millrace/core";
import { UNDONE_MOST } from "../src/activity/BlockRecords.ts";
import { hashOf, openActivity, pool, swapOf, token } from "./activityChain.ts";

const START_MS = Date.UTC(2026, 2, 1);
const PRICES = { priceUsd: [1.01, 2_345.67, 61_234.5, 0] };
const DAY_SECONDS = 86_400;

function stamp(number: number, seconds: number, branch = 0): BlockStamp {
  return { number, hash: hashOf(1_000 * number + branch), timestampMs: START_MS + 1_000 * seconds };
}

/** A block with one swap of a transaction of its own. */
function block(at: BlockStamp) {
  const units = [10n ** 8n, 10n ** 16n] as const;
  return { stamp: at, swaps: [swapOf(0, true, units, Number(BigInt(at.hash)), at.number)] };
}

describe("a block of the past that is another one than was counted of its number", () => {
  it("takes that one's place in windows, trades and candles, and leaves its neighbours", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    for (let number = 2; number <= 5; number++) publish(block(stamp(number, 60 * number)));
    const before = activity.tokenWindows(token(0));
    // The chain reverted the third block while nobody looked, and has come to the sixth.
    const other = block(stamp(3, 200, 1));
    publish({ stamp: stamp(6, 360), swaps: [], history: [other] });
    assert.deepStrictEqual(activity.tokenWindows(token(0))["24h"], before["24h"]);
    const trades = activity.trades(pool(0), 9);
    assert.deepStrictEqual(
      trades.map(({ stamp: { hash } }) => hash),
      [stamp(5, 0), other.stamp, stamp(4, 0), stamp(2, 0)]
        .toSorted((a, b) => b.number - a.number)
        .map(({ hash }) => hash),
    );
    const candles = activity.poolCandles(pool(0), "1m", { limit: 9 });
    assert.deepStrictEqual(
      candles.map(({ startMs, volumeUsd }) => [(startMs - START_MS) / 1_000, volumeUsd]),
      [
        [120, 101],
        [180, 101],
        [240, 101],
        [300, 101],
      ],
    );
    assert.deepStrictEqual(activity.audit(9), []);
  });
});

describe("512 blocks in which something traded", () => {
  it("are reverted at once, whatever traded before and between them", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    const depth = 512;
    publish(block(stamp(2, 1)));
    const before = activity.tokenWindows(token(0));
    for (let position = 0; position < depth; position++) {
      publish(block(stamp(3 + 2 * position, 2 + position)));
      publish({ stamp: stamp(4 + 2 * position, 2 + position), swaps: [] });
    }
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 1 + depth);
    const orphaned = Array.from(
      { length: 2 * depth },
      (_, position) => stamp(2 + 2 * depth - position, 0).hash,
    );
    publish({ stamp: stamp(3, 2, 1), swaps: [], orphaned });
    assert.deepStrictEqual(activity.tokenWindows(token(0)), before);
    assert.strictEqual(activity.trades(pool(0), 1_000).length, 1);
  });
});

describe("what a window has lost", () => {
  it("is back to the step of ten seconds when all that can be reverted is", () => {
    for (const age of [DAY_SECONDS - 10, DAY_SECONDS]) {
      const { activity, publish } = openActivity(stamp(1, 0), PRICES);
      publish(block(stamp(2, 0)));
      // As many as can be undone: the first of them is the oldest that the chain can end with.
      for (let position = 0; position < UNDONE_MOST; position++) {
        publish(block(stamp(3 + position, age + (position === 0 ? 0 : 20 * position))));
      }
      // What is counted of the first one has no more to wait for when the chain goes on.
      publish({ stamp: stamp(3 + UNDONE_MOST, age + 40 * UNDONE_MOST), swaps: [] });
      const orphaned = Array.from(
        { length: UNDONE_MOST - 1 },
        (_, position) => stamp(2 + UNDONE_MOST - position, 0).hash,
      );
      publish({ stamp: stamp(4, age, 1), swaps: [], orphaned });
      const { transactions, volumeUsd } = activity.tokenWindows(token(0))["24h"];
      const left = age < DAY_SECONDS ? 2 : 1;
      assert.deepStrictEqual([transactions, volumeUsd], [left, 101 * left]);
      assert.deepStrictEqual(activity.audit(9), []);
    }
  });

  it("is back when blocks below the one that was followed first are reverted", () => {
    const { activity, publish } = openActivity(stamp(9, DAY_SECONDS), PRICES);
    // The last of it is older than a day as long as the chain ends here.
    const history = [block(stamp(8, DAY_SECONDS - 10)), block(stamp(2, 0))];
    publish({ stamp: stamp(9, DAY_SECONDS), swaps: [], history });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 1);
    const orphaned = [stamp(9, 0).hash, stamp(8, 0).hash];
    publish({ stamp: stamp(8, DAY_SECONDS - 1, 1), swaps: [], orphaned });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 1);
    // … and it leaves again with the step.
    publish({ stamp: stamp(9, DAY_SECONDS, 1), swaps: [] });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 0);
    assert.deepStrictEqual(activity.audit(9), []);
  });

  it("is back when the chain ends with a block without swaps, below all that was reverted", () => {
    const opened = openActivity(stamp(1, 0), PRICES);
    opened.publish(block(stamp(2, 0)));
    opened.publish({ stamp: stamp(3, DAY_SECONDS - 20), swaps: [] });
    for (let index = 0; index < UNDONE_MOST; index++) {
      opened.publish(block(stamp(4 + index, DAY_SECONDS + 100)));
    }
    // Once as it is, once after a restart.
    const saved = opened.activity.save();
    const head = stamp(3 + UNDONE_MOST, DAY_SECONDS + 100);
    for (const { activity, publish } of [opened, openActivity(head, PRICES, { saved })]) {
      publish({ stamp: stamp(4 + UNDONE_MOST, DAY_SECONDS + 120), swaps: [] });
      const orphaned = Array.from(
        { length: UNDONE_MOST + 1 },
        (_, index) => stamp(4 + UNDONE_MOST - index, 0).hash,
      );
      publish({ stamp: stamp(4, DAY_SECONDS - 10, 1), swaps: [], orphaned });
      assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 1);
      assert.deepStrictEqual(activity.audit(9), []);
    }
  });
});
