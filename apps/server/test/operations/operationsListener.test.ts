import { Readiness } from "@millrace/api";
import { freePort } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A } from "../kit/service.ts";

let service: Service;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  service = await startService({
    ...config,
    limits: { ...config.limits, address: { perSecond: 1, burst: 60 } },
    operations: { host: "127.0.0.1", port },
  });
});
afterAll(() => service.stop());

const OF_OPERATORS = ["/metrics", "/health/live", "/health/ready", "/health/ready/ETH"];

describe("a listener for operators", () => {
  it("serves metrics and health, which are gone from the public port", async () => {
    for (const path of OF_OPERATORS) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    }
    const { ready } = Schema.decodeUnknownSync(Readiness)(
      await (await fetch(`${url}/health/ready`)).json(),
    );
    expect(ready).toBe(true);
    // One form of each path, so that the budget is enough.
    for (const path of ["/metrics", "/METRICS/", "/%6detrics", "/health/live"]) {
      const { status, json } = await service.get(path);
      expect([path, status, json.code]).toEqual([path, 404, "NOT_FOUND"]);
    }
  });

  it("serves nothing else", async () => {
    for (const path of ["/networks", "/tokens", "/ETH/tokenList", "/docs", "/", "/ws"]) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
    }
    const quote = await fetch(`${url}/ETH/quote`, { method: "POST", body: "{}" });
    expect(quote.status).toBe(404);
  });

  it("limits nobody, and lets no page of another origin read", async () => {
    const headers = { origin: "https://page.example" };
    for (let count = 0; count < 100; count++) {
      const { status, headers: told } = await fetch(`${url}/metrics`, { headers });
      expect([status, told.get("ratelimit")]).toEqual([200, null]);
      expect(told.get("access-control-allow-origin")).toBeNull();
    }
  });
});
