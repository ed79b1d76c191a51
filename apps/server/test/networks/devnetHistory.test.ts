import { CANDLE_INTERVALS } from "@millrace/api";
import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startConfigured } from "../kit/service.ts";

const HOUR_MS = 3_600_000;

let service: Service;
let startedMs: number;
beforeAll(async () => {
  const source = { kind: "devnet", market: "ETH", trafficEveryMs: 1_000 };
  service = await startConfigured({
    networks: [{ id: "ETH", name: "Devnet", chainId: 0x6d696c01, source, headAgeLimitMs: null }],
  });
  startedMs = Date.now();
  await eventually(async () => (await read("/networks")).result[0].history.complete);
}, 90_000);
afterAll(() => service?.stop());

const read = async (path: string) => {
  const { status, json } = await service.get(path);
  expect(status).toBe(200);
  return json;
};

interface Listed {
  readonly symbol: string;
  readonly address: string;
  readonly [figure: string]: unknown;
}

const tokens = async (): Promise<ReadonlyArray<Listed>> => (await read("/tokens?limit=100")).data;
const weth = async () => (await tokens()).find(({ symbol }) => symbol === "WETH")!;

describe("a devnet that a service starts", () => {
  it("has candles of all intervals of a day before it was there", async () => {
    const { address } = await weth();
    for (const interval of CANDLE_INTERVALS) {
      const { data } = await read(`/tokens/${address}/candles?interval=${interval}&limit=200`);
      expect(data.length).toBeGreaterThan(0);
      expect(data[0].timestamp).toBeLessThan(startedMs - 22 * HOUR_MS);
      for (const { low, high, volume } of data) {
        expect(low).toBeGreaterThan(3_000);
        expect(high).toBeLessThan(4_000);
        expect(volume).toBeGreaterThan(0);
      }
    }
    const { data: hours } = await read(`/tokens/${address}/candles?interval=1h`);
    expect(hours.length).toBeGreaterThanOrEqual(24);
  });

  it("has volumes of a day, each window more than the shorter ones, and no more than it holds", async () => {
    // Lists follow when the history is complete.
    const volumes = await eventually(async () => {
      const { volume24h, volume6h, volume1h, volume5m, liquidity } = await weth();
      const found = [volume5m, volume1h, volume6h, volume24h, liquidity].map(Number);
      return found.every((volume, index) => volume > (found[index - 1] ?? 0)) && found;
    });
    expect(volumes).toHaveLength(5);
  });

  it("has trades of the day", async () => {
    const { data: pools } = await read("/pools?limit=50&sort=-liquidityUsd");
    const deepest = pools.find(
      ({ dexName, symbol0, symbol1 }: Record<string, string>) =>
        dexName === "Uniswap V3" && [symbol0, symbol1].sort().join() === "USDC,WETH",
    );
    const { data } = await read(`/pools/${deepest.poolAddress}/trades?limit=100`);
    const oldestMs = Math.min(...data.map(({ timestamp }: { timestamp: number }) => timestamp));
    expect(data.length).toBeGreaterThan(3);
    expect(oldestMs).toBeLessThan(startedMs - 6 * HOUR_MS);
  });

  it("has market caps of tokens as small and as large as real ones", async () => {
    const caps = await eventually(async () => {
      // HONEY cannot be sold: once its verdict is known, it has no market value.
      const sellable = (await tokens()).filter(({ symbol }) => symbol !== "HONEY");
      const known = sellable.map(({ marketCap }) => Number(marketCap));
      return known.every(Number.isFinite) ? known : undefined;
    });
    expect(Math.min(...caps)).toBeLessThan(1e9);
    expect(Math.max(...caps)).toBeGreaterThan(1e10);
    expect(Math.max(...caps)).toBeLessThan(1e11);
    expect(new Set(caps.map((cap) => Math.round(cap / 1e6))).size).toBeGreaterThan(10);
  });
});
