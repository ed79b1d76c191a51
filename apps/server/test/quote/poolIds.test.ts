import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SwapQuote } from "@millrace/api";
import { sqrtRatioAtTick } from "@millrace/core";
import { eventually } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configOf, issuesOf, type Service, startService, USDC, WETH } from "../kit/service.ts";
import { openReader } from "../streaming/streamReader.ts";

/** Of Ethereum, as EIP-55 writes it. */
const POOL_MANAGER = "0x000000000004444c5dc75cB358380D2e3dE08A90";
const CHEAP = `0x${"21c67e77068de97969ba93d4aab21826"}${"d33ca12bb9f565d8496e8fda8a82ca27"}`;
const DEAR = `0x${"e018f09af38956affdfeab72c2cefbcd"}${"4e6fee44d09df7525ec9dba3e51356a5"}`;
const PAIR = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const TICK = 196_200; // about 3,000 USDC for a WETH

const pool = (id: string, lpFee: string) => ({
  id,
  kind: "uniswap-v4",
  tokens: [USDC, WETH],
  state: {
    sqrtPriceX96: `${sqrtRatioAtTick(TICK)}`,
    tick: `${TICK}`,
    liquidity: `1${"0".repeat(18)}`,
    tickSpacing: "60",
    ticks: [
      [`${TICK - 60_000}`, `1${"0".repeat(18)}`],
      [`${TICK + 60_000}`, `-1${"0".repeat(18)}`],
    ],
    lpFee,
    protocolFee: "0",
  },
});

const market = {
  chainId: 1,
  block: 7,
  tokens: [
    { address: USDC, symbol: "USDC", decimals: 6 },
    { address: WETH, symbol: "WETH", decimals: 18 },
  ],
  pools: [
    pool(CHEAP, "500"),
    pool(DEAR, "10000"),
    {
      ...{ id: PAIR, kind: "v2", token0: USDC, token1: WETH, fee: 3000 },
      ...{ reserve0: "3000000000", reserve1: `1${"0".repeat(18)}` },
    },
  ],
  updates: [],
};

const ASK = { tokenA: USDC, tokenB: WETH, amountIn: "1000000000" };

let service: Service;
let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pool-ids-"));
  const path = join(folder, "market.json");
  writeFileSync(path, JSON.stringify(market));
  service = await startService(await configOf({ MILLRACE_MARKET_FILE: path }));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const decode = Schema.decodeUnknownSync(SwapQuote);
const upper = (id: string) => `0x${id.slice(2).toUpperCase()}`;

async function quote(request: object): Promise<SwapQuote> {
  const { status, json } = await service.post("/ETH/quote", { ...ASK, ...request });
  expect({ status, json }).toMatchObject({ status: 200 });
  return decode(json, { onExcessProperty: "error" });
}

const through = ({ routePlan }: SwapQuote) =>
  routePlan.map(({ poolId, poolAddress }) => poolId ?? poolAddress.toLowerCase());

const problem = async (path: string, body: object) => (await service.post(path, body)).json.code;

describe("a pool with an id of 32 bytes", () => {
  it("is named by contract and id in a step, and in what explains it", async () => {
    const { routePlan, dexFactory, explanation } = await quote({ explain: true });
    const names = { poolAddress: POOL_MANAGER, poolId: CHEAP };
    expect(routePlan).toMatchObject([{ ...names, dexId: "UNISWAP_V4", fee: 500 }]);
    expect(explanation!.steps).toMatchObject([names]);
    expect(explanation!.runnerUp!.routePlan).toMatchObject([{ poolAddress: expect.anything() }]);
    expect(dexFactory).toBe(POOL_MANAGER);
  });

  it("is left out by its id in any case, with no other pool of its contract", async () => {
    expect(through(await quote({ excludePools: [upper(CHEAP)] }))).toEqual([DEAR]);
    expect(through(await quote({ excludePools: [CHEAP, DEAR] }))).toEqual([PAIR]);
    const { routePlan } = await quote({ excludePools: [CHEAP, DEAR] });
    expect(Object.keys(routePlan[0]!)).not.toContain("poolId");
  });

  it("is neither its contract nor an id that begins alike", async () => {
    for (const other of [POOL_MANAGER, `${CHEAP.slice(0, -1)}0`, `${PAIR}${"0".repeat(24)}`]) {
      const request = { ...ASK, excludePools: [other] };
      expect(await problem("/ETH/quote", request)).toBe("UNKNOWN_POOL");
      expect((await service.get(`/pools/${other}`)).status).toBe(404);
    }
    const { json } = await service.post("/ETH/quote", { ...ASK, excludePools: [`${CHEAP}0`] });
    expect(json).toMatchObject({ code: "INVALID_REQUEST", issues: [{ code: "invalid_format" }] });
  });

  it("is assumed to be gone, or swapped through, as an answer named it", async () => {
    expect(through(await quote({ assume: [{ removePool: CHEAP }] }))).toEqual([DEAR]);
    const earlier = await quote({});
    const later = await quote({ assume: [{ routePlan: earlier.routePlan }] });
    expect(through(later)).toEqual([CHEAP]);
    expect(BigInt(later.amountOut)).toBeLessThan(BigInt(earlier.amountOut));
    const [step] = earlier.routePlan;
    const unknown = { ...step!, poolId: upper(CHEAP).replace(/7$/, "8") };
    const request = { ...ASK, assume: [{ routePlan: [unknown] }] };
    expect(await problem("/ETH/quote", request)).toBe("UNKNOWN_POOL");
  });

  it("is found, listed and sorted by the names of the market data", async () => {
    const { json } = await service.get(`/pools/${upper(DEAR)}`);
    expect(json.data).toMatchObject({
      ...{ poolAddress: POOL_MANAGER, poolId: DEAR, protocol: "uniswap-v4" },
      ...{ fee: 10_000, token0: USDC, token1: WETH, token0Details: { address: USDC } },
    });
    for (const path of ["trades", "candles"]) {
      expect((await service.get(`/pools/${DEAR}/${path}`)).status).toBe(200);
    }
    const malformed = await service.get(`/pools/${DEAR}0`);
    expect(issuesOf(malformed)).toMatchObject([{ code: "invalid_format", path: ["address"] }]);
    for (const [sort, sign] of [
      ["poolAddress", 1],
      ["-poolAddress", -1],
    ] as const) {
      const list = await service.get(`/pools?sort=${sort}`);
      const addresses = list.json.data.map((each: { poolAddress: string }) =>
        each.poolAddress.toLowerCase(),
      );
      expect(addresses).toEqual(addresses.toSorted(inOrder(sign)));
    }
  });

  it("sets prices, which name it by its id", async () => {
    const { json } = await service.get(`/tokens/${WETH}/price`);
    expect(json.data.price).toBeGreaterThan(0);
    const named: string[] = json.data.pools;
    for (const each of named) expect((await service.get(`/pools/${each}`)).status).toBe(200);
  });

  it("is streamed by its id", async () => {
    const reader = await openReader(service.url);
    const subscription = await reader.subscribe({ channel: "pool", network: "ETH", pool: CHEAP });
    const snapshot = await eventually(() => reader.told(subscription)[0]);
    expect(snapshot).toMatchObject({ data: { poolAddress: POOL_MANAGER, poolId: CHEAP } });
    reader.send({ op: "subscribe", id: 9, channel: "pool", network: "ETH", pool: POOL_MANAGER });
    expect(await reader.answered(9)).toMatchObject({ op: "error", code: "UNKNOWN_POOL" });
    await reader.close();
  });

  it("is known to swaps by its id", async () => {
    const order = { publicKey: `0x${"70".repeat(20)}`, quote: await quote({ executable: false }) };
    // No router of the network can execute such pools.
    expect(await problem("/ETH/swap", order)).toBe("NO_ROUTER");
    const [step] = order.quote.routePlan;
    for (const poolId of [`${CHEAP.slice(0, -1)}0`, CHEAP.replace("0x2", "0x3")]) {
      const unknown = { ...order, quote: { ...order.quote, routePlan: [{ ...step, poolId }] } };
      expect(await problem("/ETH/swap", unknown)).toBe("UNKNOWN_POOL");
    }
    const recipient = POOL_MANAGER;
    expect(await problem("/ETH/swap", { ...order, recipient })).toBe("INVALID_REQUEST");
  });
});

const inOrder = (sign: 1 | -1) => (a: string, b: string) => (a < b ? -sign : a > b ? sign : 0);
