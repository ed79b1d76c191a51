import { assert, describe, it } from "@effect/vitest";
import type { BlockStamp, PastBlock, PoolListing } from "@millrace/core";
import { UNDONE_MOST } from "../src/activity/BlockRecords.ts";
import {
  applied,
  enter,
  hashOf,
  openActivity,
  POOLS,
  POOLS_IN_GRAPH,
  pool,
  swapOf,
  TOKENS_IN_GRAPH,
  token,
} from "./activityChain.ts";

const START_MS = Date.UTC(2026, 2, 1);
const PRICES = { priceUsd: [1.01, 2_345.67, 61_234.5, 0] };
const HOUR = 3_600;
const DAY = 24 * HOUR;
const WINDOWS = [
  ["5m", 300],
  ["1h", HOUR],
  ["6h", 6 * HOUR],
  ["24h", DAY],
] as const;
const ALL = { limit: Number.POSITIVE_INFINITY };

function stamp(number: number, seconds: number, branch = 0): BlockStamp {
  return { number, hash: hashOf(1_000 * number + branch), timestampMs: START_MS + 1_000 * seconds };
}

/** A block with one swap of a hundred units of the first anchor, which are 101 dollars. */
function block(at: BlockStamp): PastBlock {
  return { stamp: at, swaps: [swapOf(0, true, [10n ** 8n, 10n ** 16n], at.number, at.number)] };
}

function open(at: BlockStamp) {
  const opened = openActivity(at, PRICES);
  return {
    ...opened,
    transactions: (window: (typeof WINDOWS)[number][0]) =>
      opened.activity.tokenWindows(token(0))[window].transactions,
  };
}

describe("the edge of a window", () => {
  it("is where the step begins that its length reaches, for blocks that come and late ones", () => {
    for (const [window, seconds] of WINDOWS) {
      for (const isLate of [false, true]) {
        // The head is the last millisecond of a step, so that its windows are as long as they get.
        const head = { ...stamp(9, seconds + 10), timestampMs: START_MS + 1_000 * seconds + 9_999 };
        const [lost, kept] = [block(stamp(1, 9.999)), block(stamp(2, 10))];
        const { activity, publish, transactions } = open(isLate ? head : stamp(0, 0));
        if (isLate) publish({ stamp: head, swaps: [], history: [kept, lost] });
        else for (const each of [lost, kept, { stamp: head, swaps: [] }]) publish(each);
        assert.strictEqual(transactions(window), 1, `${window} ${isLate}`);
        assert.deepStrictEqual(activity.audit(9), []);
      }
    }
  });

  it("moves with blocks of later steps only, and holds all of those of one time", () => {
    const { publish, transactions } = open(stamp(0, 0));
    for (let number = 1; number <= 4; number++) publish(block(stamp(number, 100)));
    assert.strictEqual(transactions("5m"), 4);
    publish({ stamp: stamp(5, 100 + 299), swaps: [] });
    assert.strictEqual(transactions("5m"), 4);
    publish({ stamp: stamp(6, 100 + 300), swaps: [] });
    assert.strictEqual(transactions("5m"), 0);
  });

  it("goes by the chain's time alone, an hour and years ahead of any clock", () => {
    const { activity, publish, transactions } = open(stamp(0, 0));
    publish(block(stamp(1, 0)));
    publish(block(stamp(2, HOUR)));
    assert.deepStrictEqual([transactions("1h"), transactions("6h")], [1, 2]);
    const years = 40 * 365 * DAY;
    publish(block(stamp(3, years)));
    assert.deepStrictEqual([transactions("5m"), transactions("24h")], [1, 1]);
    // The chain reverts the jump.
    publish({ ...block(stamp(3, HOUR + 12, 1)), orphaned: [stamp(3, 0).hash] });
    assert.deepStrictEqual([transactions("1h"), transactions("24h")], [2, 3]);
    assert.strictEqual(activity.trades(pool(0), 9).length, 3);
    assert.strictEqual(activity.tokenCandles(token(0), "1d", ALL).length, 1);
    assert.deepStrictEqual(activity.audit(9), []);
  });
});

describe("a reorganisation", () => {
  it("across a step, and across the edge of a window, is exact there and back", () => {
    const { activity, publish, transactions } = open(stamp(0, 0));
    publish(block(stamp(1, 0)));
    publish(block(stamp(2, 299)));
    const before = activity.tokenWindows(token(0));
    publish(block(stamp(3, 300)));
    assert.strictEqual(transactions("5m"), 2);
    publish({ stamp: stamp(3, 299, 1), swaps: [], orphaned: [stamp(3, 0).hash] });
    assert.deepStrictEqual(activity.tokenWindows(token(0)), before);
    publish({ ...block(stamp(3, 300)), orphaned: [stamp(3, 0, 1).hash] });
    assert.strictEqual(transactions("5m"), 2);
    assert.strictEqual(transactions("1h"), 3);
    assert.deepStrictEqual(activity.audit(9), []);
  });

  it("reverts blocks that were published as history", () => {
    const { activity, publish, transactions } = open(stamp(9, 100));
    publish({ ...block(stamp(9, 100)), history: [block(stamp(8, 90)), block(stamp(7, 80))] });
    assert.strictEqual(transactions("5m"), 3);
    const orphaned = [stamp(9, 0).hash, stamp(8, 0).hash];
    publish({ ...block(stamp(8, 90, 1)), orphaned });
    assert.strictEqual(transactions("5m"), 2);
    // … and what of them is published once more, late.
    publish({ stamp: stamp(8, 90, 1), swaps: [], history: [block(stamp(7, 80))] });
    assert.strictEqual(transactions("5m"), 2);
    const [candle] = activity.poolCandles(pool(0), "1d", ALL);
    assert.strictEqual(candle!.volumeUsd, 202);
    assert.deepStrictEqual(activity.audit(9), []);
  });

  it("reverts a block that still waits", () => {
    const { graph, activity, publish, transactions } = open(stamp(1, 0));
    const swaps = Array.from({ length: 20_000 }, (_, at) =>
      swapOf(0, true, [10n ** 6n, 1n], at, at),
    );
    graph.stamp = stamp(3, 24);
    const history = [{ stamp: stamp(2, 12), swaps }];
    activity.follow(applied({ stamp: stamp(3, 24), swaps: [], history }));
    assert.isFalse(activity.isSettled);
    publish({ ...block(stamp(2, 12, 1)), orphaned: [stamp(3, 0).hash, stamp(2, 0).hash] });
    assert.strictEqual(transactions("24h"), 1);
    assert.strictEqual(activity.trades(pool(0), 9).length, 1);
  });
});

describe("history", () => {
  it("of before all that a window can reach is nowhere", () => {
    const { activity, publish, transactions } = open(stamp(9, DAY));
    // One more than can be reverted: the chain never ends before the first of them.
    const settled = 1 + UNDONE_MOST;
    for (let index = 0; index < settled; index++) publish(block(stamp(9 + index, DAY)));
    const head = stamp(9 + settled, DAY);
    publish({ stamp: head, swaps: [], history: [block(stamp(5, 0)), block(stamp(4, -1))] });
    assert.strictEqual(transactions("24h"), settled);
    assert.strictEqual(activity.trades(pool(0), 2 * settled).length, settled);
    assert.strictEqual(activity.poolCandles(pool(0), "1d", ALL).length, 1);
    // Just within: the first step that a day reaches.
    publish({ stamp: head, swaps: [], history: [block(stamp(6, 10))] });
    assert.strictEqual(transactions("24h"), settled + 1);
  });

  it("of many small blocks lets others through", () => {
    const { graph, activity } = open(stamp(10_000, HOUR));
    const history = Array.from({ length: 9_000 }, (_, at) => block(stamp(9_999 - at, HOUR - 1)));
    activity.follow(applied({ stamp: graph.stamp, swaps: [], history }));
    assert.isFalse(activity.isSettled);
    activity.settle();
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 9_000);
  });
});

describe("what was saved", () => {
  it("is left aside when the chain has none of it, and not all can be reverted", () => {
    const { activity, publish } = open(stamp(1, 0));
    for (let number = 2; number <= UNDONE_MOST + 9; number++) publish(block(stamp(number, number)));
    const saved = activity.save();
    const head = stamp(UNDONE_MOST + 9, UNDONE_MOST + 9);
    const restored = (savedTo: number) => {
      const reasons: string[] = [];
      const onLeftAside = (reason: string) => reasons.push(reason);
      const { activity } = openActivity(head, PRICES, { saved, savedTo, onLeftAside });
      return [activity.tokenWindows(token(0))["24h"].transactions, reasons.length];
    };
    assert.deepStrictEqual(restored(Number.POSITIVE_INFINITY), [UNDONE_MOST + 8, 0]);
    assert.deepStrictEqual(restored(100), [99, 0]);
    assert.deepStrictEqual(restored(-1), [0, 1]);
  });
});

describe("a pool that enters the graph with a token that nothing there knew", () => {
  const NEW_POOL = POOLS_IN_GRAPH; // of a token without decimals, and of one with 18 that is new
  const swapsAt = (number: number, price: number) => {
    const bought = swapOf(NEW_POOL, true, [1n, 10n ** 18n], number, 0);
    const sold = swapOf(NEW_POOL, false, [10n ** 18n, 1n], number, 1);
    const priceAfter = price * 10 ** 18;
    return [
      { ...bought, priceAfter },
      { ...sold, priceAfter: 1 / (2 * priceAfter) },
    ];
  };

  it("has the candles of what traded in it before, live and in the past", () => {
    const { graph, activity, publish } = openActivity(stamp(3, 130), PRICES);
    publish({ stamp: stamp(4, 140), swaps: swapsAt(4, 5) });
    const history = [{ stamp: stamp(1, 10), swaps: swapsAt(1, 3) }];
    publish({ stamp: stamp(5, 150), swaps: [], history });
    enter(graph, TOKENS_IN_GRAPH + 1, POOLS_IN_GRAPH + 1);
    const listing = { address: POOLS[NEW_POOL]! } as PoolListing;
    publish({ stamp: stamp(6, 160), swaps: [], pools: [listing] });
    const candles = activity.poolCandles(pool(NEW_POOL), "1m", ALL);
    assert.deepStrictEqual(
      candles.map(({ startMs, open, close }) => [(startMs - START_MS) / 1_000, open, close]),
      [
        [0, 3, 6],
        [120, 5, 10],
      ],
    );
  });
});
