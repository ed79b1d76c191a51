import { readFileSync } from "node:fs";
import { SwapQuote } from "@millrace/api";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { DATA, NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";
import {
  engineOf,
  execute,
  executeForOutput,
  pathsOf,
  privateMarket,
  sum,
} from "./privateMarket.ts";

const service = recordedService({ MILLRACE_SEARCH_WORKERS: "1" });

const decode = Schema.decodeUnknownSync(SwapQuote);

async function quote(request: object): Promise<SwapQuote> {
  const { status, json } = await service.post("/ETH/quote", request);
  expect(json).toMatchObject({ routePlan: expect.anything() });
  expect(status).toBe(200);
  return decode(json, { onExcessProperty: "error" });
}

/** Recorded trades, a thousand times as large: one path is not enough for them. */
function largeTrades(count: number) {
  const text = readFileSync(`${DATA}ethereum-2026-03/workload-a.json`, "utf8");
  const { trades } = JSON.parse(text) as { trades: ReadonlyArray<[string, string, string]> };
  const { graph } = engineOf(service);
  return trades
    .filter(([tokenA, tokenB]) => graph.findToken(tokenA) !== undefined && graph.findToken(tokenB))
    .map(([tokenA, tokenB, amount]) => ({ tokenA, tokenB, amountIn: `${amount}000` }))
    .slice(0, count);
}

function expectWhole(answer: SwapQuote, maxHops: number, maxSplits: number): void {
  const paths = pathsOf(answer.routePlan);
  expect(paths.length).toBeLessThanOrEqual(maxSplits);
  expect(sum(paths.map((path) => path[0]!.amountIn))).toBe(answer.amountIn);
  expect(sum(paths.map((path) => path.at(-1)!.amountOut))).toBe(answer.amountOut);
  for (const path of paths) {
    expect(path.length).toBeLessThanOrEqual(maxHops);
    expect(path.at(-1)!.tokenB).toBe(answer.routePlan.at(-1)!.tokenB);
    const tokens = [path[0]!.tokenA, ...path.map(({ tokenB }) => tokenB)];
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const [index, step] of path.entries()) {
      if (index === 0) continue;
      expect([step.tokenA, step.amountIn]).toEqual([
        path[index - 1]!.tokenB,
        path[index - 1]!.amountOut,
      ]);
    }
  }
}

describe("a quote split over paths", () => {
  it("adds up, and gives in the pools exactly what each step says, never less than one path", async () => {
    let splitCount = 0;
    let answered = 0;
    for (const [index, trade] of largeTrades(30).entries()) {
      const maxSplits = [2, 8, 64][index % 3]!;
      const { status, json } = await service.post("/ETH/quote", { ...trade, maxSplits });
      const single = await service.post("/ETH/quote", trade);
      // More paths can take more, so only the split may have an answer.
      if (single.status === 200) expect(status).toBe(200);
      if (status !== 200) continue;
      answered++;
      const answer = decode(json, { onExcessProperty: "error" });
      expectWhole(answer, 3, maxSplits);
      expect(answer.amountIn).toBe(trade.amountIn);
      execute(privateMarket(engineOf(service)), answer.routePlan);
      if (pathsOf(answer.routePlan).length > 1) splitCount++;
      if (single.status !== 200) continue;
      expect(BigInt(answer.amountOut)).toBeGreaterThanOrEqual(BigInt(single.json.amountOut));
    }
    expect(answered).toBeGreaterThan(20);
    expect(splitCount).toBeGreaterThan(3);
  });

  it("of an exact output gives that, for no more than one path asks", async () => {
    for (const amountOut of ["1000000000", "100000000000", "3000000000000"]) {
      const asked = { tokenA: NATIVE, tokenB: USDC, amountOut };
      const split = await quote({ ...asked, maxSplits: 8 });
      const single = await quote(asked);
      expect(split).toMatchObject({ amountOut, exactOutput: true, isNativeIn: true });
      expectWhole(split, 3, 8);
      executeForOutput(privateMarket(engineOf(service)), split.routePlan);
      expect(BigInt(split.amountIn)).toBeLessThanOrEqual(BigInt(single.amountIn));
    }
  });

  it("names the factory of its first step, and every token that is not plain once", async () => {
    const pepe = "0x6982508145454ce325ddbe47a25d4ec3d2311933";
    const ask = { tokenA: pepe, tokenB: USDC, amountIn: `2${"0".repeat(29)}`, maxSplits: 8 };
    const { dexFactory, routePlan, unverified = [] } = await quote(ask);
    const { graph } = engineOf(service);
    const first = graph.findPool(routePlan[0]!.poolAddress)!;
    const { factory } = graph.dexes[graph.poolDex[first]!]!;
    expect(dexFactory.toLowerCase()).toBe(factory);
    expect(unverified).toContain(pepe);
    expect(new Set(unverified).size).toBe(unverified.length);
  });

  it("keeps to the DEXes and pools that it may use", async () => {
    const ask = { tokenA: WETH, tokenB: USDC, amountIn: `3${"0".repeat(21)}`, maxSplits: 8 };
    const free = await quote(ask);
    const excludePools = free.routePlan.slice(0, 2).map(({ poolAddress }) => poolAddress);
    const excludeDexIds = ["UNISWAP_V2"];
    const { routePlan } = await quote({ ...ask, excludePools, excludeDexIds });
    for (const { poolAddress, dexId } of routePlan) {
      expect(excludePools).not.toContain(poolAddress);
      expect(excludeDexIds).not.toContain(dexId);
    }
    const one = await quote({ ...ask, dexId: "UNISWAP_V3" });
    expect(new Set(one.routePlan.map(({ dexId }) => dexId))).toEqual(new Set(["UNISWAP_V3"]));
  });
});

describe("a certificate", () => {
  it("bounds what any number of paths gives, beside explanations and assumptions too", async () => {
    const most = 10n ** 21n;
    const asked = { tokenA: WETH, tokenB: USDC, amountIn: String(most) };
    const { certificate: none, ...plain } = await quote(asked);
    expect(none).toBeUndefined();
    const single = await quote({ ...asked, certify: true });
    expect(single).toEqual({ ...plain, certificate: single.certificate });
    const split = await quote({ ...asked, maxSplits: 64, certify: true });
    for (const { certificate, amountOut } of [single, split]) {
      const { bound, gapBps, hops } = certificate!;
      expect(BigInt(bound)).toBeGreaterThanOrEqual(BigInt(split.amountOut));
      expect(hops).toBe(3);
      const gap = (10_000 * Number(BigInt(bound) - BigInt(amountOut))) / Number(amountOut);
      expect(gapBps).toBeCloseTo(gap, 6);
    }
    expect(split.certificate!.gapBps).toBeLessThan(single.certificate!.gapBps);
    const pool = split.routePlan[0]!.poolAddress;
    const studied = await quote({
      ...asked,
      ...{ certify: true, explain: true, assume: [{ removePool: pool }] },
    });
    const without = await quote({ ...asked, certify: true, excludePools: [pool] });
    expect(studied.certificate).toEqual(without.certificate);
    const wrapping = await quote({ ...asked, tokenB: NATIVE, certify: true });
    expect(wrapping.certificate).toEqual({ bound: String(most), gapBps: 0, hops: 3 });
  });

  it("is met by as few paths as a request for a gap wants, which says so itself", async () => {
    const asked = { tokenA: WETH, tokenB: USDC, amountIn: String(10n ** 21n) };
    const loose = await quote({ ...asked, gapBps: 1_000 });
    const close = await quote({ ...asked, gapBps: 20 });
    const most = await quote({ ...asked, maxSplits: 64, certify: true });
    const paths = ({ routePlan }: typeof most) =>
      routePlan.filter(({ tokenA }) => tokenA === most.routePlan[0]!.tokenA).length;
    expect(loose.certificate!.gapBps).toBeLessThanOrEqual(1_000);
    expect(close.certificate!.gapBps).toBeLessThanOrEqual(20);
    expect(paths(loose)).toBeLessThan(paths(close));
    expect(paths(close)).toBeLessThan(paths(most));
    const studied = await quote({ ...asked, gapBps: 0.01, explain: true });
    expect(paths(studied)).toBeLessThanOrEqual(8);
    expect(studied.certificate!.gapBps).toBeGreaterThan(0.01);
    const wrapping = await quote({ ...asked, tokenB: NATIVE, gapBps: 1 });
    expect(wrapping.certificate).toEqual({ bound: asked.amountIn, gapBps: 0, hops: 3 });
  });

  it("is not asked for together with a number of paths, or beyond what makes sense", async () => {
    const asked = { tokenA: WETH, tokenB: USDC, amountIn: "1000" };
    for (const wrong of [{ gapBps: 1, maxSplits: 2 }, { gapBps: 0.001 }, { gapBps: "1" }]) {
      const { status, json } = await service.post("/ETH/quote", { ...asked, ...wrong });
      expect(status).toBe(400);
      expect(json).toMatchObject({ code: "INVALID_REQUEST", issues: [{ path: ["gapBps"] }] });
    }
  });

  it("bounds what has to go in for an exact output", async () => {
    const asked = { tokenA: WETH, tokenB: USDC, amountOut: String(10n ** 12n), certify: true };
    const single = await quote(asked);
    const split = await quote({ ...asked, maxSplits: 64 });
    for (const { certificate } of [single, split]) {
      expect(BigInt(certificate!.bound)).toBeLessThanOrEqual(BigInt(split.amountIn));
    }
    expect(split.certificate!.gapBps).toBeLessThan(100);
  });
});
