import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TradeJson } from "@millrace/api";
import { budget, eventually } from "@millrace/testing";
import type { TestDevnet } from "@millrace/testing/devnet";
import { tradesOnChain } from "@millrace/testing/devnet";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../kit/service.ts";
import {
  allTokens,
  candlesOf,
  caughtUp,
  serve,
  startTradedChain,
  sum,
  type TradedChain,
  trade,
  tradesOf,
} from "../kit/tradedChain.ts";

// Without a history, which would read missing blocks anew: these tests are of memory's own saves.
const MEMORY_ALONE = { history: { days: 0 } };

let traded: TradedChain;
beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 6);
});
afterAll(() => traded?.stop());

describe("a restart", () => {
  /** All data of the trades. */
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

  /** Data that must not depend on when it was read: dollar values only of trades with an anchor. */
  async function lasting(service: Service, { devnet }: TestDevnet = traded.chain) {
    const anchors = new Set<string>(
      devnet.anchors
        .map(({ address }) => address)
        .filter((address) => address !== devnet.wrappedNative),
    );
    const { sums, charts, pools } = await told(service);
    return {
      sums: sums.map(({ volume24h: _, volume5m: __, ...counts }) => counts),
      charts: charts.map((candles) => candles.map(({ timestamp }) => timestamp)),
      pools: pools.map(({ trades, candles }) => ({
        trades: trades.map(({ valueUsd, ...trade }) => {
          const isExact = anchors.has(trade.tokenIn) || anchors.has(trade.tokenOut);
          return isExact ? { ...trade, valueUsd } : trade;
        }),
        candles: candles.map(({ volume: _, ...prices }) => prices),
      })),
    };
  }

  /** The data of a service that has only the chain. */
  async function readAnew(): Promise<Awaited<ReturnType<typeof lasting>>> {
    const fresh = await serve(traded);
    await caughtUp(traded, fresh);
    const all = await lasting(fresh);
    await fresh.stop();
    return all;
  }

  const saves = (data: string) =>
    readdirSync(join(data, "LOCAL"))
      .filter((name) => name.endsWith(".saved"))
      .toSorted((a, b) => generationOf(a) - generationOf(b));
  const isBefore = (id: string, other: string) => {
    const [[block, log], [otherBlock, otherLog]] = [id, other].map((each) =>
      each.split("-").map(Number),
    ) as [[number, number], [number, number]];
    return block === otherBlock ? log < otherLog : block < otherBlock;
  };
  const generationOf = (name: string) => Number(/-(\d+)\.saved$/.exec(name)![1]);

  it("goes on with windows, trades and candles as they were, with no past to read", async () => {
    const data = join(traded.folder, "kept");
    const environment = { MILLRACE_DATA_DIR: data };
    const first = await serve(traded, MEMORY_ALONE, environment);
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
    // It asks for nothing of the past, so the data can only be the kept one.
    const second = await serve(traded, { ...MEMORY_ALONE, historyHours: 0 }, environment);
    await caughtUp(traded, second);
    expect(await told(second)).toEqual(before);
    await second.stop();
    // It wants all of the past, and has it: nothing counts twice.
    const third = await serve(traded, MEMORY_ALONE, environment);
    await caughtUp(traded, third);
    expect(await told(third)).toEqual(before);
    await trade(traded, 2);
    await caughtUp(traded, third);
    const after = await told(third);
    for (const { address } of traded.chain.devnet.pools) {
      expect((await tradesOf(third, address)).map(({ id }) => id)).toEqual(
        await tradesOnChain(traded.chain, address),
      );
    }
    expect(sum(after.sums.map(({ volume24h }) => volume24h))).toBeGreaterThan(
      sum(before.sums.map(({ volume24h }) => volume24h)),
    );
    await third.stop();
  });

  const REORGANISATIONS = [
    ["some blocks, and more came", 4, 3],
    ["more blocks than can be undone", 67, 1],
    ["the newest block", 1, 0],
  ] as const;
  it.each(REORGANISATIONS.slice(0, budget(3)))(
    "on a chain that took back %s tells what one that reads all does",
    async (_, depth, more) => {
      const data = join(traded.folder, `reorganised-${depth}`);
      const environment = { MILLRACE_DATA_DIR: data };
      // A deep reorganisation lies below empty blocks.
      if (depth > 60) await trade(traded, 3);
      if (depth > 60) await traded.chain.call("anvil_mine", "0x40");
      await trade(traded, depth > 60 ? 2 : depth + 1);
      const first = await serve(traded, {}, environment);
      await caughtUp(traded, first);
      await trade(traded, 1);
      await caughtUp(traded, first);
      const before = await lasting(first);
      expect(before).toEqual(await readAnew());
      await first.stop();
      await Effect.runPromise(traded.chain.devnet.traffic.reorganise(depth));
      if (more > 0) await trade(traded, more);
      const second = await serve(traded, {}, environment);
      await caughtUp(traded, second);
      const after = await lasting(second);
      expect(after).not.toEqual(before);
      expect(after).toEqual(await readAnew());
      // The page before a reverted trade has the trades before it.
      const [pool] = traded.chain.devnet.pools;
      for (const { id } of before.pools[0]!.trades) {
        const { json } = await second.get(`/pools/${pool!.address}/trades?limit=500&before=${id}`);
        const ids = json.data.map((each: typeof TradeJson.Type) => each.id);
        expect(ids).toEqual(
          after.pools[0]!.trades.map((each) => each.id).filter((each) => isBefore(each, id)),
        );
      }
      await second.stop();
      // The next service gets the same from what this one saved.
      const third = await serve(traded, { historyHours: 0 }, environment);
      await caughtUp(traded, third);
      expect(await lasting(third)).toEqual(after);
      await third.stop();
    },
  );

  it("on another chain with the same id tells nothing of the former", async () => {
    const data = join(traded.folder, "another");
    const first = await serve(traded, {}, { MILLRACE_DATA_DIR: data });
    await caughtUp(traded, first);
    await first.stop();
    const other = await startTradedChain();
    try {
      await other.chain.call("anvil_mine", "0x3");
      await trade(other, 4);
      const environment = { MILLRACE_DATA_DIR: data, MILLRACE_LOG_LEVEL: "none" };
      const second = await serve(other, {}, environment);
      await caughtUp(other, second);
      const fresh = await serve(other);
      await caughtUp(other, fresh);
      expect(await lasting(second, other.chain)).toEqual(await lasting(fresh, other.chain));
      await second.stop();
      await fresh.stop();
    } finally {
      await other.stop();
    }
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
    let whole = await told(before);
    await before.stop();
    for (const damaged of [2, 1].slice(0, budget(2))) {
      for (const name of saves(data).slice(-damaged)) {
        const file = join(data, "LOCAL", name);
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1]! ^= 1;
        writeFileSync(file, bytes);
      }
      const other = await serve(traded, {}, environment);
      await caughtUp(traded, other);
      // Trades that are read anew are valued at today's prices: only kept ones have the same value.
      const compared = ({ id, valueUsd }: typeof TradeJson.Type) =>
        damaged === 1 ? `${id} ${valueUsd}` : id;
      const shown = ({ pools }: Awaited<ReturnType<typeof told>>) =>
        pools.map(({ trades }) => trades.map(compared));
      const now = await told(other);
      expect(shown(now)).toEqual(shown(whole));
      whole = now;
      await other.stop();
    }
  });
});
