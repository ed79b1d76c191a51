import { checksumAddress, RefusalExplanationJson, SwapQuote } from "@millrace/api";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";
import { engineOf, pathsOf } from "./privateMarket.ts";

const service = recordedService();

const ASK = { tokenA: WETH, tokenB: USDC, amountIn: `1${"0".repeat(21)}` };
const PEPE = "0x6982508145454ce325ddbe47a25d4ec3d2311933";
const AMPL = "0xd46ba6d942050d489dbd938a2c909a5d5039a161";

const decodeQuote = Schema.decodeUnknownSync(SwapQuote);
const decodeRefusal = Schema.decodeUnknownSync(RefusalExplanationJson);

const quote = async (request: object) => {
  const { status, json } = await service.post("/ETH/quote", { ...ASK, ...request });
  expect(json).toMatchObject({ routePlan: expect.anything() });
  expect(status).toBe(200);
  return decodeQuote(json, { onExcessProperty: "error" });
};

const refusal = async (request: object) => {
  const { status, json } = await service.post("/ETH/quote", request);
  expect(json.status).toBe(status);
  const explanation = decodeRefusal(json.explanation, { onExcessProperty: "error" });
  return { code: json.code as string, explanation };
};

const total = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, one) => sum + one, 0);

describe("an explained quote", () => {
  it("is the same quote, with basis points that add up to what it is below the mid price", async () => {
    for (const change of [{}, { maxHops: 1 }, { maxSplits: 8 }, { tokenA: USDC, tokenB: PEPE }]) {
      const amountIn = "tokenA" in change ? "1000000000000" : ASK.amountIn;
      const answer = await quote({ ...change, amountIn, explain: true });
      const { explanation, ...plain } = answer;
      const { explanation: none, ...same } = await quote({ ...change, amountIn });
      expect(none).toBeUndefined();
      expect(plain).toEqual(same);
      const { midPrice, totalBps, feesBps, curveBps, steps } = explanation!;
      const given = Number(answer.tokenPrice);
      expect(10_000 * (1 - given / midPrice)).toBeCloseTo(totalBps, 4);
      expect(feesBps + curveBps).toBeCloseTo(totalBps, 6);
      expect(total(steps.map(({ feeBps }) => feeBps))).toBeCloseTo(feesBps, 6);
      expect(total(steps.map((step) => step.curveBps))).toBeCloseTo(curveBps, 6);
      expect(steps.map(({ poolAddress }) => poolAddress)).toEqual(
        answer.routePlan.map(({ poolAddress }) => poolAddress),
      );
    }
  });

  it("names the runner-up, which is what is quoted without one of its pools", async () => {
    const { explanation, routePlan, amountOut } = await quote({ explain: true });
    const { runnerUp } = explanation!;
    expect(BigInt(runnerUp!.amountOut)).toBeLessThanOrEqual(BigInt(amountOut));
    const outputs = await Promise.all(
      routePlan.map(async ({ poolAddress }) => await quote({ excludePools: [poolAddress] })),
    );
    const best = outputs.reduce((a, b) => (BigInt(b.amountOut) > BigInt(a.amountOut) ? b : a));
    expect(runnerUp).toMatchObject({ amountIn: ASK.amountIn, amountOut: best.amountOut });
    expect(runnerUp!.routePlan.at(-1)!.amountOut).toBe(best.amountOut);
    expect(runnerUp!.routePlan[0]!.poolAddress).toBe(
      checksumAddress(runnerUp!.routePlan[0]!.poolAddress.toLowerCase()),
    );
  });

  it("of an exact output has its reasons too", async () => {
    const request = { amountIn: undefined, amountOut: "2000000000000", explain: true };
    const { explanation, tokenPrice } = await quote(request);
    const { midPrice, totalBps } = explanation!;
    expect(10_000 * (1 - Number(tokenPrice) / midPrice)).toBeCloseTo(totalBps, 4);
    expect(BigInt(explanation!.runnerUp!.amountIn)).toBeGreaterThan(0n);
  });

  it("between the native token and its wrapped form loses nothing", async () => {
    const { explanation } = await quote({ tokenA: NATIVE, tokenB: WETH, explain: true });
    expect(explanation).toEqual({ midPrice: 1, totalBps: 0, feesBps: 0, curveBps: 0, steps: [] });
  });

  it("with splits explains every step of every path", async () => {
    const { explanation, routePlan } = await quote({
      amountIn: `2${"0".repeat(22)}`,
      maxSplits: 8,
      explain: true,
    });
    expect(explanation!.steps.length).toBe(routePlan.length);
    expect(pathsOf(routePlan).length).toBeLessThanOrEqual(8);
  });
});

describe("an explained refusal", () => {
  it("names the hops that it would take", async () => {
    const tokens = { tokenA: AMPL, tokenB: PEPE, amountIn: "1000000000000" };
    const { code, explanation } = await refusal({ ...tokens, maxHops: 1, explain: true });
    expect(code).toBe("NO_ROUTE");
    expect(explanation).toMatchObject({ limit: "hops", maxHops: 1 });
    const { neededHops } = explanation as { readonly neededHops: number };
    expect((await service.post("/ETH/quote", { ...tokens, maxHops: neededHops })).status).toBe(200);
  });

  it("blames the filter when it leaves no path", async () => {
    const excludeDexIds = engineOf(service).graph.dexes.map(({ id }) => id);
    expect(await refusal({ ...ASK, excludeDexIds, explain: true })).toMatchObject({
      code: "NO_ROUTE",
      explanation: { limit: "filter" },
    });
  });

  it("names the least amount that gives anything", async () => {
    const { code, explanation } = await refusal({ ...ASK, amountIn: "1", explain: true });
    expect([code, explanation.limit]).toEqual(["AMOUNT_TOO_SMALL", "leastAmount"]);
    const { amount } = explanation as { readonly amount: string };
    expect(BigInt((await quote({ amountIn: amount })).amountOut)).toBeGreaterThan(0n);
    const less = await service.post("/ETH/quote", { ...ASK, amountIn: `${BigInt(amount) - 1n}` });
    expect(less.json.code).toBe("AMOUNT_TOO_SMALL");
  });

  it("names an amount that the pools can fill, nearly the most", async () => {
    for (const side of ["amountIn", "amountOut"]) {
      const ask = { tokenA: WETH, tokenB: USDC, [side]: String(2n ** 255n) };
      const { code, explanation } = await refusal({ ...ask, explain: true });
      expect(code).toBe("INSUFFICIENT_LIQUIDITY");
      expect(["capacity", "gas"]).toContain(explanation.limit);
      const { amount } = explanation as { readonly amount: string };
      const fitting = await service.post("/ETH/quote", { ...ask, [side]: amount });
      expect(fitting.status).toBe(200);
      const more = await service.post("/ETH/quote", {
        ...ask,
        [side]: String((BigInt(amount) * 1_002n) / 1_000n),
      });
      expect(more.json.code).toBe("INSUFFICIENT_LIQUIDITY");
    }
  });

  it("says nothing of itself unless it is asked", async () => {
    const { json } = await service.post("/ETH/quote", { ...ASK, amountIn: "1", explain: false });
    expect(json.code).toBe("AMOUNT_TOO_SMALL");
    expect(json).not.toHaveProperty("explanation");
  });
});

describe("explanations under load", () => {
  it("explanations wait for their turn, and are refused when too many do", async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => service.post("/ETH/quote", { ...ASK, explain: true })),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses.has(200)).toBe(true);
    for (const { status, headers } of answers) {
      if (status !== 200) expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
    }
    expect(
      new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size,
    ).toBe(1);
  });
});
