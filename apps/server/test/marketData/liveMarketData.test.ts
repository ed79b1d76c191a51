import { encodeTokenAnswer, NetworkList, Readiness, TokenAnswer } from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import { tradesOnChain } from "@millrace/testing/devnet";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenBody } from "../../src/routes/marketViews.ts";
import { networkOn } from "../kit/networkOn.ts";
import { issuesOf, type Service } from "../kit/service.ts";
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

const STRICT = { onExcessProperty: "error" } as const;
const NOWHERE = `0x${"1".repeat(40)}`;
/** Volumes are counted in ten-thousandths of a dollar, so their sums are exact. */
const CENT = 0.01;

let traded: TradedChain;
beforeAll(async () => {
  traded = await startTradedChain();
});
afterAll(() => traded?.stop());

describe("what trades on a chain", () => {
  let service: Service;
  beforeAll(async () => {
    await trade(traded, 6);
    service = await serve(traded);
    await caughtUp(traded, service);
    await traded.chain.call("evm_increaseTime", 90);
    await trade(traded, 6);
    await caughtUp(traded, service);
  });
  afterAll(() => service?.stop());

  it("is listed pool by pool as the chain's own logs tell it, before and after the start", async () => {
    let count = 0;
    for (const { address, token0, token1 } of traded.chain.devnet.pools) {
      const trades = await tradesOf(service, address);
      expect(trades.map(({ id }) => id)).toEqual(await tradesOnChain(traded.chain, address));
      for (const { tokenIn, tokenOut, amountIn, poolAddress, ...rest } of trades) {
        expect(poolAddress.toLowerCase()).toBe(address);
        expect([tokenIn, tokenOut].toSorted()).toEqual([token0, token1].toSorted());
        expect(BigInt(amountIn)).toBeGreaterThan(0n);
        expect(rest.maker).toMatch(/^0x[0-9a-f]{40}$/);
        expect(rest.side).toBe(tokenOut === token0 ? "buy" : "sell");
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
    for (const { address, token0, token1 } of traded.chain.devnet.pools) {
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
    for (const { address } of traded.chain.devnet.pools) {
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
    // The default interval is an hour.
    for (const { timestamp } of await candlesOf(service, path))
      expect(timestamp % 3_600_000).toBe(0);
  });

  it("is answered with each bad parameter named, and 404 where nothing is", async () => {
    const [pool] = traded.chain.devnet.pools;
    const { address } = traded.chain.devnet.tokens[0]!;
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
    const ofToken = `/tokens/${address}/trades`;
    for (const before of [
      "1",
      "-1",
      "1-1-1",
      "01-1",
      "1e3-1",
      "a-b",
      "%00",
      `1${"0".repeat(15)}-1`,
    ]) {
      for (const path of [trades, ofToken]) {
        expect(await named(`${path}?before=${before}`)).toEqual([400, "invalid_format before"]);
      }
    }
    expect(await named(`${trades}?limit=0&before=1-1&interval=1h`)).toEqual([
      400,
      "unrecognized_key interval",
      "too_small limit",
    ]);
    expect(await named(`${ofToken}?base=${address}`)).toEqual([400, "unrecognized_key base"]);
    for (const path of [
      ...["/pools/0x12/trades", "/pools/0x12/candles"],
      ...["/tokens/0x12/candles", "/tokens/0x12/trades"],
    ]) {
      expect(await named(path)).toEqual([400, "invalid_format address"]);
    }
    for (const path of [
      `/pools/${NOWHERE}/trades`,
      `/pools/${NOWHERE}/candles`,
      `/tokens/${NOWHERE}/candles`,
      `/tokens/${NOWHERE}/trades`,
    ]) {
      expect(await named(path)).toEqual([404, "not_found address"]);
    }
    // Before all known trades there is nothing; before the greatest possible id, everything.
    for (const path of [trades, ofToken]) {
      expect((await service.get(`${path}?before=0-0`)).json).toEqual({ success: true, data: [] });
    }
    const all = await tradesOf(service, pool!.address);
    const greatest = `${"9".repeat(15)}-${"9".repeat(10)}`;
    const { json } = await service.get(`${trades}?limit=500&before=${greatest}`);
    expect(json.data).toEqual(all);
    // An id that is no trade of the pool is still a place on the chain.
    const [newest, next] = all;
    const between = `${newest!.blockNumber}-${newest!.logIndex - 1}`;
    expect((await service.get(`${trades}?limit=1&before=${between}`)).json.data).toEqual([next]);
  });

  it("tells how prices have changed, in lists, searches and details alike", async () => {
    await traded.chain.call("evm_increaseTime", 3_900);
    await trade(traded, 3);
    await caughtUp(traded, service);
    let known = 0;
    for (const listed of await allTokens(service)) {
      const { address, symbol, price, priceChange5m, priceChange1h, priceChange24h } = listed;
      const { json } = await service.get(`/tokens/${address}`);
      const { data } = Schema.decodeUnknownSync(TokenAnswer)(json, STRICT);
      const found = await service.get(`/tokens/search/${encodeURIComponent(symbol)}`);
      const same = found.json.data.find((each: { address: string }) => each.address === address);
      for (const { priceChange5m: short, priceChange1h: long } of [data, same]) {
        expect([short, long]).toEqual([priceChange5m, priceChange1h]);
      }
      const minutes = await candlesOf(service, `/tokens/${address}/candles?interval=1m&limit=500`);
      const last = minutes.filter(({ timestamp }) => timestamp < minutes.at(-1)!.timestamp - 3e6);
      expect(priceChange24h).toBeUndefined();
      if (last.length === 0 || price === 0) continue;
      expect(priceChange1h).toBe(price / last.at(-1)!.close - 1);
      known++;
    }
    expect(known).toBeGreaterThan(2);
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
    const { data } = service.networks.primary.market!;
    expect(data.candleBytes()).toBeGreaterThan(0);
    expect(text).toContain(`millrace_market_candle_bytes{network="LOCAL"} ${data.candleBytes()}\n`);
    expect(text).toMatch(/millrace_market_audited_windows_total\{network="LOCAL"\} \d+/);
    expect(text).toContain('millrace_market_wrong_prices_total{network="LOCAL"} 0');
    expect(text).toContain('millrace_market_wrong_windows_total{network="LOCAL"} 0');
  });
});

describe("market data of a live chain", () => {
  it("what trades in pools that are not loaded counts for their tokens; they themselves are not there", async () => {
    const { source } = networkOn(traded.chain.devnet);
    const { pools } = traded.chain.devnet;
    const isLoaded = (_: unknown, index: number) => index % 2 === 0;
    const loaded = pools.filter(isLoaded).map(({ address }) => address);
    const admission = { ...source.admission, depthFloorUsd: 1e12, pools: loaded };
    const whole = await serve(traded);
    const partial = await serve(traded, { source: { ...source, admission } });
    try {
      await caughtUp(traded, whole);
      await caughtUp(traded, partial);
      const counts = async (service: Service) =>
        (await allTokens(service))
          .map(({ address, txns24h, buys24h, sells24h }) => ({
            address,
            txns24h,
            buys24h,
            sells24h,
          }))
          .toSorted((a, b) => (a.address < b.address ? -1 : 1));
      const told = await counts(partial);
      const addresses = new Set(told.map(({ address }) => address));
      expect(told).toEqual((await counts(whole)).filter(({ address }) => addresses.has(address)));
      let tradeCount = 0;
      for (const [index, { address }] of pools.entries()) {
        const trades = await tradesOf(whole, address);
        if (isLoaded(address, index)) {
          expect((await tradesOf(partial, address)).length).toBe(trades.length);
          continue;
        }
        tradeCount += trades.length;
        for (const path of ["", "/trades", "/candles"]) {
          const answer = await partial.get(`/pools/${address}${path}`);
          expect([answer.status, issuesOf(answer).length]).toEqual([404, 1]);
        }
      }
      expect(tradeCount).toBeGreaterThan(5);
    } finally {
      await whole.stop();
      await partial.stop();
    }
  });

  it("the answer for a token is that of the newest block, block after block", async () => {
    const service = await serve(traded);
    try {
      await caughtUp(traded, service);
      const { primary } = service.networks;
      const market = primary.market!;
      const { engine, data } = market;
      const seen = new Set<string>();
      for (let block = 0; block < 6; block++) {
        for (let token = 0; token < engine.graph.tokenCount; token++) {
          const address = engine.graph.tokenAddress(token as TokenIndex);
          // Twice: the second answer may come from a cache.
          await service.get(`/tokens/${address}`);
          const now = () =>
            encodeTokenAnswer(tokenBody(primary, market, data.token(token as TokenIndex)));
          const before = now();
          const { text, json } = await service.get(`/tokens/${address}`);
          Schema.decodeUnknownSync(TokenAnswer)(json, STRICT);
          // Total supplies may change between blocks.
          expect([before, now()]).toContain(text);
          seen.add(text);
        }
        await trade(traded, 1);
        await caughtUp(traded, service);
      }
      expect(seen.size).toBeGreaterThan(engine.graph.tokenCount);
    } finally {
      await service.stop();
    }
  });
});
