import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import type { PoolFlow } from "../src/activity/PoolFlow.ts";
import { WINDOWS } from "../src/activity/TradedBlock.ts";
import { Windows } from "../src/activity/Windows.ts";
import { WINDOW_STEPS } from "../src/activity/windowSteps.ts";

const POOLS = 7;
const TOKENS = 5;
const DAY = WINDOW_STEPS.at(-1)!;

describe("windows", () => {
  it("are the sums of what was added and not taken out, wherever their end moves", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const next = new RandomSource(TEST_SEED + seed).next;
      const upTo = (most: number) => Math.floor((most + 1) * next());
      const windows = new Windows(100_000);
      windows.reserve(POOLS, TOKENS);
      const added: Array<{ readonly step: number; readonly flows: PoolFlow[] }> = [];
      for (let turn = 0; turn < 300; turn++) {
        const roll = next();
        if (roll < 0.55) {
          const step = windows.end - (next() < 0.5 ? 0 : upTo(12_000)) + (next() < 0.1 ? 40 : 0);
          const flows = Array.from({ length: upTo(3) }, () => flowOf(upTo));
          windows.add(step, flows, 1);
          added.push({ step, flows });
        } else if (roll < 0.7 && added.length > 0) {
          const [{ step, flows }] = added.splice(upTo(added.length - 1), 1) as [(typeof added)[0]];
          windows.add(step, flows, -1);
        } else {
          const far = [1, 30, 400, 5_000, 20_000][upTo(4)]!;
          windows.moveTo(Math.max(0, windows.end + upTo(far) - Math.floor(far / 2)));
        }
        compare(windows, added);
      }
    }
  });

  it("give each sum of all subjects as they give it of each", () => {
    const next = new RandomSource(TEST_SEED + 13).next;
    const windows = new Windows(0);
    windows.reserve(POOLS, TOKENS);
    const flows = Array.from({ length: 40 }, () =>
      flowOf((most) => Math.floor((most + 1) * next())),
    );
    windows.add(0, flows, 1);
    for (const totals of [windows.pools, windows.tokens]) {
      for (const what of ["volumeUsd", "transactions", "buys", "sells"] as const) {
        for (let window = 0; window < WINDOWS.length; window++) {
          const column = totals.column(what, window);
          assert.strictEqual(column[0], 0);
          for (let subject = 0; subject < TOKENS; subject++) {
            assert.strictEqual(column[1 + subject], totals[what](subject, window));
          }
        }
        assert.isAbove(Math.max(...totals.column(what, 0)), 0);
      }
    }
  });

  it("keep nothing of what no window reaches, and use its room again", () => {
    const windows = new Windows(0);
    windows.reserve(POOLS, TOKENS);
    const flow = flowOf(() => 1);
    let bytes = 0;
    for (let step = 0; step < 6 * DAY; step++) {
      windows.moveTo(step);
      windows.add(step, [flow], 1);
      windows.drop(step - DAY + 1);
      if (step === 2 * DAY) bytes = windows.byteLength;
    }
    assert.strictEqual(windows.entryCount, DAY);
    assert.strictEqual(windows.byteLength, bytes);
    assert.strictEqual(windows.pools.transactions(flow.pool, WINDOWS.length - 1), DAY);
    windows.moveTo(10 * DAY);
    windows.drop(9 * DAY + 1);
    assert.strictEqual(windows.entryCount, 0);
    assert.strictEqual(windows.pools.volumeUsd(flow.pool, WINDOWS.length - 1), 0);
  });

  it("keep one entry for all that one pool does in a step", () => {
    const windows = new Windows(0);
    windows.reserve(POOLS, TOKENS);
    for (let block = 0; block < 100; block++) windows.add(0, [flowOf(() => 1)], 1);
    assert.strictEqual(windows.entryCount, 1);
  });

  it("are exact in sums of large values and of many small ones", () => {
    const windows = new Windows(0);
    windows.reserve(POOLS, TOKENS);
    const large = { ...flowOf(() => 1), value: 8e15 };
    const small = { ...flowOf(() => 1), value: 1 };
    windows.add(0, [large], 1);
    for (let count = 0; count < 10_000; count++) windows.add(0, [small], 1);
    windows.add(0, [large], -1);
    assert.strictEqual(windows.pools.volumeUsd(1, 0), 1);
  });
});

function flowOf(upTo: (most: number) => number): PoolFlow {
  const pool = upTo(POOLS - 1);
  return {
    pool,
    // A pool may trade more pairs than one.
    token0: upTo(1),
    token1: 2 + upTo(TOKENS - 3),
    value: upTo(1_000_000_000),
    buys: upTo(3),
    sells: upTo(3),
    transactions: upTo(3),
    token0Transactions: upTo(3),
    token1Transactions: upTo(3),
  };
}

function compare(
  windows: Windows,
  added: ReadonlyArray<{ readonly step: number; readonly flows: ReadonlyArray<PoolFlow> }>,
): void {
  for (const [window, steps] of WINDOW_STEPS.entries()) {
    const nothing = () => ({ volumeUsd: 0, transactions: 0, buys: 0, sells: 0 });
    const pools = Array.from({ length: POOLS }, nothing);
    const tokens = Array.from({ length: TOKENS }, nothing);
    for (const { step, flows } of added) {
      if (step > windows.end || windows.end - step >= steps) continue;
      for (const flow of flows) {
        count(pools[flow.pool]!, flow, flow.transactions, flow.buys, flow.sells);
        count(tokens[flow.token0]!, flow, flow.token0Transactions, flow.buys, flow.sells);
        count(tokens[flow.token1]!, flow, flow.token1Transactions, flow.sells, flow.buys);
      }
    }
    for (const sums of [...pools, ...tokens]) sums.volumeUsd /= 10_000;
    assert.deepStrictEqual(
      pools.map((_, pool) => windows.pools.sums(pool, window)),
      pools,
    );
    assert.deepStrictEqual(
      tokens.map((_, token) => windows.tokens.sums(token, window)),
      tokens,
    );
  }
}

function count(
  sums: { volumeUsd: number; transactions: number; buys: number; sells: number },
  { value }: PoolFlow,
  transactions: number,
  buys: number,
  sells: number,
): void {
  sums.volumeUsd += value;
  sums.transactions += transactions;
  sums.buys += buys;
  sums.sells += sells;
}
