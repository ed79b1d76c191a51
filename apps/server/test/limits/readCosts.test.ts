import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  configOf,
  type Service,
  startService,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";

const BURST = 100;

/** The test acts as a proxy, so that each test has clients of its own. */
let limited: Service;
beforeAll(async () => {
  const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  const address = { perSecond: 1, burst: BURST };
  limited = await startService({
    ...config,
    limits: { ...config.limits, address, trustedProxies: ["127.0.0.1"] },
  });
});
afterAll(() => limited.stop());

const get = (path: string, client: string) =>
  limited.request(path, { headers: { "x-forwarded-for": client } });

const leftOf = ({ headers }: Answer): number =>
  Number(/;r=(\d+);/.exec(headers.get("ratelimit")!)![1]);

const spend = (client: string) =>
  limited.request("/ETH/quote", {
    method: "POST",
    headers: { "x-forwarded-for": client },
    body: JSON.stringify({ tokenA: WETH, tokenB: USDC, amountIn: "1000000000", maxSplits: 60 }),
  });

describe("a client that reads", () => {
  it("pays for metrics and documents, which are refused as all else", async () => {
    const paths = ["/metrics", "/docs", "/openapi.json", "/asyncapi.json"];
    for (const [index, path] of paths.entries()) {
      const paid = await get(path, `192.0.2.${40 + index}`);
      expect(paid.status).toBe(200);
      expect(leftOf(paid)).toBeLessThanOrEqual(BURST - 10);
    }
    await spend("192.0.2.14");
    for (const path of paths) {
      const { status, headers } = await get(path, "192.0.2.14");
      expect([path, status]).toEqual([path, 429]);
      expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
  });

  it("pays for what a list holds: first for what was asked, then for what was sent", async () => {
    const page = await get("/tokens?limit=500&sort=symbol", "192.0.2.50");
    expect(page.status).toBe(200);
    // It costs more than a full budget, which pays it and then owes the rest.
    expect(leftOf(page)).toBe(0);
    const waited = Number(/t=(\d+)/.exec(page.headers.get("ratelimit")!)![1]);
    expect(waited).toBeGreaterThan(1.5 * BURST);
    expect((await get("/networks", "192.0.2.50")).status).toBe(429);
    const none = await get("/tokens?limit=500&symbol=nosuch", "192.0.2.51");
    expect(leftOf(none)).toBe(BURST - 50);
    const all = await get("/ETH/tokenList", "192.0.2.52");
    expect(leftOf(all)).toBeLessThan(BURST - 20);
  });

  it("pays for a search for cycles once, and who has too little has none begun", async () => {
    const begun = () => limited.networks.primary.market!.engine.graph.version;
    const version = begun();
    const found = await get("/ETH/cycles?maxHops=2", "192.0.2.54");
    expect(found.status).toBe(200);
    expect(leftOf(found)).toBe(0);
    const waited = Number(/t=(\d+)/.exec(found.headers.get("ratelimit")!)![1]);
    expect(waited).toBeGreaterThan(9 * BURST);
    // The market has not changed, and a cached answer costs no search.
    const kept = await get("/ETH/cycles?maxHops=2", "192.0.2.55");
    expect(begun()).toBe(version);
    expect(leftOf(kept)).toBeGreaterThan(BURST / 2);
    await spend("192.0.2.56");
    const refused = await get("/ETH/cycles?maxHops=3", "192.0.2.56");
    expect([refused.status, refused.json.code]).toEqual([429, "RATE_LIMITED"]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    const partly = "192.0.2.57";
    await get("/networks", partly);
    const short = await get("/ETH/cycles?maxHops=3", partly);
    expect(short.status).toBe(429);
    const retry = Number(short.headers.get("retry-after"));
    expect(retry).toBe(Number(/t=(\d+)/.exec(short.headers.get("ratelimit")!)![1]));
  });

  it("is charged for a list before it is made: who has too little costs nothing", async () => {
    await spend("192.0.2.53");
    let asked = false;
    const { market } = limited.networks.primary;
    const { tokens } = market!.data;
    Object.assign(market!.data, {
      tokens: (query: never) => {
        asked = true;
        return tokens(query);
      },
    });
    const { status } = await get("/tokens?limit=500&sort=name", "192.0.2.53");
    Object.assign(market!.data, { tokens });
    expect([status, asked]).toEqual([429, false]);
  });
});
