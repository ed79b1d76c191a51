import { describe, expect, it } from "vitest";
import { NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";

// The recorded market has PancakeSwap and SushiSwap, which the Universal Router does not reach. It
// has no node, so all routes are the default.

const service = recordedService();

const DAI = "0x6b175474e89094c44da98b954eedeac495271d0f";
const LINK = "0x514910771af9ca656af840dff83e8264ecf986ca";
const SENDER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const ETHER = 10n ** 18n;
const REACHED = ["UNISWAP_V2", "UNISWAP_V3"];

const ASKS = [
  { tokenA: NATIVE, tokenB: USDC, amountIn: String(ETHER) },
  { tokenA: WETH, tokenB: LINK, amountIn: String(300n * ETHER), maxHops: 4 },
  { tokenA: USDC, tokenB: LINK, amountIn: String(10n ** 12n), maxSplits: 16 },
  { tokenA: DAI, tokenB: USDC, amountOut: String(10n ** 11n) },
  { tokenA: LINK, tokenB: DAI, amountOut: String(10n ** 22n), maxHops: 4 },
  { tokenA: WETH, tokenB: DAI, amountOut: String(10n ** 23n), maxSplits: 8, explain: true },
];

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then check.
async function quoted(request: object): Promise<any> {
  const { status, json, text } = await service.post("/ETH/quote", request);
  expect(status, text).toBe(200);
  return json;
}

describe("an executable quote", () => {
  it("goes through what one router reaches, and becomes a swap", async () => {
    for (const ask of ASKS) {
      const quote = await quoted({ ...ask, executable: true });
      expect(quote.executable).toBe(true);
      const dexIds: string[] = quote.routePlan.map(({ dexId }: { dexId: string }) => dexId);
      expect(dexIds.filter((id) => !REACHED.includes(id))).toEqual([]);
      const { status, text } = await service.post("/ETH/swap", { publicKey: SENDER, quote });
      expect(status, text).toBe(200);
    }
  });

  it("is the best of them: leaving out all others by hand gives no more", async () => {
    const dexes: ReadonlyArray<{ dexId: string }> = (await service.get("/ETH/dexes")).json.result;
    const excludeDexIds = dexes.map(({ dexId }) => dexId).filter((id) => !REACHED.includes(id));
    expect(excludeDexIds.length).toBeGreaterThan(0);
    for (const ask of ASKS.filter(({ amountOut }) => amountOut === undefined)) {
      const quote = await quoted({ ...ask, executable: true });
      const byHand = await quoted({ ...ask, excludeDexIds });
      expect(quote.routePlan).toEqual(byHand.routePlan);
    }
    for (const ask of ASKS.filter(({ amountOut }) => amountOut !== undefined)) {
      const quote = await quoted({ ...ask, executable: true });
      // The router supports no exact output over mixed kinds of pools on a path.
      const byHand = await Promise.all(
        REACHED.map((dexId) => service.post("/ETH/quote", { ...ask, dexId })),
      );
      const least = byHand
        .filter(({ status }) => status === 200)
        .map(({ json }) => BigInt(json.amountIn))
        .sort((a, b) => (a < b ? -1 : 1));
      expect(BigInt(quote.amountIn)).toBe(least[0]);
    }
  });

  it("is not asked for by default without a node, and says where it is none", async () => {
    const answers = await Promise.all(ASKS.map((ask) => quoted(ask)));
    expect(answers.filter(({ executable }) => !executable).length).toBeGreaterThan(0);
    for (const [index, ask] of ASKS.entries()) {
      const all = await quoted({ ...ask, executable: false });
      expect(all.routePlan).toEqual(answers[index].routePlan);
      const { status, json } = await service.post("/ETH/swap", { publicKey: SENDER, quote: all });
      expect(status).toBe(all.executable ? 200 : 422);
      if (!all.executable) expect(json.detail).toContain('"executable": true');
    }
  });

  it("keeps to a DEX that is asked for, and to what is excluded", async () => {
    const [ask] = ASKS;
    const both = { ...ask, executable: true, dexId: "UNISWAP_V2" };
    expect((await quoted(both)).routePlan.map(({ dexId }: { dexId: string }) => dexId)).toContain(
      "UNISWAP_V2",
    );
    const none = await service.post("/ETH/quote", { ...both, dexId: "PANCAKESWAP_V2" });
    expect([none.status, none.json.code]).toEqual([404, "NO_ROUTE"]);
    const left = await service.post("/ETH/quote", {
      ...ask,
      executable: true,
      excludeDexIds: REACHED,
    });
    expect([left.status, left.json.code]).toEqual([404, "NO_ROUTE"]);
  });

  it("of native to wrapped is executable by the token itself", async () => {
    expect((await quoted({ tokenA: NATIVE, tokenB: WETH, amountIn: "5" })).executable).toBe(true);
  });
});
