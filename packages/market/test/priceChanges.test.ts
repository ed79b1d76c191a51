import { assert, describe, it } from "@effect/vitest";
import type { PastBlock, TokenIndex } from "@millrace/core";
import { law } from "@millrace/testing";
import { ANCHORS, hashOf, openActivity, PAIRS, swapOf, TOKENS_IN_GRAPH } from "./activityChain.ts";

const START_MS = Date.UTC(2026, 2, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;
const WINDOWS = {
  priceChange5m: 300_000,
  priceChange1h: 3_600_000,
  priceChange6h: 21_600_000,
  priceChange24h: DAY,
} as const;

/** A block, with the prices of tokens at its end. */
interface PricedBlock extends PastBlock {
  readonly priceUsd: ReadonlyArray<number>;
}

describe("how a token's price has changed", () => {
  it("is what a plain look at the blocks says, on a chain that goes on and back", () => {
    let known = 0;
    for (const [, { next }] of law("price changes: a plain look at the blocks", 12).sources()) {
      const upTo = (most: number) => Math.floor((most + 1) * next());
      let chain: PricedBlock[] = [];
      let hashes = 0;
      const prices = { priceUsd: [...ANCHORS.map(({ priceUsd }) => priceUsd), 61_234.5, 0.25] };
      const extend = (pauseMs: number): PricedBlock => {
        const before = chain.at(-1)?.stamp ?? { number: 0, timestampMs: START_MS };
        const stamp = {
          number: before.number + 1,
          hash: hashOf(++hashes),
          timestampMs: before.timestampMs + pauseMs,
        };
        prices.priceUsd[2] = 60_000 + upTo(5_000);
        prices.priceUsd[3] = next() < 0.1 ? 0 : 1 + next();
        const swaps = Array.from({ length: upTo(2) }, (_, at) =>
          swapOf(upTo(3), next() < 0.5, [10n ** 7n, 10n ** 8n], hashes, at),
        );
        const block = { stamp, swaps, priceUsd: [...prices.priceUsd] };
        chain.push(block);
        return block;
      };
      const { activity, publish } = openActivity(extend(0).stamp, prices);
      for (let turn = 0; turn < 150; turn++) {
        const depth = next() < 0.1 ? Math.min(upTo(40), chain.length - 1) : 0;
        const orphaned = chain.slice(chain.length - depth).reverse();
        chain = chain.slice(0, chain.length - depth);
        const pauses = [1_000, 12_000, 90_000, 1_800_000, 14_400_000, next() < 0.1 ? 3 * DAY : 0];
        const block = extend(pauses[upTo(5)]! + 1_000 * upTo(20));
        publish({ ...block, orphaned: orphaned.map(({ stamp }) => stamp.hash) });
        const { timestampMs } = block.stamp;
        for (let token = 0; token < TOKENS_IN_GRAPH; token++) {
          const price = next() < 0.05 ? 0 : (prices.priceUsd[token] ?? 0);
          const changes = activity.priceChanges(token as TokenIndex, price, timestampMs);
          assert.deepStrictEqual(changes, plainChanges(chain.slice(1), token, price, timestampMs));
          known += Object.keys(changes).length;
        }
      }
    }
    assert.isAbove(known, 1_000);
  });

  it("is unknown where nothing is known of the time before, or of more than a day before it", () => {
    const prices = { priceUsd: [1.01, 2_000, 50, 4] };
    const at = (number: number, timestampMs: number) => ({
      ...{ number, hash: hashOf(number), timestampMs },
    });
    const { activity, publish } = openActivity(at(1, START_MS), prices);
    const swaps = [swapOf(2, true, [10n ** 18n, 10n ** 8n], 1, 0)];
    publish({ stamp: at(2, START_MS + 10_000), swaps });
    const changes = (afterMs: number, price = 55) =>
      activity.priceChanges(2 as TokenIndex, price, START_MS + afterMs);
    const change = 55 / 50 - 1;
    assert.deepStrictEqual(changes(0), {});
    // The minute that it traded in ends 5 minutes before.
    assert.deepStrictEqual(changes(6 * MINUTE - 1), {});
    assert.deepStrictEqual(changes(6 * MINUTE), { priceChange5m: change });
    assert.deepStrictEqual(changes(DAY + MINUTE), {
      priceChange5m: change,
      priceChange1h: change,
      priceChange6h: change,
      priceChange24h: change,
    });
    assert.deepStrictEqual(changes(DAY + 5 * MINUTE), changes(DAY + MINUTE));
    assert.notProperty(changes(DAY + 6 * MINUTE), "priceChange5m");
    assert.deepStrictEqual(changes(2 * DAY), { priceChange24h: change });
    assert.deepStrictEqual(changes(2 * DAY + MINUTE), {});
    // A token that never traded, and one without a price now.
    assert.deepStrictEqual(activity.priceChanges(3 as TokenIndex, 4, START_MS + DAY), {});
    assert.deepStrictEqual(changes(DAY + MINUTE, 0), {});
  });

  it("follows a reorganisation that ends in the minute in which it was asked for", () => {
    const prices = { priceUsd: [1.01, 2_000, 50, 4] };
    const at = (number: number, fork: number, timestampMs: number) => ({
      ...{ number, hash: hashOf(1_000 * fork + number), timestampMs: START_MS + timestampMs },
    });
    const { activity, publish } = openActivity(at(1, 0, 0), prices);
    const swaps = [swapOf(2, true, [10n ** 18n, 10n ** 8n], 1, 0)];
    const changes = () => activity.priceChanges(2 as TokenIndex, 55, START_MS + 10 * MINUTE);
    publish({ stamp: at(2, 0, 10_000), swaps });
    publish({ stamp: at(3, 0, 10 * MINUTE), swaps: [] });
    assert.deepStrictEqual(changes(), { priceChange5m: 55 / 50 - 1 });
    publish({ stamp: at(2, 1, 10 * MINUTE), swaps: [], orphaned: [hashOf(3), hashOf(2)] });
    assert.deepStrictEqual(changes(), {});
  });

  it("follows what is told of the past, after it was asked for", () => {
    const prices = { priceUsd: [1.01, 2_000, 50, 4] };
    const at = (number: number, timestampMs: number) => ({
      ...{ number, hash: hashOf(number), timestampMs: START_MS + timestampMs },
    });
    const { activity, publish } = openActivity(at(100, DAY), prices);
    const changes = () => activity.priceChanges(1 as TokenIndex, 2_000, START_MS + DAY);
    const swaps = [swapOf(0, true, [10n ** 10n, 5n * 10n ** 18n], 1, 0)];
    assert.deepStrictEqual(changes(), {});
    publish({ stamp: at(101, DAY), swaps: [], history: [{ stamp: at(90, DAY / 2), swaps }] });
    // An anchor costs what it is configured to, in the past too.
    const change = 2_000 / ANCHORS[1]!.priceUsd - 1;
    const recent = { priceChange5m: change, priceChange1h: change, priceChange6h: change };
    assert.deepStrictEqual(changes(), recent);
    publish({ stamp: at(102, DAY), swaps: [], history: [{ stamp: at(10, -MINUTE), swaps }] });
    assert.deepStrictEqual(changes(), { ...recent, priceChange24h: change });
  });
});

/** By the last block in which the token traded at a price before each window's first minute. */
function plainChanges(
  chain: ReadonlyArray<PricedBlock>,
  token: number,
  price: number,
  nowMs: number,
): Record<string, number> {
  const changes: Record<string, number> = {};
  for (const [name, lengthMs] of Object.entries(WINDOWS)) {
    const end = MINUTE * Math.floor((nowMs - lengthMs) / MINUTE);
    const before = chain.findLast(
      ({ stamp, swaps, priceUsd }) =>
        stamp.timestampMs < end &&
        stamp.timestampMs >= end - DAY &&
        priceUsd[token]! > 0 &&
        swaps.some(({ pool }) => PAIRS[Number(BigInt(pool) - 0xb000n)]!.some((at) => at === token)),
    );
    if (before !== undefined && price > 0) changes[name] = price / before.priceUsd[token]! - 1;
  }
  return changes;
}
