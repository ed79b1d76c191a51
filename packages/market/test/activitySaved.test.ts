import { crc32 } from "node:zlib";
import { assert, describe, it } from "@effect/vitest";
import type { BlockStamp } from "@millrace/core";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { decodeActivity } from "../src/activity/savedActivity.ts";
import { applied, CHAIN_ID, hashOf, openActivity, pool, swapOf, token } from "./activityChain.ts";

const START_MS = Date.UTC(2026, 2, 1);
const PRICES = { priceUsd: [1.01, 2_345.67, 61_234.5, 0] };
const LIMITS = { end: 0, tradesMax: 100, candleBytes: 1 << 20 };
const CHECKSUM_AT = 8;
const VERSION_AT = 12;
const CANDLES_AT_AT = 16;

function stamp(number: number): BlockStamp {
  return { number, hash: hashOf(number), timestampMs: START_MS + 12_000 * number };
}

/** What was saved after some blocks. */
function saved(): Uint8Array {
  const { activity, publish } = openActivity(stamp(1), PRICES, { tradesMax: 20 });
  for (let number = 2; number < 14; number++) {
    const swaps = [0, 1, 2].map((at) =>
      swapOf(at, number % 2 === 0, [10n ** 18n + BigInt(number), 10n ** 18n], number, at),
    );
    publish({ stamp: stamp(number), swaps });
  }
  return activity.save();
}

function manySwaps(at: BlockStamp, count: number) {
  const swaps = Array.from({ length: count }, (_, position) =>
    swapOf(0, true, [10n ** 6n, 1n], 100_000 * at.number + position, position),
  );
  return { stamp: at, swaps };
}

/** Gives bytes the checksum that they should have; candles have one of their own. */
function sealed(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer);
  const candlesAt = view.getUint32(CANDLES_AT_AT, true);
  view.setUint32(CHECKSUM_AT, crc32(bytes.subarray(VERSION_AT, candlesAt)), true);
  return bytes;
}

function leftAside(bytes: Uint8Array): string | undefined {
  let given: string | undefined;
  const { activity } = openActivity(stamp(13), PRICES, {
    saved: bytes,
    onLeftAside: (reason) => {
      given = reason;
    },
  });
  if (given !== undefined) {
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 0);
    assert.deepStrictEqual(activity.trades(pool(0), 10), []);
  }
  return given;
}

describe("what is saved", () => {
  it("goes on as it was: saved again, it is the same", () => {
    const bytes = saved();
    const { activity } = openActivity(stamp(13), PRICES, { saved: bytes, tradesMax: 20 });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 12);
    assert.strictEqual(activity.trades(pool(0), 10).length, 6);
    assert.deepStrictEqual(activity.audit(9), []);
    assert.deepStrictEqual(activity.save(), bytes);
  });

  it("is the same, to the byte, after a restart in which the newest blocks came once more", () => {
    const block = (number: number) => ({
      stamp: stamp(number),
      swaps: [0, 1, 2].map((at) =>
        swapOf(at, number % 2 === 0, [10n ** 18n + BigInt(number), 10n ** 18n], number, at),
      ),
    });
    const opened = openActivity(stamp(7), PRICES, { tradesMax: 20 });
    opened.publish({ ...block(8), history: [block(6), block(5), block(4)] });
    for (const number of [9, 10, 11]) opened.publish(block(number));
    opened.publish({ stamp: stamp(12), swaps: [], history: [block(3), block(2)] });
    const bytes = opened.activity.save();
    const restarted = openActivity(stamp(9), PRICES, { saved: bytes, savedTo: 9, tradesMax: 20 });
    for (const number of [10, 11]) restarted.publish(block(number));
    restarted.publish({ stamp: stamp(12), swaps: [] });
    assert.deepStrictEqual(restarted.activity.save(), bytes);
  });

  it("holds the blocks that still wait", () => {
    const { graph, activity } = openActivity(stamp(1), PRICES);
    const swaps = Array.from({ length: 20_000 }, (_, at) =>
      swapOf(0, true, [10n ** 6n, 1n], at, at),
    );
    graph.stamp = stamp(2);
    const block = { stamp: stamp(2), swaps };
    const lists = { dexes: [], tokens: [], pools: [], removedPools: [], states: [], supplies: [] };
    activity.follow({
      stamp: stamp(2),
      changedPools: [],
      topologyChanged: false,
      rejected: [],
      block: { ...block, ...lists },
    });
    const bytes = activity.save();
    const restored = openActivity(stamp(2), PRICES, { saved: bytes });
    assert.strictEqual(restored.activity.tokenWindows(token(0))["5m"].transactions, 20_000);
  });

  it("in slices is of one moment, lets others through, and counts what comes meanwhile", async () => {
    const { graph, activity, publish } = openActivity(stamp(1), PRICES);
    for (let number = 2; number < 600; number++) publish(manySwaps(stamp(number), 20));
    const wanted = activity.save();
    const saving = activity.saveInSlices();
    const order: string[] = [];
    saving.then(() => order.push("saved"));
    setImmediate(() => order.push("other"));
    graph.stamp = stamp(600);
    activity.follow(applied(manySwaps(stamp(600), 20)));
    assert.isFalse(activity.isSettled);
    assert.deepStrictEqual(await saving, wanted);
    assert.deepStrictEqual(order, ["other", "saved"]);
    activity.settle();
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 599 * 20);
    assert.deepStrictEqual(activity.audit(9), []);
  });

  it("in slices holds the blocks that waited, and fails when nobody goes on with it", async () => {
    const { graph, activity } = openActivity(stamp(1), PRICES);
    graph.stamp = stamp(2);
    activity.follow(applied(manySwaps(stamp(2), 20_000)));
    const bytes = await activity.saveInSlices();
    const restored = openActivity(stamp(2), PRICES, { saved: bytes });
    assert.strictEqual(restored.activity.tokenWindows(token(0))["5m"].transactions, 20_000);
    graph.stamp = stamp(3);
    activity.follow(applied(manySwaps(stamp(3), 20_000)));
    const saving = activity.saveInSlices();
    activity.stop();
    const error = await saving.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.match(String(error), /closed/);
  });

  it("is left aside with any byte flipped, cut or added", () => {
    const bytes = saved();
    const next = new RandomSource(TEST_SEED + 5).next;
    for (let at = 0; at < bytes.length; at += 1 + Math.floor(97 * next())) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << Math.floor(8 * next());
      assert.isString(leftAside(flipped), `byte ${at}`);
      assert.isString(leftAside(bytes.slice(0, at)), `${at} bytes`);
    }
    assert.isString(leftAside(Uint8Array.from([...bytes, 0])));
    assert.isString(leftAside(sealed(Uint8Array.from([...bytes, 0]))));
    assert.isUndefined(leftAside(bytes));
  });

  it("is left aside when it is of another chain or version, and says so", () => {
    const bytes = saved();
    assert.strictEqual(decodeActivity(bytes, 5, LIMITS), `of chain ${CHAIN_ID}, not 5`);
    const other = bytes.slice();
    new DataView(other.buffer).setUint32(VERSION_AT, 9, true);
    assert.match(leftAside(sealed(other))!, /version 9/);
  });

  it("never makes it throw, whatever was made to look whole", () => {
    const bytes = saved();
    const next = new RandomSource(TEST_SEED + 6).next;
    let refused = 0;
    for (let round = 0; round < 800; round++) {
      const forged = bytes.slice(
        0,
        next() < 0.2 ? 20 + Math.floor(bytes.length * next()) : undefined,
      );
      const at = VERSION_AT + 4 + Math.floor((forged.length - VERSION_AT - 4) * next());
      forged[at] = Math.floor(256 * next());
      if (typeof decodeActivity(sealed(forged), CHAIN_ID, LIMITS) === "string") refused++;
    }
    assert.isAbove(refused, 160);
  });

  it("loses the blocks that are not known to be the chain's, and takes them as they are published", () => {
    const { activity, publish } = openActivity(stamp(20), PRICES, { saved: saved(), savedTo: 9 });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 8);
    assert.strictEqual(activity.trades(pool(0), 1)[0]!.stamp.number, 9);
    const swaps = [swapOf(0, true, [10n ** 6n, 1n], 11, 0)];
    publish({ stamp: stamp(20), swaps: [], history: [{ stamp: stamp(11), swaps }] });
    assert.strictEqual(activity.tokenWindows(token(0))["24h"].transactions, 9);
    assert.deepStrictEqual(
      activity.trades(pool(0), 2).map(({ id }) => id),
      ["11-0", "9-0"],
    );
    assert.deepStrictEqual(activity.audit(9), []);
  });

  it("keeps the newest trades when there is room for fewer", () => {
    const { activity } = openActivity(stamp(13), PRICES, { saved: saved(), tradesMax: 4 });
    assert.deepStrictEqual(
      activity.trades(pool(2), 9).map(({ id }) => id),
      ["13-2", "12-2"],
    );
    // Of all pools: the order, and what is before an id, are the chain's.
    const ids = (limit: number, before?: string) =>
      activity.tokenTrades(token(2), limit, before).map(({ id }) => id);
    const all = ids(9);
    assert.strictEqual(all[0], "13-2");
    assert.deepStrictEqual(ids(1), all.slice(0, 1));
    assert.deepStrictEqual(ids(9, "13-2"), all.slice(1));
    assert.deepStrictEqual(
      ids(9, "13-1"),
      ids(9, "13-2").filter((id) => id !== "13-1"),
    );
    assert.deepStrictEqual(ids(9, "no id"), []);
    assert.deepStrictEqual(activity.tokenTrades(token(99), 9), []);
  });
});
