import {
  PoolAnswer,
  PoolList,
  TokenAnswer,
  TokenListJson,
  TokenPriceAnswer,
  TokenSearch,
} from "@millrace/api";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { issuesOf, recordedService, USDC, WETH } from "../kit/service.ts";

const service = recordedService();

const STRICT = { onExcessProperty: "error" } as const;
const NOWHERE = `0x${"1".repeat(40)}`;

describe("lists of tokens", () => {
  it("have the contract's shape, the most liquid first", async () => {
    const { status, json, headers } = await service.get("/tokens");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    const body = Schema.decodeUnknownSync(TokenListJson)(json, STRICT);
    expect(body.data.length).toBe(50);
    expect(body.filters).toEqual({});
    expect(body.data[0]!.address).toBe(WETH);
    expect(body.data[0]!.chainId).toBe("1");
    const liquidity = body.data.map((token) => token.liquidity);
    expect(liquidity).toEqual(liquidity.toSorted((a, b) => b - a));
    // Nothing trades here.
    expect(body.data.map((token) => token.chartDataAvailable)).toEqual(Array(50).fill(false));
  });

  it("page through every token exactly once", async () => {
    const seen = new Set<string>();
    let total = 0;
    for (let page = 1; ; page++) {
      const { json } = await service.get(`/tokens?limit=500&page=${page}`);
      const { pagination, data } = json;
      total = pagination.total;
      expect(pagination).toEqual({
        page,
        limit: 500,
        total,
        totalPages: Math.ceil(total / 500),
        hasNext: page < Math.ceil(total / 500),
        hasPrev: page > 1,
      });
      for (const { address } of data) seen.add(address);
      if (!pagination.hasNext) break;
    }
    expect(total).toBeGreaterThan(1_000);
    expect(seen.size).toBe(total);
  });

  it("beyond the last page are empty", async () => {
    const { status, json } = await service.get("/tokens?page=1000000");
    expect(status).toBe(200);
    expect(json.data).toEqual([]);
    expect(json.pagination).toMatchObject({ hasNext: false, hasPrev: true });
  });

  it("are filtered, and echo their filters", async () => {
    const { json } = await service.get("/tokens?symbol=weth&minLiquidity=1000.5&dex=UNISWAP_V3");
    expect(json.filters).toEqual({ symbol: "weth", minLiquidity: 1000.5, dex: "UNISWAP_V3" });
    expect(json.data.map((token: { address: string }) => token.address)).toEqual([WETH]);
    const byName = await service.get("/tokens?symbol=weth&dex=Uniswap%20V3");
    expect(byName.json.data.length).toBe(1);
    const none = await service.get("/tokens?minVolume24h=1");
    expect(none.json.pagination.total).toBe(0);
  });

  it("are sorted by a field, either way", async () => {
    const up = await service.get("/tokens?sort=symbol&limit=5");
    const down = await service.get("/tokens?sort=-price&limit=500");
    expect(up.status).toBe(200);
    const prices = down.json.data.map((token: { price: number }) => token.price);
    expect(prices).toEqual(prices.toSorted((a: number, b: number) => b - a));
  });
});

describe("one token", () => {
  it("is found by an address of any case", async () => {
    const { status, json } = await service.get(`/tokens/${WETH.toUpperCase().replace("X", "x")}`);
    expect(status).toBe(200);
    const { data } = Schema.decodeUnknownSync(TokenAnswer)(json, STRICT);
    expect(data).toMatchObject({ address: WETH, symbol: "WETH", decimals: 18 });
    expect(data.price).toBeGreaterThan(100);
    expect(json.data).not.toHaveProperty("chartDataAvailable");
  });

  it("has a price that says where it comes from", async () => {
    const { json, headers } = await service.get(`/tokens/${WETH}/price`);
    expect(headers.get("cache-control")).toBe("no-store");
    const { data } = Schema.decodeUnknownSync(TokenPriceAnswer)(json, STRICT);
    expect(data.path[0]).toBe(WETH);
    expect(data.path.at(-1)).toBe(data.anchor);
    expect(data.pools.length).toBe(data.path.length - 1);
    expect(data.confidence).toBeGreaterThan(0.5);
    expect(data.confidence).toBeLessThanOrEqual(1);
  });

  it("is searched by parts of its symbol and name, exact symbols first", async () => {
    const { json } = await service.get("/tokens/search/wEth?limit=500");
    const body = Schema.decodeUnknownSync(TokenSearch)(json, STRICT);
    expect(body.query).toBe("wEth");
    expect(body.data[0]!.symbol.toLowerCase()).toBe("weth");
    expect(body.total).toBeGreaterThanOrEqual(body.data.length);
    for (const { symbol, name } of body.data) {
      expect(`${symbol}\n${name}`.toLowerCase()).toContain("weth");
    }
    const spaced = await service.get(`/tokens/search/${encodeURIComponent("a/b %?&")}`);
    expect(spaced.json).toEqual({ success: true, data: [], total: 0, query: "a/b %?&" });
  });
});

describe("pools", () => {
  it("have the contract's shape, the most liquid first", async () => {
    const { json } = await service.get("/pools?limit=500");
    const body = Schema.decodeUnknownSync(PoolList)(json, STRICT);
    expect(body.data.length).toBe(500);
    const liquidity = body.data.map((pool) => pool.liquidityUsd);
    expect(liquidity).toEqual(liquidity.toSorted((a, b) => b - a));
    for (const { poolAddress } of body.data) expect(poolAddress).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  it("are filtered by token, DEX and fee", async () => {
    const { json } = await service.get(`/pools?token=${USDC}&dex=Uniswap%20V3&fee=500&limit=500`);
    expect(json.data.length).toBeGreaterThan(0);
    for (const pool of json.data) {
      expect([pool.token0, pool.token1]).toContain(USDC);
      expect(pool.dexName).toBe("Uniswap V3");
      expect(pool.fee).toBe(500);
    }
  });

  it("tell the price of token0 in token1 in whole tokens, and both symbols", async () => {
    const { json } = await service.get("/pools?limit=200");
    for (const listed of json.data) {
      const answer = await service.get(`/pools/${listed.poolId ?? listed.poolAddress}`);
      const { data } = Schema.decodeUnknownSync(PoolAnswer)(answer.json, STRICT);
      const { token0Details, token1Details, sqrtPriceX96, price, symbol0, symbol1 } = data;
      expect([symbol0, symbol1]).toEqual([token0Details.symbol, token1Details.symbol]);
      expect([listed.price, listed.symbol0, listed.symbol1]).toEqual([price, symbol0, symbol1]);
      const root = Number(sqrtPriceX96) / 2 ** 96;
      const expected = root ** 2 * 10 ** (token0Details.decimals - token1Details.decimals);
      expect(Math.abs(price / expected - 1)).toBeLessThan(1e-6);
    }
  });

  it("have details of both tokens, supplies included", async () => {
    const list = await service.get("/pools?limit=1");
    const { poolAddress, token0, token1 } = list.json.data[0];
    const { json } = await service.get(`/pools/${poolAddress.toLowerCase()}`);
    const { data } = Schema.decodeUnknownSync(PoolAnswer)(json, STRICT);
    expect(data.poolAddress).toBe(poolAddress);
    expect([data.token0Details.address, data.token1Details.address]).toEqual([token0, token1]);
    expect(data.token0Details.totalSupply).toMatch(/^\d+$/);
  });
});

describe("failures of the market-data interface", () => {
  it("tell a malformed address letter for letter as the contract has it", async () => {
    const expected =
      '[{"origin":"string","code":"invalid_format","format":"regex","pattern":"/^0x[a-fA-F0-9]{40}$/","path":["address"],"message":"Invalid token address"}]';
    for (const path of [
      "/tokens/0x12",
      "/tokens/nonsense/price",
      "/pools/0xzz",
      `/tokens/${WETH}0`,
    ]) {
      const { status, text, headers } = await service.get(path);
      expect(status).toBe(400);
      expect(headers.get("content-type")).toBe("application/json");
      expect(text).toBe(JSON.stringify({ success: false, error: expected }));
    }
  });

  it("tell one issue for each bad parameter", async () => {
    const answer = await service.get("/tokens?page=0&limit=501&sort=nothing&minLiquidity=x&foo=1");
    expect(answer.status).toBe(400);
    const issues = issuesOf(answer).map(({ code, path }) => `${code} ${path.join(".")}`);
    expect(issues.toSorted()).toEqual([
      "invalid_type minLiquidity",
      "invalid_value sort",
      "too_big limit",
      "too_small page",
      "unrecognized_key foo",
    ]);
    const both = await service.get("/pools/0x12?foo=1&chainId=-1");
    expect(issuesOf(both).map(({ code }) => code)).toEqual([
      "invalid_format",
      "unrecognized_key",
      "too_small",
    ]);
    const twice = await service.get("/pools?fee=1&fee=2");
    expect(issuesOf(twice)).toMatchObject([{ code: "invalid_type", path: ["fee"] }]);
    const token = await service.get("/pools?token=0x12");
    expect(issuesOf(token)).toMatchObject([{ code: "invalid_format", path: ["token"] }]);
    const long = await service.get(`/tokens/search/${"x".repeat(129)}`);
    expect(issuesOf(long)).toMatchObject([{ code: "too_big", path: ["query"] }]);
  });

  it("are 404 for what is not there", async () => {
    for (const [path, place] of [
      [`/tokens/${NOWHERE}`, ["address"]],
      [`/tokens/${NOWHERE}/price`, ["address"]],
      [`/pools/${NOWHERE}`, ["address"]],
      ["/tokens?chainId=8453", ["chainId"]],
      ["/tokens/a/b/c", []],
      ["/pools/a/b", []],
    ] as const) {
      const answer = await service.get(path);
      expect(answer.status).toBe(404);
      expect(issuesOf(answer)).toMatchObject([{ code: "not_found", path: place }]);
    }
  });

  it("are 400 for a path that cannot be decoded", async () => {
    for (const path of ["/pools/%ZZ/trades", "/tokens/%E0%A4%A/price", "/pools/%ff"]) {
      const answer = await service.get(path);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(issuesOf(answer)).toMatchObject([{ code: "invalid_value" }]);
    }
  });

  it("are 405 for another method, with the ones that are taken", async () => {
    for (const path of ["/tokens", `/tokens/${WETH}`, "/pools"]) {
      const answer = await service.post(path, {});
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
      expect(issuesOf(answer)).toMatchObject([{ code: "method_not_allowed" }]);
    }
  });

  it("answer the primary network when its chain id is named", async () => {
    const { json } = await service.get(`/tokens/${WETH}?chainId=1`);
    expect(json.data.chainId).toBe("1");
  });
});
