import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Candle,
  CandleList,
  encodeTokenAnswer,
  NetworkList,
  Readiness,
  TokenAnswer,
  TokenList,
  type Trade,
  TradeList,
} from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import { Effect, Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenBody } from "../src/routes/marketViews.ts";
import { eventually, type LocalChain, networkOn, startLocalChain } from "./localChain.ts";
import { configOf, issuesOf, type Service, startService } from "./service.ts";

const STRICT = { onExcessProperty: "error" } as const;
const NOWHERE = `0x${"1".repeat(40)}`;
/** Topics of the logs by which pools tell of swaps, V2 and V3. */
const SWAPS = [
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
];
/** Ten-thousandths of a dollar are what volumes are counted in; sums of them are exact. */
const CENT = 0.01;

let folder: string;
let chain: LocalChain;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-market-"));
  chain = await startLocalChain();
});
afterAll(async () => {
  await chain?.stop();
  rmSync(folder, { recursive: true });
});

async function starting(
  more: Record<string, unknown> = {},
  environment: Record<string, string> = {},
): Promise<Service> {
  const { source, ...network } = networkOn(chain.devnet);
  const file = join(folder, "config.json");
  const saving = { ...source, snapshotBlocks: 2 };
  writeFileSync(file, JSON.stringify({ networks: [{ ...network, ...more, source: saving }] }));
  return startService(await configOf({ MILLRACE_CONFIG: file, ...environment }));
}

const trade = (blocks: number) =>
  Effect.runPromise(
    Effect.repeat(chain.devnet.traffic.block(8), { times: blocks - 1 }).pipe(Effect.asVoid),
  );

/** Waits until the service stands at the chain's head, with all of the past that it wants. */
async function caughtUp(service: Service): Promise<void> {
  const { hash } = (await chain.call("eth_getBlockByNumber", "latest", false)) as {
    readonly hash: string;
  };
  await eventually(async () => {
    const { status, json } = await service.get("/health/ready/LOCAL");
    const stands = service.networks.primary.market?.engine.graph.stamp.hash === hash;
    return stands && status === 200 && json.networks[0].history.complete;
  });
  service.networks.primary.market!.data.settle();
}

async function allTokens(service: Service) {
  const { json } = await service.get("/tokens?limit=500");
  return Schema.decodeUnknownSync(TokenList)(json, STRICT).data;
}

async function tradesOf(service: Service, pool: string): Promise<Array<typeof Trade.Type>> {
  const trades: Array<typeof Trade.Type> = [];
  for (;;) {
    const last = trades.at(-1)?.id;
    const before = last === undefined ? "" : `&before=${last}`;
    const { status, json } = await service.get(`/pools/${pool}/trades?limit=7${before}`);
    expect(status).toBe(200);
    const { data } = Schema.decodeUnknownSync(TradeList)(json, STRICT);
    trades.push(...data);
    if (data.length < 7) return trades;
  }
}

async function candlesOf(service: Service, path: string): Promise<Array<typeof Candle.Type>> {
  const { status, json, headers } = await service.get(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers.get("cache-control")).toBe("no-store");
  return [...Schema.decodeUnknownSync(CandleList)(json, STRICT).data];
}

/** The ids of all swaps of a pool that the chain's own logs tell of, newest first. */
async function swapsOnChain(pool: string): Promise<string[]> {
  const filter = { address: pool, topics: [SWAPS], fromBlock: "0x0", toBlock: "latest" };
  const logs = (await chain.call("eth_getLogs", filter)) as ReadonlyArray<{
    readonly blockNumber: string;
    readonly logIndex: string;
  }>;
  return logs.map((log) => `${BigInt(log.blockNumber)}-${BigInt(log.logIndex)}`).reverse();
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0);

describe("what trades on a chain", () => {
  let service: Service;
  beforeAll(async () => {
    await trade(6);
    service = await starting();
    await caughtUp(service);
    await chain.call("evm_increaseTime", 90);
    await trade(6);
    await caughtUp(service);
  });
  afterAll(() => service?.stop());

  it("is listed pool by pool as the chain's own logs tell it, before and after the start", async () => {
    let count = 0;
    for (const { address, token0, token1 } of chain.devnet.pools) {
      const trades = await tradesOf(service, address);
      expect(trades.map(({ id }) => id)).toEqual(await swapsOnChain(address));
      for (const { tokenIn, tokenOut, amountIn, poolAddress, ...rest } of trades) {
        expect(poolAddress.toLowerCase()).toBe(address);
        expect([tokenIn, tokenOut].toSorted()).toEqual([token0, token1].toSorted());
        expect(BigInt(amountIn)).toBeGreaterThan(0n);
        expect(rest.id).toBe(`${rest.blockNumber}-${rest.logIndex}`);
      }
      count += trades.length;
    }
    expect(count).toBeGreaterThan(40);
  });

  it("is counted in windows: of a pool as its trades add up, of a token as its pools do", async () => {
    const volumes = new Map<string, number>();
    const transactions = new Map<string, Set<string>>();
    const buys = new Map<string, number>();
    for (const { address, token0, token1 } of chain.devnet.pools) {
      const trades = await tradesOf(service, address);
      const volume = sum(trades.map(({ valueUsd }) => valueUsd));
      const { json } = await service.get(`/pools/${address}`);
      expect(Math.abs(json.data.volume24h - volume)).toBeLessThan(CENT);
      for (const token of [token0, token1]) {
        volumes.set(token, (volumes.get(token) ?? 0) + volume);
        const hashes = transactions.get(token) ?? new Set();
        for (const { transactionHash } of trades) hashes.add(transactionHash);
        transactions.set(token, hashes);
        const bought = trades.filter(({ tokenOut }) => tokenOut === token).length;
        buys.set(token, (buys.get(token) ?? 0) + bought);
      }
    }
    for (const token of await allTokens(service)) {
      expect(Math.abs(token.volume24h - (volumes.get(token.address) ?? 0))).toBeLessThan(CENT);
      expect(token.txns24h).toBe(transactions.get(token.address)?.size ?? 0);
      expect(token.buys24h).toBe(buys.get(token.address) ?? 0);
      expect(token.volume24h).toBeGreaterThanOrEqual(token.volume6h);
      expect(token.volume6h).toBeGreaterThanOrEqual(token.volume1h);
      expect(token.volume1h).toBeGreaterThanOrEqual(token.volume5m);
    }
  });

  it("makes candles, of tokens in dollars and of pools, whose volumes are those of the windows", async () => {
    const tokens = await allTokens(service);
    expect(tokens.some(({ chartDataAvailable }) => chartDataAvailable)).toBe(true);
    for (const { address, volume24h, chartDataAvailable, symbol } of tokens) {
      const minutes = await candlesOf(service, `/tokens/${address}/candles?interval=1m&limit=500`);
      expect(chartDataAvailable).toBe(minutes.length > 0);
      expect(Math.abs(sum(minutes.map(({ volume }) => volume)) - volume24h)).toBeLessThan(CENT);
      const starts = minutes.map(({ timestamp }) => timestamp);
      expect(starts).toEqual([...new Set(starts)].toSorted((a, b) => a - b));
      for (const { timestamp, open, high, low, close } of minutes) {
        expect(timestamp % 60_000).toBe(0);
        expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
        expect(low).toBeLessThanOrEqual(Math.min(open, close));
      }
      const found = await service.get(`/tokens/search/${encodeURIComponent(symbol)}`);
      const same = found.json.data.find((each: { address: string }) => each.address === address);
      expect(same.chartDataAvailable).toBe(chartDataAvailable);
      const one = await service.get(`/tokens/${address}`);
      expect(one.json.data).not.toHaveProperty("chartDataAvailable");
    }
    for (const { address } of chain.devnet.pools) {
      const days = await candlesOf(service, `/pools/${address}/candles?interval=1d`);
      const { json } = await service.get(`/pools/${address}`);
      expect(Math.abs(sum(days.map(({ volume }) => volume)) - json.data.volume24h)).toBeLessThan(
        CENT,
      );
    }
  });

  it("is charted for the range that is asked for", async () => {
    const [token] = (await allTokens(service)).toSorted((a, b) => b.volume24h - a.volume24h);
    const path = `/tokens/${token!.address}/candles`;
    const minutes = await candlesOf(service, `${path}?interval=1m&limit=500`);
    expect(minutes.length).toBeGreaterThan(1);
    const [first, second] = minutes;
    const range = `interval=1m&from=${first!.timestamp}&to=${first!.timestamp}`;
    expect(await candlesOf(service, `${path}?${range}`)).toEqual([first]);
    const after = `interval=1m&from=${first!.timestamp + 1}&limit=500`;
    expect(await candlesOf(service, `${path}?${after}`)).toEqual(minutes.slice(1));
    expect((await candlesOf(service, `${path}?interval=1m&limit=1`))[0]).toEqual(minutes.at(-1));
    expect(await candlesOf(service, `${path}?interval=1m&to=${second!.timestamp - 1}`)).toEqual([
      first,
    ]);
    // An hour, where no interval is named.
    for (const { timestamp } of await candlesOf(service, path))
      expect(timestamp % 3_600_000).toBe(0);
  });

  it("is answered with each bad parameter named, and 404 where nothing is", async () => {
    const [pool] = chain.devnet.pools;
    const { address } = chain.devnet.tokens[0]!;
    const named = async (path: string) => {
      const answer = await service.get(path);
      return [answer.status, ...issuesOf(answer).map(({ code, path }) => `${code} ${path.join()}`)];
    };
    for (const path of [`/tokens/${address}`, `/pools/${pool!.address}`]) {
      expect(await named(`${path}/candles?interval=2m&from=x&to=-1&limit=501&page=1`)).toEqual([
        400,
        "unrecognized_key page",
        "invalid_value interval",
        "invalid_type from",
        "too_small to",
        "too_big limit",
      ]);
      expect(await named(`${path}/candles?from=5&to=4`)).toEqual([400, "too_small to"]);
      expect(await named(`${path}/candles?chainId=77`)).toEqual([404, "not_found chainId"]);
    }
    const trades = `/pools/${pool!.address}/trades`;
    for (const before of ["1", "-1", "1-1-1", "01-1", "1e3-1", "a-b", "%00"]) {
      expect(await named(`${trades}?before=${before}`)).toEqual([400, "invalid_format before"]);
    }
    expect(await named(`${trades}?limit=0&before=1-1&interval=1h`)).toEqual([
      400,
      "unrecognized_key interval",
      "too_small limit",
    ]);
    for (const path of ["/pools/0x12/trades", "/pools/0x12/candles", "/tokens/0x12/candles"]) {
      expect(await named(path)).toEqual([400, "invalid_format address"]);
    }
    for (const path of [
      `/pools/${NOWHERE}/trades`,
      `/pools/${NOWHERE}/candles`,
      `/tokens/${NOWHERE}/candles`,
    ]) {
      expect(await named(path)).toEqual([404, "not_found address"]);
    }
    // Before everything that is known there is nothing.
    expect((await service.get(`${trades}?before=0-0`)).json).toEqual({ success: true, data: [] });
  });

  it("tells since when it is counted", async () => {
    for (const path of ["/health/ready", "/health/ready/LOCAL"]) {
      const { networks } = Schema.decodeUnknownSync(Readiness)(
        (await service.get(path)).json,
        STRICT,
      );
      expect(networks[0]!.history).toMatchObject({ complete: true });
      expect(networks[0]!.history!.since).toBeLessThan(Date.now());
    }
    const { json } = await service.get("/networks");
    const { result } = Schema.decodeUnknownSync(NetworkList)(json, STRICT);
    expect(result[0]!.history).toMatchObject({ complete: true });
    const { text } = await service.get("/metrics");
    expect(text).toContain('millrace_history_complete{network="LOCAL"} 1');
    expect(text).toMatch(/millrace_history_since_seconds\{network="LOCAL"\} \d+/);
  });
});

it("the answer for a token is that of the newest block, block after block", async () => {
  const service = await starting();
  try {
    await caughtUp(service);
    const { primary } = service.networks;
    const { engine, data } = primary.market!;
    const seen = new Set<string>();
    for (let block = 0; block < 6; block++) {
      for (let token = 0; token < engine.graph.tokenCount; token++) {
        const address = engine.graph.tokenAddress(token as TokenIndex);
        // Twice: the second may be one that is kept.
        await service.get(`/tokens/${address}`);
        const { text, json } = await service.get(`/tokens/${address}`);
        Schema.decodeUnknownSync(TokenAnswer)(json, STRICT);
        expect(text).toBe(encodeTokenAnswer(tokenBody(primary, data.token(token as TokenIndex))));
        seen.add(text);
      }
      await trade(1);
      await caughtUp(service);
    }
    expect(seen.size).toBeGreaterThan(engine.graph.tokenCount);
  } finally {
    await service.stop();
  }
});

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
      chain.devnet.pools.map(async ({ address }) => ({
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
    const data = join(folder, "kept");
    const environment = { MILLRACE_DATA_DIR: data };
    const first = await starting({}, environment);
    await caughtUp(first);
    await trade(5);
    await caughtUp(first);
    await eventually(async () =>
      /market_saved_bytes\{network="LOCAL"\} [1-9]/.test((await first.get("/metrics")).text),
    );
    const before = await told(first);
    expect(sum(before.pools.map(({ trades }) => trades.length))).toBeGreaterThan(40);
    await first.stop();
    expect(saves(data).length).toBeLessThanOrEqual(2);
    expect(saves(data).length).toBeGreaterThan(0);
    // Nothing of the past is asked for: what is told can only be what was kept.
    const second = await starting({ historyHours: 0 }, environment);
    await caughtUp(second);
    expect(await told(second)).toEqual(before);
    await second.stop();
    // All of the past is wanted, and known: nothing counts twice.
    const third = await starting({}, environment);
    await caughtUp(third);
    expect(await told(third)).toEqual(before);
    await trade(2);
    await caughtUp(third);
    const after = await told(third);
    for (const { address } of chain.devnet.pools) {
      expect((await tradesOf(third, address)).map(({ id }) => id)).toEqual(
        await swapsOnChain(address),
      );
    }
    expect(sum(after.sums.map(({ volume24h }) => volume24h))).toBeGreaterThan(
      sum(before.sums.map(({ volume24h }) => volume24h)),
    );
    await third.stop();
  });

  it("leaves aside what is damaged, and takes the save before, or reads the past anew", async () => {
    const data = join(folder, "damaged");
    const environment = { MILLRACE_DATA_DIR: data, MILLRACE_LOG_LEVEL: "none" };
    const first = await starting({}, environment);
    await caughtUp(first);
    for (let round = 0; round < 3; round++) {
      await trade(2);
      await caughtUp(first);
    }
    await eventually(() => saves(data).length === 2);
    await first.stop();
    const before = await starting({}, environment);
    await caughtUp(before);
    const whole = await told(before);
    await before.stop();
    for (const damaged of [1, 2]) {
      for (const name of saves(data).slice(-damaged)) {
        const file = join(data, "LOCAL", name);
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1]! ^= 1;
        writeFileSync(file, bytes);
      }
      const other = await starting({}, environment);
      await caughtUp(other);
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
