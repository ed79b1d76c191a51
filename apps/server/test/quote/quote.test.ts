import { readFileSync } from "node:fs";
import { checksumAddress, SwapQuote } from "@millrace/api";
import type { QuoteResult } from "@millrace/core";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { DATA, NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";

const service = recordedService();

const ETHER = "1000000000000000000";
const AMPL = "0xd46ba6d942050d489dbd938a2c909a5d5039a161";
const NOWHERE = `0x${"1".repeat(40)}`;
const ASK = { tokenA: WETH, tokenB: USDC, amountIn: ETHER };

const decode = Schema.decodeUnknownSync(SwapQuote);
const quote = async (request: object) => {
  const { status, json, headers } = await service.post("/ETH/quote", { ...ASK, ...request });
  expect(json).toMatchObject({ routePlan: expect.anything() });
  expect(status).toBe(200);
  expect(headers.get("cache-control")).toBe("no-store");
  return decode(json, { onExcessProperty: "error" });
};
const problem = async (request: unknown) => {
  const { status, json, headers } = await service.post("/ETH/quote", request);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(Object.keys(json).slice(0, 5)).toEqual(["type", "title", "status", "detail", "code"]);
  expect(json.status).toBe(status);
  return `${json.code} ${status}`;
};

describe("a quote", () => {
  it("has every field of the contract", async () => {
    const answer = await quote({});
    const { graph } = service.networks.primary.market!.engine;
    expect(answer).toMatchObject({
      tokenA: WETH,
      tokenB: USDC,
      amountIn: ETHER,
      dexId: "ALL",
      isNativeIn: false,
      isNativeOut: false,
      blockNumber: String(graph.stamp.number),
      timestamp: graph.stamp.timestampMs,
    });
    const first = answer.routePlan[0]!;
    const pool = graph.findPool(first.poolAddress)!;
    expect(answer.dexFactory).toBe(checksumAddress(graph.dexes[graph.poolDex[pool]!]!.factory));
    expect(answer.priceImpact).toBeGreaterThanOrEqual(0);
    expect(answer.priceImpact).toBeLessThan(0.01);
    expect(answer).not.toHaveProperty("exactOutput");
  });

  it("links its steps from one token to the other, each taking what the one before gave", async () => {
    const { routePlan, amountIn, amountOut } = await quote({ maxHops: 4 });
    const { graph } = service.networks.primary.market!.engine;
    let token = WETH;
    let amount = amountIn;
    for (const step of routePlan) {
      const pool = graph.findPool(step.poolAddress)!;
      expect(step.poolAddress).toBe(checksumAddress(step.poolAddress.toLowerCase()));
      expect([step.tokenA, step.amountIn, step.aToB]).toEqual([token, amount, true]);
      expect(step.zeroForOne).toBe(graph.tokenAddress(graph.poolToken(pool, 0)) === step.tokenA);
      expect(step.fee).toBe(graph.poolFeePips[pool]);
      [token, amount] = [step.tokenB, step.amountOut];
    }
    expect([token, amount]).toEqual([USDC, amountOut]);
  });

  it("takes the native token in any case, and names the wrapped one in its steps", async () => {
    const sent = NATIVE.toLowerCase().replace("e", "E");
    const native = await quote({ tokenA: sent });
    const wrapped = await quote({});
    expect(native).toMatchObject({ tokenA: sent, isNativeIn: true, isNativeOut: false });
    expect(native.routePlan).toEqual(wrapped.routePlan);
    const out = await quote({ tokenA: USDC, tokenB: NATIVE, amountIn: "1000000" });
    expect(out).toMatchObject({ isNativeIn: false, isNativeOut: true });
    expect(out.routePlan.at(-1)!.tokenB).toBe(WETH);
  });

  it("is one to one, through no pool, between the native token and its wrapped form", async () => {
    for (const [tokenA, tokenB] of [
      [NATIVE, WETH],
      [WETH, NATIVE],
    ]) {
      const answer = await quote({ tokenA, tokenB, amountIn: "7" });
      expect(answer).toMatchObject({ amountIn: "7", amountOut: "7", tokenPrice: "1" });
      expect(answer.routePlan).toEqual([]);
      expect(answer.priceImpact).toBe(0);
    }
    const { status, json } = await service.post("/ETH/quote", {
      tokenA: NATIVE,
      tokenB: WETH,
      amountOut: "9",
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ amountIn: "9", amountOut: "9", exactOutput: true });
  });

  it("of an exact output says so, and asks for an input that gives as much", async () => {
    const asked = { tokenA: WETH, tokenB: USDC, amountOut: "1000000000" };
    const { json } = await service.post("/ETH/quote", asked);
    const answer = decode(json, { onExcessProperty: "error" });
    expect(answer).toMatchObject({ amountOut: "1000000000", exactOutput: true });
    const back = await quote({ amountIn: answer.amountIn });
    expect(BigInt(back.amountOut)).toBeGreaterThanOrEqual(1_000_000_000n);
  });

  it("keeps to one DEX, or away from some, or from pools", async () => {
    const free = await quote({});
    const one = await quote({ dexId: "SUSHISWAP_V2" });
    expect(one.dexId).toBe("SUSHISWAP_V2");
    expect(one.routePlan.map(({ dexId }) => dexId)).toContain("SUSHISWAP_V2");
    expect(new Set(one.routePlan.map(({ dexId }) => dexId)).size).toBe(1);
    expect(one.dexFactory).toBe("0xC0AEe478e3658e2610c5F7A4A2E1777cE9e4f2Ac");
    const without = await quote({ excludeDexIds: ["UNISWAP_V3", "PANCAKESWAP_V3"] });
    for (const { dexId } of without.routePlan) expect(dexId).toMatch(/_V2$/);
    const pools = free.routePlan.map(({ poolAddress }) => poolAddress);
    const others = await quote({ excludePools: pools });
    for (const step of others.routePlan) expect(pools).not.toContain(step.poolAddress);
    expect(BigInt(others.amountOut)).toBeLessThanOrEqual(BigInt(free.amountOut));
  });

  it("passes no more pools than asked", async () => {
    const one = await quote({ maxHops: 1 });
    expect(one.routePlan.length).toBe(1);
  });

  it("lists the tokens that are not known to be plain, and only those", async () => {
    expect(await quote({ maxHops: 1 })).not.toHaveProperty("unverified");
    const { graph } = service.networks.primary.market!.engine;
    const pepe = "0x6982508145454ce325ddbe47a25d4ec3d2311933";
    expect(graph.findToken(pepe)).toBeDefined();
    expect((await quote({ tokenB: pepe })).unverified).toContain(pepe);
  });

  it("is what the engine says, for a hundred real trades", async () => {
    const { trades } = JSON.parse(
      readFileSync(`${DATA}ethereum-2026-03/workload-a.json`, "utf8"),
    ) as { trades: ReadonlyArray<[string, string, string]> };
    const { engine } = service.networks.primary.market!;
    for (const [tokenA, tokenB, amountIn] of trades.slice(0, 100)) {
      const answer = await service.post("/ETH/quote", { tokenA, tokenB, amountIn });
      const [tokenIn, tokenOut] = [engine.graph.findToken(tokenA), engine.graph.findToken(tokenB)];
      if (tokenIn === undefined || tokenOut === undefined) {
        expect(answer.json.code).toBe("UNKNOWN_TOKEN");
        continue;
      }
      const amount = BigInt(amountIn);
      const expected: QuoteResult = engine.quoteUnsafe({
        tokenIn,
        tokenOut,
        kind: "exactIn",
        amount,
        maxHops: 3,
      });
      if (expected.found) expect(answer.json.amountOut).toBe(String(expected.amountOut));
      else expect(answer.status).toBeGreaterThanOrEqual(404);
    }
  });

  it("is the same for many clients at once as for one after the other", async () => {
    const requests = Array.from({ length: 200 }, (_, index) => ({
      ...ASK,
      amountIn: String(10n ** 15n * BigInt(index + 1)),
    }));
    const together = await Promise.all(requests.map((body) => service.post("/ETH/quote", body)));
    for (const [index, body] of requests.entries()) {
      if (index % 20 !== 0) continue;
      expect(together[index]!.text).toBe((await service.post("/ETH/quote", body)).text);
    }
    expect(together.every(({ status }) => status === 200)).toBe(true);
  });
});

describe("a quote that cannot be given", () => {
  it("names the reason by code and status", async () => {
    const { graph } = service.networks.primary.market!.engine;
    expect(await problem({ ...ASK, tokenB: NOWHERE })).toBe("UNKNOWN_TOKEN 404");
    expect(await problem({ ...ASK, tokenA: NOWHERE })).toBe("UNKNOWN_TOKEN 404");
    expect(await problem({ ...ASK, dexId: "NO_SUCH" })).toBe("UNKNOWN_DEX 404");
    expect(await problem({ ...ASK, excludeDexIds: ["NO_SUCH"] })).toBe("UNKNOWN_DEX 404");
    expect(await problem({ ...ASK, excludePools: [NOWHERE] })).toBe("UNKNOWN_POOL 422");
    expect(await problem({ ...ASK, amountIn: "0" })).toBe("AMOUNT_TOO_SMALL 422");
    expect(await problem({ ...ASK, amountIn: "1" })).toBe("AMOUNT_TOO_SMALL 422");
    const tooMuch = { tokenA: WETH, tokenB: USDC, amountOut: String(2n ** 255n) };
    expect(await problem(tooMuch)).toBe("INSUFFICIENT_LIQUIDITY 422");
    const excludeDexIds = graph.dexes.map(({ id }) => id);
    expect(await problem({ ...ASK, excludeDexIds })).toBe("NO_ROUTE 404");
  });

  it("is refused where the request is malformed, with all issues", async () => {
    for (const body of ["", "{", "5", "[]", "null", '"x"', "\u0000", "[".repeat(60_000)]) {
      expect(await problem(body)).toBe("INVALID_REQUEST 400");
    }
    const { json } = await service.post("/ETH/quote", { tokenA: "0x12", amountIn: 5, foo: 1 });
    const issues = json.issues.map((issue: { code: string; path: string[] }) => issue);
    expect(issues).toMatchObject([
      { code: "unrecognized_key", path: ["foo"] },
      { code: "invalid_format", path: ["tokenA"] },
      { code: "invalid_type", path: ["tokenB"] },
      { code: "invalid_type", path: ["amountIn"] },
    ]);
    // A market file has no node that gives the gas price.
    expect(await problem({ ...ASK, gasAware: true })).toBe("INVALID_REQUEST 400");
    const both = { gasAware: true, gasPriceWei: "1" };
    expect(await problem({ ...ASK, ...both })).toBe("INVALID_REQUEST 400");
  });

  it("is refused with parameters in the address, which nothing would read", async () => {
    const { status, json } = await service.post("/ETH/quote?maxHops=1", ASK);
    expect(status).toBe(400);
    expect(json.issues).toMatchObject([{ code: "unrecognized_key", path: ["maxHops"] }]);
  });

  it("on a network that is not there is UNKNOWN_NETWORK", async () => {
    for (const id of ["BASE", "eth", "ETH%20", "__proto__"]) {
      const { status, json } = await service.post(`/${id}/quote`, ASK);
      expect([status, json.code]).toEqual([404, "UNKNOWN_NETWORK"]);
    }
  });

  it("over 64 KiB is PAYLOAD_TOO_LARGE", async () => {
    const { status, json } = await service.post("/ETH/quote", " ".repeat(65_537));
    expect([status, json.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  it("through a token whose behaviour is not known to be plain names it", async () => {
    const { status, json } = await service.post("/ETH/quote", { ...ASK, tokenB: AMPL });
    expect(status).toBe(200);
    expect(json.unverified).toContain(AMPL);
  });
});
