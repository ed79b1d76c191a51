import { assert, describe, it } from "@effect/vitest";
import { type BlockStamp, NO_HASH, type SwapEvent } from "@millrace/core";
import { UNDONE_MOST } from "../src/activity/BlockRecords.ts";
import { applied, hashOf, openActivity, pool, swapOf, TOKENS, token } from "./activityChain.ts";

const START_MS = Date.UTC(2026, 2, 1);
const PRICES = { priceUsd: [1.01, 2_345.67, 61_234.5, 0] };
const DOLLAR = 10n ** 6n;

function stamp(number: number, seconds: number, branch = 0): BlockStamp {
  return { number, hash: hashOf(1_000 * number + branch), timestampMs: START_MS + 1_000 * seconds };
}

/** A swap of 100 units of the first anchor for something, in a transaction of its own. */
function swap(number: number, poolIndex = 0): SwapEvent {
  return swapOf(poolIndex, true, [100n * DOLLAR, 10n ** 16n], number, number);
}

const block = (at: BlockStamp) => ({ stamp: at, swaps: [swap(at.number)] });

describe("blocks", () => {
  it("count once, however often they are published, live or late", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    const first = block(stamp(2, 12));
    const second = block(stamp(3, 24));
    publish(second);
    publish({ ...second, history: [first, second, first] });
    publish({ stamp: second.stamp, swaps: [], history: [first] });
    const { "24h": day } = activity.tokenWindows(token(0));
    assert.deepStrictEqual(day, { volumeUsd: 202, transactions: 2, buys: 0, sells: 2 });
    assert.strictEqual(activity.trades(pool(0), 10).length, 2);
  });

  it("of the past count although the newest one was published without swaps before", () => {
    const { activity, publish } = openActivity(stamp(5, 0), PRICES);
    publish({ stamp: stamp(5, 0), swaps: [] });
    publish({ stamp: stamp(5, 0), swaps: [], history: [block(stamp(5, 0))] });
    assert.strictEqual(activity.tokenWindows(token(0))["5m"].transactions, 1);
  });

  it("can be reverted so many at once, and published again", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    for (let number = 2; number <= UNDONE_MOST + 1; number++) publish(block(stamp(number, number)));
    const before = activity.tokenWindows(token(0));
    const orphaned = Array.from(
      { length: UNDONE_MOST },
      (_, at) => stamp(UNDONE_MOST + 1 - at, 0).hash,
    );
    publish({ stamp: stamp(2, 2, 1), swaps: [], orphaned });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].volumeUsd, 0);
    assert.deepStrictEqual(activity.trades(pool(0), 10), []);
    for (let number = 2; number <= UNDONE_MOST + 1; number++) publish(block(stamp(number, number)));
    assert.deepStrictEqual(activity.tokenWindows(token(0)), before);
    assert.deepStrictEqual(activity.audit(9), []);
  });

  it("of a branch that nobody reverted go when the chain comes to their numbers", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    for (let number = 2; number <= 9; number++) publish(block(stamp(number, 12 * number)));
    const saved = activity.save();
    // While it was down, the chain went another way from block 6 on.
    const restarted = openActivity(stamp(5, 60), PRICES, { saved });
    restarted.publish(block(stamp(5, 60)));
    assert.strictEqual(restarted.activity.tokenWindows(token(0))["24h"].transactions, 4);
    restarted.publish(block(stamp(6, 72, 1)));
    assert.strictEqual(restarted.activity.tokenWindows(token(0))["24h"].transactions, 5);
    assert.strictEqual(restarted.activity.trades(pool(0), 10)[0]!.stamp.hash, stamp(6, 0, 1).hash);
    assert.strictEqual(restarted.activity.trades(pool(0), 10).length, 5);
    assert.deepStrictEqual(restarted.activity.audit(9), []);
  });

  it("without a hash all count", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    for (let number = 2; number <= 4; number++) {
      publish(block({ ...stamp(number, number), hash: NO_HASH }));
    }
    assert.strictEqual(activity.tokenWindows(token(0))["5m"].transactions, 3);
    assert.strictEqual(activity.trades(pool(0), 10).length, 3);
    const [candle] = activity.poolCandles(pool(0), "1h", { limit: 1 });
    assert.strictEqual(candle!.volumeUsd, 303);
  });

  it("of a few swaps are taken in when they were published", async () => {
    const { graph, activity } = openActivity(stamp(1, 0), PRICES);
    graph.stamp = stamp(2, 12);
    activity.follow(applied(block(graph.stamp)));
    // At once, but where the machine held up the slice: then with the next turns.
    const taken = () => activity.tokenWindows(token(0))["5m"].transactions;
    for (let turn = 0; turn < 20 && taken() === 0; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.strictEqual(activity.tokenWindows(token(0))["5m"].transactions, 1);
    activity.stop();
  });

  it("are seen whole, however large they are", async () => {
    const { graph, activity } = openActivity(stamp(1, 0), PRICES);
    const swaps = Array.from({ length: 20_000 }, (_, at) => swap(at, at % 2));
    graph.stamp = stamp(2, 12);
    activity.follow(applied({ stamp: graph.stamp, swaps }));
    const seen = new Set<number>();
    for (let turns = 0; !seen.has(20_000); turns++) {
      assert.isBelow(turns, 100_000);
      const { transactions } = activity.tokenWindows(token(0))["5m"];
      const trades = activity.trades(pool(0), 1).length;
      assert.strictEqual(trades, transactions === 0 ? 0 : 1);
      seen.add(transactions);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepStrictEqual(
      [...seen].filter((count) => count % 20_000 !== 0),
      [],
    );
  });

  it("leave out what is no swap of two tokens", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    const sound = swap(1);
    const swaps = [
      { ...sound, pool: "0x12" as const },
      { ...sound, tokenIn: "nothing" as never },
      { ...sound, tokenOut: TOKENS[0]! },
      sound,
    ];
    publish({ stamp: stamp(2, 12), swaps });
    assert.strictEqual(activity.tokenWindows(token(0))["5m"].sells, 1);
    assert.strictEqual(activity.poolWindows(pool(0))["5m"].sells, 1);
  });
});

describe("values", () => {
  it("are those of an anchor, at its configured price, and the first one's of two", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    // Both tokens of pool 0 are anchors; of pool 2, which buys token 2, one is.
    const swaps = [
      swapOf(0, false, [10n ** 18n, 123_456_789n], 1, 1),
      swapOf(2, false, [10n ** 8n, 10n ** 18n], 2, 2),
    ];
    publish({ stamp: stamp(2, 12), swaps });
    assert.strictEqual(activity.trades(pool(0), 1)[0]!.valueUsd, 124.6914); // 123.456789 × 1.01
    assert.strictEqual(activity.trades(pool(2), 1)[0]!.valueUsd, 2_345.67);
  });

  it("are nothing where no token has a price, or the token is not in the market", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    const amounts = [10n ** 30n, 10n ** 30n] as const;
    publish({ stamp: stamp(2, 12), swaps: [swapOf(5, true, amounts, 1, 1)] });
    const sums = { volumeUsd: 0, transactions: 1, buys: 0, sells: 1 };
    assert.deepStrictEqual(activity.tokenWindows(token(3))["5m"], sums);
  });

  it("of more than a billion dollars are not believed", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    const most = 990_099_009n * DOLLAR;
    publish({
      stamp: stamp(2, 12),
      swaps: [most, most + 10n * DOLLAR, 2n ** 255n].map((amount, at) =>
        swapOf(0, true, [amount, 1n], at, at),
      ),
    });
    assert.deepStrictEqual(activity.tokenWindows(token(0))["5m"], {
      volumeUsd: 999_999_999.09,
      transactions: 3,
      buys: 0,
      sells: 3,
    });
  });

  it("stay what they were when a price moves later", () => {
    const prices = { priceUsd: [...PRICES.priceUsd] };
    const { activity, publish } = openActivity(stamp(1, 0), prices);
    const one = [10n ** 8n, 5n] as const;
    const swaps = [swapOf(3, true, one, 1, 1)];
    publish({ stamp: stamp(2, 12), swaps });
    prices.priceUsd[2] = 1;
    assert.strictEqual(activity.tokenWindows(token(3))["5m"].volumeUsd, 61_234.5);
    publish({ stamp: stamp(3, 24), swaps: [], orphaned: [stamp(2, 0).hash] });
    assert.strictEqual(activity.tokenWindows(token(3))["5m"].volumeUsd, 0);
  });
});

describe("a block that waits", () => {
  it("is valued at the prices that its tokens had when it was published", () => {
    const prices = { priceUsd: [...PRICES.priceUsd] };
    const { graph, activity } = openActivity(stamp(1, 0), prices);
    const history = [{ stamp: stamp(1, 0), swaps: manySwaps() }];
    graph.stamp = stamp(2, 12);
    activity.follow(applied({ stamp: graph.stamp, swaps: [], history }));
    assert.isFalse(activity.isSettled);
    for (const [at, priceUsd] of [60_000, 70_000, 80_000].entries()) {
      prices.priceUsd[2] = priceUsd;
      graph.stamp = stamp(3 + at, 60 * (3 + at));
      const swaps = [swapOf(3, true, [10n ** 8n, 5n], at, 0)];
      activity.follow(applied({ stamp: graph.stamp, swaps }));
    }
    assert.isFalse(activity.isSettled);
    activity.settle();
    assert.deepStrictEqual(
      activity.trades(pool(3), 3).map(({ valueUsd }) => valueUsd),
      [80_000, 70_000, 60_000],
    );
    const candles = activity.tokenCandles(token(2), "1m", { limit: 3 });
    assert.deepStrictEqual(
      candles.map(({ open, close }) => [open, close]),
      [60_000, 70_000, 80_000].map((price) => [price, price]),
    );
  });
});

function manySwaps(): SwapEvent[] {
  return Array.from({ length: 20_000 }, (_, at) => swapOf(0, true, [10n ** 6n, 1n], at, at));
}

describe("trades", () => {
  it("are listed by pool, before any trade, and not at all for what is no id", () => {
    const { activity, publish } = openActivity(stamp(1, 0), PRICES);
    for (let number = 2; number < 12; number++) {
      const swaps = [swap(1, 0), swap(2, 1), swap(3, 0)];
      publish({ stamp: stamp(number, number), swaps });
    }
    const ids = (before?: string) => activity.trades(pool(0), 3, before).map(({ id }) => id);
    assert.deepStrictEqual(ids(), ["11-3", "11-1", "10-3"]);
    assert.deepStrictEqual(ids("11-1"), ["10-3", "10-1", "9-3"]);
    // The id of another pool's trade, of one that is gone, and of none.
    assert.deepStrictEqual(ids("11-2"), ["11-1", "10-3", "10-1"]);
    assert.deepStrictEqual(ids("7-99"), ["7-3", "7-1", "6-3"]);
    assert.deepStrictEqual(ids("0-0"), []);
    for (const none of ["", "7", "7-", "-3", "a-b", "7-1-1", "7.5-1"]) {
      assert.deepStrictEqual(ids(none), [], none);
    }
    assert.deepStrictEqual(activity.trades(pool(3), 3), []);
    const { priceAfter: _, ...swapped } = swap(2, 1);
    assert.deepStrictEqual(activity.trades(pool(1), 1), [
      {
        ...{ ...swapped, id: "11-2", stamp: stamp(11, 11), valueUsd: 101 },
        // 100,000,000 whole tokens for 100.
        ...{ side: "sell", price: 1_000_000 },
      },
    ]);
  });
});
