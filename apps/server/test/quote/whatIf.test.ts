import { SwapQuote } from "@millrace/api";
import { constantProduct, encodeReserves } from "@millrace/protocols";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { recordedService, USDC, WETH } from "../kit/service.ts";
import { engineOf, execute, privateMarket } from "./privateMarket.ts";

const service = recordedService();

const AMOUNT = 3n * 10n ** 20n;
const ASK = { tokenA: WETH, tokenB: USDC, amountIn: String(AMOUNT) };
const NOWHERE = `0x${"1".repeat(40)}`;

const decode = Schema.decodeUnknownSync(SwapQuote);

async function quote(request: object): Promise<SwapQuote> {
  const { status, json } = await service.post("/ETH/quote", { ...ASK, ...request });
  expect(json).toMatchObject({ routePlan: expect.anything() });
  expect(status).toBe(200);
  return decode(json, { onExcessProperty: "error" });
}

/** A market's answer to the same request. */
function outputOf({ graph, router }: ReturnType<typeof privateMarket>, maxSplits = 1): string {
  const result = router.quote({
    tokenIn: graph.findToken(WETH)!,
    tokenOut: graph.findToken(USDC)!,
    kind: "exactIn",
    amount: AMOUNT,
    maxHops: 3,
    maxSplits,
  });
  return result.found ? String(result.amountOut) : result.reason;
}

/** A constant-product pool on the best route of its own DEX. */
async function pairOnTheWay(): Promise<string> {
  const { routePlan } = await quote({ dexId: "UNISWAP_V2", maxHops: 1 });
  return routePlan[0]!.poolAddress;
}

describe("a quote on top of assumptions", () => {
  it("avoids a pool that is assumed to be gone, as one that is excluded", async () => {
    const free = await quote({});
    const gone = free.routePlan.map(({ poolAddress }) => poolAddress);
    const assumed = await quote({ assume: gone.map((removePool) => ({ removePool })) });
    expect(assumed).toEqual(await quote({ excludePools: gone }));
    expect(assumed.amountOut).not.toBe(free.amountOut);
  });

  it("is what the market says once an earlier quote has been executed", async () => {
    for (const maxSplits of [1, 8]) {
      const earlier = await quote({ maxSplits });
      const real = privateMarket(engineOf(service));
      execute(real, earlier.routePlan);
      const assumed = await quote({ maxSplits, assume: [{ routePlan: earlier.routePlan }] });
      expect(assumed.amountOut).toBe(outputOf(real, maxSplits));
      expect(BigInt(assumed.amountOut)).toBeLessThan(BigInt(earlier.amountOut));
      execute(real, assumed.routePlan);
    }
  });

  it("is what the market says with other reserves in a pool", async () => {
    const address = await pairOnTheWay();
    const real = privateMarket(engineOf(service));
    const pool = real.graph.findPool(address)!;
    const family = real.families[real.graph.poolCurve[pool]!]!;
    const richer = family.tokenAmounts(pool).map((amount) => amount * 1_000n);
    const state = encodeReserves(richer);
    real.writer.applySwap({ pool, amountIn: 0n, amountOut: 0n, state });
    const assume = [{ pool: address, reserves: richer.map(String) }];
    const assumed = await quote({ assume });
    expect(assumed.amountOut).toBe(outputOf(real));
    expect(assumed.routePlan.map(({ poolAddress }) => poolAddress)).toContain(address);
    execute(real, assumed.routePlan);
  });

  it("takes a step the other way round, and ignores what it does not need of one", async () => {
    const { routePlan } = await quote({});
    const turned = routePlan.map(({ poolAddress, tokenA, tokenB, amountIn }) => ({
      poolAddress,
      tokenA: tokenB,
      tokenB: tokenA,
      aToB: false,
      amountIn,
      fee: "anything",
      dexId: null,
    }));
    const assumed = await quote({ assume: [{ routePlan: turned }] });
    expect(assumed).toEqual(await quote({ assume: [{ routePlan }] }));
  });

  it("builds each on those before, and leaves the market as it is", async () => {
    const before = await quote({});
    const [first] = before.routePlan;
    const step = { routePlan: [first] };
    const twice = await quote({ assume: [step, step] });
    const once = await quote({ assume: [step] });
    expect(BigInt(twice.amountOut)).toBeLessThan(BigInt(before.amountOut));
    expect(twice.amountOut).not.toBe(once.amountOut);
    expect(await quote({})).toEqual(before);
    expect(await quote({ assume: [] })).toEqual(before);
  });

  it("can be explained", async () => {
    const { routePlan } = await quote({});
    const { explanation, tokenPrice } = await quote({ assume: [{ routePlan }], explain: true });
    const { midPrice, totalBps } = explanation!;
    expect(10_000 * (1 - Number(tokenPrice) / midPrice)).toBeCloseTo(totalBps, 4);
    const pools = engineOf(service).graph.dexes.map(({ id }) => id);
    const { json } = await service.post("/ETH/quote", {
      ...ASK,
      excludeDexIds: pools,
      assume: [{ routePlan }],
      explain: true,
    });
    expect(json).toMatchObject({ code: "NO_ROUTE", explanation: { limit: "filter" } });
  });
});

describe("an assumption that cannot be made", () => {
  const problem = async (assume: unknown) => {
    const { status, json } = await service.post("/ETH/quote", { ...ASK, assume });
    expect(json.status).toBe(status);
    const places = json.issues?.map(({ path }: { path: unknown[] }) => path.join("."));
    return [json.code, status, ...(places ?? [])].join(" ");
  };

  it("names the pool that is not there", async () => {
    const { routePlan } = await quote({});
    const unknown = "UNKNOWN_POOL 422";
    expect(await problem([{ removePool: NOWHERE }])).toBe(unknown);
    expect(await problem([{ pool: NOWHERE, reserves: ["1", "1"] }])).toBe(unknown);
    expect(await problem([{ routePlan: [{ ...routePlan[0], poolAddress: NOWHERE }] }])).toBe(
      unknown,
    );
  });

  it("is told with its place", async () => {
    const { routePlan } = await quote({});
    const step = routePlan[0]!;
    const pair = await pairOnTheWay();
    const { graph } = engineOf(service);
    const isPair = (pool: string) =>
      graph.curveNames[graph.poolCurve[graph.findPool(pool)!]!] === constantProduct.name;
    const { routePlan: concentrated } = await quote({ dexId: "UNISWAP_V3", maxHops: 1 });
    expect([isPair(pair), isPair(concentrated[0]!.poolAddress)]).toEqual([true, false]);
    const wrong = (...assume: unknown[]) => problem(assume);
    expect(await wrong({ pool: concentrated[0]!.poolAddress, reserves: ["1", "1"] })).toBe(
      "INVALID_REQUEST 400 assume.0.pool",
    );
    expect(await wrong({ pool: pair, reserves: ["1", String(2n ** 128n)] })).toBe(
      "INVALID_REQUEST 400 assume.0.reserves.1",
    );
    expect(await wrong({ pool: pair, reserves: ["1", String(2n ** 128n - 1n)] })).toBe(
      "INVALID_REQUEST 400 assume.0.reserves",
    );
    const place = "INVALID_REQUEST 400 assume.1.routePlan.1";
    const second = (change: object) =>
      wrong({ removePool: pair }, { routePlan: [step, { ...step, ...change }] });
    expect(await second({ tokenA: NOWHERE })).toBe(`${place}.tokenA`);
    expect(await second({ tokenB: NOWHERE })).toBe(`${place}.tokenB`);
    expect(await second({ tokenB: step.tokenA })).toBe(`${place}.tokenB`);
    expect(await second({ amountIn: "0" })).toBe(`${place}.amountIn`);
    expect(await second({ amountIn: String(2n ** 255n) })).toBe(place);
    expect(await wrong({ removePool: step.poolAddress }, { routePlan: [step] })).toBe(
      "INVALID_REQUEST 400 assume.1.routePlan.0",
    );
    expect(await wrong({ removePool: "0x1" })).toBe("INVALID_REQUEST 400 assume.0.removePool");
  });

  it("in great number is refused quickly, or computed", async () => {
    const { routePlan } = await quote({});
    const steps = (count: number) =>
      Array.from({ length: count }, () => {
        const { poolAddress, tokenA, tokenB } = routePlan[0]!;
        return { poolAddress, tokenA, tokenB, amountIn: "1000000000000000" };
      });
    await quote({ assume: [{ routePlan: steps(128) }, { routePlan: steps(128) }] });
    expect(await problem([{ routePlan: steps(257) }])).toBe("INVALID_REQUEST 400 assume");
    const many = Array(33).fill({ removePool: routePlan[0]!.poolAddress });
    expect(await problem(many)).toBe("INVALID_REQUEST 400 assume");
    expect(await problem(many.slice(1))).toBe("INVALID_REQUEST 400 assume.1.removePool");
  });
});
