import { describe, expect, it } from "vitest";
import { NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";

const service = recordedService({ MILLRACE_SEARCH_WORKERS: "1" });

const DAI = "0x6b175474e89094c44da98b954eedeac495271d0f";
const LINK = "0x514910771af9ca656af840dff83e8264ecf986ca";
const ETHER = 10n ** 18n;
/** A gas price at which a hop costs much more than it can gain. */
const DEAR = String(10n ** 13n);

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then check.
async function quoted(request: object): Promise<any> {
  const { status, json, text } = await service.post("/ETH/quote", request);
  expect(status, text).toBe(200);
  return json;
}

const ASKS = [
  { tokenA: WETH, tokenB: USDC, amountIn: String(300n * ETHER), maxSplits: 8 },
  { tokenA: NATIVE, tokenB: LINK, amountIn: String(50n * ETHER), maxSplits: 8 },
  { tokenA: USDC, tokenB: DAI, amountIn: String(10n ** 12n), maxSplits: 8 },
  { tokenA: WETH, tokenB: DAI, amountIn: String(ETHER), maxHops: 4 },
  { tokenA: DAI, tokenB: USDC, amountOut: String(10n ** 11n), maxSplits: 8 },
];

describe("the price of gas", () => {
  it("of nothing changes nothing", async () => {
    for (const ask of ASKS) {
      const { routePlan } = await quoted(ask);
      expect((await quoted({ ...ask, gasPriceWei: "0" })).routePlan).toEqual(routePlan);
      expect((await quoted({ ...ask, gasAware: false })).routePlan).toEqual(routePlan);
    }
  });

  it("lets a route use less gas for less of an output, or more of an input, never the reverse", async () => {
    let cheaper = 0;
    for (const ask of ASKS) {
      const plain = await quoted(ask);
      const net = await quoted({ ...ask, gasPriceWei: DEAR });
      expect(BigInt(net.amountOut)).toBeLessThanOrEqual(BigInt(plain.amountOut));
      expect(BigInt(net.amountIn)).toBeGreaterThanOrEqual(BigInt(plain.amountIn));
      expect(Number(net.gasEstimate)).toBeLessThanOrEqual(Number(plain.gasEstimate));
      if (Number(net.gasEstimate) < Number(plain.gasEstimate)) cheaper++;
    }
    expect(cheaper).toBeGreaterThan(1);
  });

  it("is minded by quotes of threads, explained ones, and those on top of assumptions", async () => {
    const [ask] = ASKS;
    const net = { ...ask, gasPriceWei: DEAR };
    const wide = await quoted({ ...ask, maxSplits: 64, maxHops: 4 });
    const heavy = await quoted({ ...net, maxSplits: 64, maxHops: 4 });
    expect(heavy.routePlan.length).toBeLessThan(wide.routePlan.length);
    const plain = await quoted(net);
    const explained = await quoted({ ...net, explain: true });
    expect(explained.routePlan).toEqual(plain.routePlan);
    const assume = [{ removePool: plain.routePlan[0].poolAddress }];
    const assumed = await quoted({ ...net, assume });
    const excluded = await quoted({ ...net, excludePools: [plain.routePlan[0].poolAddress] });
    expect(assumed.routePlan).toEqual(excluded.routePlan);
  });
});

describe("the gas of a quote", () => {
  it("is a whole number of what such a transaction uses, and grows with its hops", async () => {
    const one = await quoted({ tokenA: WETH, tokenB: USDC, amountIn: String(ETHER), maxHops: 1 });
    expect(one.gasEstimate).toMatch(/^[1-9][0-9]{4,5}$/);
    expect(Number(one.gasEstimate)).toBeGreaterThan(70_000);
    const many = await quoted(ASKS[0]!);
    expect(many.routePlan.length).toBeGreaterThan(2);
    expect(Number(many.gasEstimate)).toBeGreaterThan(2 * Number(one.gasEstimate));
  });

  it("of a deposit is far less", async () => {
    const { gasEstimate } = await quoted({ tokenA: NATIVE, tokenB: WETH, amountIn: "5" });
    expect(Number(gasEstimate)).toBeGreaterThan(21_000);
    expect(Number(gasEstimate)).toBeLessThan(60_000);
  });
});
