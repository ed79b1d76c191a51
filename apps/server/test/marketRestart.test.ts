import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Trade } from "@millrace/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./localChain.ts";
import type { Service } from "./service.ts";
import {
  allTokens,
  candlesOf,
  caughtUp,
  serve,
  startTradedChain,
  sum,
  swapsOnChain,
  type TradedChain,
  trade,
  tradesOf,
} from "./tradedChain.ts";

let traded: TradedChain;
beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 6);
});
afterAll(() => traded?.stop());

describe("a restart", () => {
  /** All that is told of what traded. */
  async function told(service: Service) {
    const tokens = await allTokens(service);
    const charts = await Promise.all(
      tokens.map(({ address }) =>
        candlesOf(service, `/tokens/${address}/candles?interval=1m&limit=500`),
      ),
    );
    const pools = await Promise.all(
      traded.chain.devnet.pools.map(async ({ address }) => ({
        trades: await tradesOf(service, address),
        candles: await candlesOf(service, `/pools/${address}/candles?interval=1m&limit=500`),
      })),
    );
    const sums = tokens.map(
      ({ address, volume24h, volume5m, txns24h, buys24h, sells24h, chartDataAvailable }) => ({
        address,
        volume24h,
        volume5m,
        txns24h,
        buys24h,
        sells24h,
        chartDataAvailable,
      }),
    );
    return { sums, charts, pools };
  }

  const saves = (data: string) =>
    readdirSync(join(data, "LOCAL"))
      .filter((name) => name.endsWith(".saved"))
      .toSorted((a, b) => generationOf(a) - generationOf(b));
  const generationOf = (name: string) => Number(/-(\d+)\.saved$/.exec(name)![1]);

  it("goes on with windows, trades and candles as they were, with no past to read", async () => {
    const data = join(traded.folder, "kept");
    const environment = { MILLRACE_DATA_DIR: data };
    const first = await serve(traded, {}, environment);
    await caughtUp(traded, first);
    await trade(traded, 5);
    await caughtUp(traded, first);
    await eventually(async () =>
      /market_saved_bytes\{network="LOCAL"\} [1-9]/.test((await first.get("/metrics")).text),
    );
    const before = await told(first);
    expect(sum(before.pools.map(({ trades }) => trades.length))).toBeGreaterThan(40);
    await first.stop();
    expect(saves(data).length).toBeLessThanOrEqual(2);
    expect(saves(data).length).toBeGreaterThan(0);
    // Nothing of the past is asked for: what is told can only be what was kept.
    const second = await serve(traded, { historyHours: 0 }, environment);
    await caughtUp(traded, second);
    expect(await told(second)).toEqual(before);
    await second.stop();
    // All of the past is wanted, and known: nothing counts twice.
    const third = await serve(traded, {}, environment);
    await caughtUp(traded, third);
    expect(await told(third)).toEqual(before);
    await trade(traded, 2);
    await caughtUp(traded, third);
    const after = await told(third);
    for (const { address } of traded.chain.devnet.pools) {
      expect((await tradesOf(third, address)).map(({ id }) => id)).toEqual(
        await swapsOnChain(traded, address),
      );
    }
    expect(sum(after.sums.map(({ volume24h }) => volume24h))).toBeGreaterThan(
      sum(before.sums.map(({ volume24h }) => volume24h)),
    );
    await third.stop();
  });

  it("leaves aside what is damaged, and takes the save before, or reads the past anew", async () => {
    const data = join(traded.folder, "damaged");
    const environment = { MILLRACE_DATA_DIR: data, MILLRACE_LOG_LEVEL: "none" };
    const first = await serve(traded, {}, environment);
    await caughtUp(traded, first);
    for (let round = 0; round < 3; round++) {
      await trade(traded, 2);
      await caughtUp(traded, first);
    }
    await eventually(() => saves(data).length === 2);
    await first.stop();
    const before = await serve(traded, {}, environment);
    await caughtUp(traded, before);
    const whole = await told(before);
    await before.stop();
    for (const damaged of [1, 2]) {
      for (const name of saves(data).slice(-damaged)) {
        const file = join(data, "LOCAL", name);
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1]! ^= 1;
        writeFileSync(file, bytes);
      }
      const other = await serve(traded, {}, environment);
      await caughtUp(traded, other);
      // What is read anew is worth what it would be today: only what was kept is the same whole.
      const compared = ({ id, valueUsd }: typeof Trade.Type) =>
        damaged === 1 ? `${id} ${valueUsd}` : id;
      const shown = ({ pools }: Awaited<ReturnType<typeof told>>) =>
        pools.map(({ trades }) => trades.map(compared));
      expect(shown(await told(other))).toEqual(shown(whole));
      await other.stop();
    }
  });
});
