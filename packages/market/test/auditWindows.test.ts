import { assert, describe, it } from "@effect/vitest";
import { auditWindows, type WindowDisagreement } from "../src/activity/auditWindows.ts";
import { emptyFlow } from "../src/activity/PoolFlow.ts";
import { emptyActivity } from "../src/activity/savedActivity.ts";
import type { TradedBlock } from "../src/activity/TradedBlock.ts";
import { hashOf, POOLS, TOKENS } from "./activityChain.ts";

const STEP_MS = 10_000;
const END = 10_000; // step
const TRADES_MAX = 4;

/** Windows and trades of one swap of a hundred dollars that sells token 0 for token 1. */
function openAudited() {
  const activity = emptyActivity({ end: END, tradesMax: TRADES_MAX, candleBytes: 1 << 16 });
  const { subjects, windows, trades } = activity;
  const pool = subjects.pools.numberOf(POOLS[0]!)!;
  const [token0, token1] = [TOKENS[0], TOKENS[1]].map(
    (token) => subjects.tokens.numberOf(token!)!,
  ) as [number, number];
  windows.reserve(1, 2);
  const value = 1_000_000;
  const flow = {
    ...emptyFlow(pool, token0, token1),
    value,
    sells: 1,
    transactions: 1,
    token0Transactions: 1,
    token1Transactions: 1,
  };
  const blockAt = (step: number, number: number): TradedBlock => ({
    stamp: { number, hash: hashOf(number), timestampMs: step * STEP_MS },
    swaps: [
      {
        pool,
        series: 0,
        tokenIn: token0,
        tokenOut: token1,
        amountIn: 1n,
        amountOut: 1n,
        value,
        sellsToken0: true,
        priceAfter: 1,
        transaction: 0,
        logIndex: 0,
        transactionHash: hashOf(number),
      },
    ],
  });
  windows.add(END, [flow], 1);
  trades.add(blockAt(END, 100));
  return { activity, flow, pool, token0, token1, blockAt };
}

/** All that audits of random subjects find, many times. */
function audited(activity: Parameters<typeof auditWindows>[0]): WindowDisagreement[] {
  const found = new Map<string, WindowDisagreement>();
  for (let count = 0; count < 40; count++) {
    for (const each of auditWindows(activity, 3)) found.set(JSON.stringify(each), each);
  }
  return [...found.values()];
}

describe("an audit of windows", () => {
  it("finds nothing where windows are those of what traded", () => {
    assert.deepStrictEqual(audited(openAudited().activity), []);
  });

  it("finds a sum that is not the one of its entries, nor that of its trades", () => {
    const { activity, token1 } = openAudited();
    // One sell more in the second window and no other.
    activity.windows.tokens.add(token1, 1, 1, 0, 0, 0, 1);
    assert.deepInclude(audited(activity), {
      kind: "token",
      address: TOKENS[1]!,
      window: "1h",
      field: "sells",
      against: "entries",
      served: 1,
      recounted: 0,
    });
    assert.sameMembers(
      audited(activity).map(({ against, window }) => `${against} ${window}`),
      ["entries 1h", "trades 1h"],
    );
    activity.windows.tokens.add(token1, 1, 1, 0, 0, 0, -1);
    assert.deepStrictEqual(audited(activity), []);
  });

  it("finds swaps that were counted but are no trades, as far back as trades are kept", () => {
    const { activity, flow, blockAt } = openAudited();
    const { windows, trades } = activity;
    windows.add(END - 1, [flow], 1);
    const found = audited(activity);
    assert.strictEqual(found.length, 4 * 3 * 3);
    for (const { against, served, recounted } of found) {
      assert.strictEqual(against, "trades");
      assert.strictEqual(served, 2 * recounted);
    }
    windows.add(END - 1, [flow], -1);
    // More trades than there is room for: what was left out an hour before would be in the longer
    // windows.
    const hour = 360;
    for (let past = 1; past <= TRADES_MAX; past++) {
      trades.addPast(blockAt(END - hour, 100 - past));
      windows.add(END - hour, [flow], 1);
    }
    assert.deepStrictEqual(audited(activity), []);
    windows.add(END - hour + 1, [flow], 1);
    const windowsFound = audited(activity).map(({ window }) => window);
    assert.sameMembers([...new Set(windowsFound)], ["1h"]);
  });
});
