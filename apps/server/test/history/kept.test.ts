import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@millrace/testing";
import { tradesOnChain } from "@millrace/testing/devnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../kit/service.ts";
import {
  allTrades,
  candlesOf,
  caughtUp,
  serve,
  startTradedChain,
  type TradedChain,
  trade,
} from "../kit/tradedChain.ts";

// Memory holds only a few trades; the history has the rest.
const SMALL = { tradesMax: 9, candleMiB: 1 };

let traded: TradedChain;
beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 12);
});
afterAll(() => traded?.stop());

describe("a network with a history", () => {
  it("lists every swap of the chain, whoever asks for it, and after a restart", async () => {
    const environment = { MILLRACE_DATA_DIR: join(traded.folder, "lists") };
    let service = await serve(traded, SMALL, environment);
    await kept(service);
    for (const restart of [false, true]) {
      if (restart) {
        await trade(traded, 3);
        await service.stop();
        await trade(traded, 3);
        service = await serve(traded, SMALL, environment);
        await kept(service);
      }
      const all = [];
      for (const { address } of traded.chain.devnet.pools) {
        const trades = await allTrades(service, `/pools/${address}`);
        expect(trades.map(({ id }) => id)).toEqual(await tradesOnChain(traded.chain, address));
        all.push(...trades);
      }
      expect(all.length).toBeGreaterThan(SMALL.tradesMax);
      const one = all[all.length >> 1]!;
      const ofTransaction = await listed(service, `/trades?transaction=${one.transactionHash}`);
      expect(ofTransaction.map(({ id }) => id)).toEqual(
        idsOf(all.filter(({ transactionHash }) => transactionHash === one.transactionHash)),
      );
      const ofMaker = await listed(service, `/trades?maker=${one.maker}&limit=500`);
      expect(ofMaker.map(({ id }) => id)).toEqual(
        idsOf(all.filter(({ maker }) => maker === one.maker)),
      );
      const pool = `/pools/${one.poolAddress}/trades?limit=500`;
      const ofPool = all.filter(({ poolAddress }) => poolAddress === one.poolAddress);
      expect(await listed(service, `${pool}&maker=${one.maker}`)).toEqual(
        ofPool.filter(({ maker }) => maker === one.maker),
      );
      expect(await listed(service, `${pool}&to=${one.timestamp}`)).toEqual(
        ofPool.filter(({ timestamp }) => timestamp <= one.timestamp),
      );
    }
    await service.stop();
  });

  it("tells candles as memory alone does, with those between that are asked for", async () => {
    const environment = { MILLRACE_DATA_DIR: join(traded.folder, "candles") };
    const service = await serve(traded, {}, environment);
    const plain = await serve(traded);
    await kept(service);
    await caughtUp(traded, plain);
    const { pools, tokens } = traded.chain.devnet;
    const paths = [
      ...pools.map(({ address }) => `/pools/${address}`),
      ...tokens.map(({ address }) => `/tokens/${address}`),
    ];
    let candles = 0;
    for (const path of paths) {
      for (const interval of ["1m", "1h", "1d"]) {
        const query = `${path}/candles?interval=${interval}&limit=500`;
        const expected = await candlesOf(plain, query);
        expect(await candlesOf(service, query)).toEqual(expected);
        candles += expected.length;
        const filled = await candlesOf(service, `${query}&fill=true`);
        const few = await candlesOf(service, `${query.replace("500", "3")}&fill=true`);
        expect(few).toEqual(filled.slice(-3));
        const stepMs = { "1m": 60_000, "1h": 3_600_000, "1d": 86_400_000 }[interval]!;
        filled.slice(1).forEach((candle, index) => {
          expect(candle.timestamp - filled[index]!.timestamp).toBe(stepMs);
        });
      }
    }
    expect(candles).toBeGreaterThan(20);
    await service.stop();
    await plain.stop();
  });

  it("reads a past that memory does not want, and says how far it is", async () => {
    const environment = { MILLRACE_DATA_DIR: join(traded.folder, "past") };
    const service = await serve(traded, { historyHours: 0, history: { days: 2 } }, environment);
    await kept(service);
    for (const { address } of traded.chain.devnet.pools) {
      const { json } = await service.get(`/pools/${address}/trades?limit=500`);
      expect(json.data.map(({ id }: { id: string }) => id)).toEqual(
        await tradesOnChain(traded.chain, address),
      );
    }
    await service.stop();
  });

  it("serves on when its file cannot be opened, or is no history, and begins a new one", async () => {
    const data = join(traded.folder, "broken");
    mkdirSync(join(data, "LOCAL"), { recursive: true });
    const path = join(data, "LOCAL", `history-${traded.chain.devnet.chainId}.sqlite`);
    writeFileSync(path, "this is no history, and never was one".repeat(200));
    const environment = { MILLRACE_DATA_DIR: data, MILLRACE_LOG_LEVEL: "none" };
    const service = await serve(traded, {}, environment);
    await kept(service);
    const { address } = traded.chain.devnet.pools[0]!;
    const { json } = await service.get(`/pools/${address}/trades?limit=500`);
    expect(json.data.length).toBeGreaterThan(0);
    expect(readdirSync(join(data, "LOCAL"))).toContain(`${path.split("/").at(-1)}.damaged`);
    await service.stop();
    rmSync(data, { recursive: true });
    mkdirSync(path, { recursive: true });
    const other = await serve(traded, {}, environment);
    await caughtUp(traded, other);
    const answer = await other.get(`/pools/${address}/trades?limit=500`);
    expect([answer.status, answer.json.data?.length]).toEqual([200, json.data.length]);
    const { history } = (await other.get("/health/ready/LOCAL")).json.networks[0];
    expect(history.kept.problem).toMatch(/./);
    await other.stop();
  });
});

const idsOf = (trades: ReadonlyArray<{ readonly id: string }>) =>
  trades
    .map(({ id }) => id.split("-").map(Number) as [number, number])
    .sort(([a, b], [c, d]) => c - a || d - b)
    .map((parts) => parts.join("-"));

async function listed(service: Service, path: string) {
  const { status, json } = await service.get(path);
  expect([path, status]).toEqual([path, 200]);
  return json.data as ReadonlyArray<{ readonly id: string }>;
}

/** Waits until the history has the whole chain. */
async function kept(service: Service): Promise<void> {
  await caughtUp(traded, service);
  await eventually(async () => {
    const { history } = (await service.get("/health/ready/LOCAL")).json.networks[0];
    return history.kept.complete && history.kept.behindMs === 0;
  });
}
