import { request } from "node:http";
import { BindError } from "@millrace/platform-uws";
import { beforeAll, describe, expect, it } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";
import { openReader, type StreamReader } from "../streaming/streamReader.ts";
import { Asker } from "./Asker.ts";

const QUOTE = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };
const QUOTE_COST = 10;
const CONNECTIONS_MAX = 5;
const BURST = 600;

let service: Service;
/** Open from the first test to the last. */
const readers: StreamReader[] = [];
beforeAll(async () => {
  const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  service = await startService({
    ...config,
    servingThreads: 2,
    streams: { ...config.streams, connectionsPerAddress: CONNECTIONS_MAX },
    limits: { ...config.limits, address: { perSecond: 1, burst: BURST } },
  });
});

describe("a service that two threads serve", () => {
  it("counts the WebSockets of an address, whichever threads have them", async () => {
    for (let count = 0; count < CONNECTIONS_MAX; count++) {
      readers.push(await openReader(service.url));
    }
    expect(await upgradeStatus(service)).toBe(429);
    await readers.pop()!.close();
    // Threads learn of closed connections a moment later.
    while ((await upgradeStatus(service)) !== 101);
  });

  it("has one budget for a client, whichever thread is asked", async () => {
    const askers = Array.from({ length: 16 }, () => new Asker(service.url));
    let granted = 0;
    let first = 0;
    let last = BURST;
    while (last >= QUOTE_COST) {
      const outcome = await askers[granted % askers.length]!.post("/ETH/quote", QUOTE);
      if ("failure" in outcome) throw new Error(outcome.failure);
      expect(outcome.status).toBe(200);
      const left = Number(/r=(\d+)/u.exec(String(outcome.headers["ratelimit"]))![1]);
      if (granted++ === 0) first = left;
      // Less by a quote each time, apart from the unit that comes back each second.
      else expect(left).toBeLessThan(last);
      last = left;
    }
    expect(first).toBeGreaterThan(BURST / 2);
    expect(granted).toBeGreaterThanOrEqual(Math.floor(first / QUOTE_COST) + 1);
    const statuses = await Promise.all(
      askers.map(async (asker) => {
        const outcome = await asker.post("/ETH/quote", { ...QUOTE, maxHops: 4, explain: true });
        asker.close();
        return "status" in outcome ? outcome.status : outcome.failure;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([429]));
  });

  it("shares its port with no other process, whatever serves there", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const port = Number(new URL(service.url).port);
    for (const servingThreads of [1, 2]) {
      const start = startService({ ...config, port, servingThreads });
      await expect(start).rejects.toBeInstanceOf(BindError);
    }
  });

  it("says goodbye on all of its threads when it ends", async () => {
    await service.stop();
    for (const { closed, messages } of readers) {
      expect((await closed).code).toBe(1012);
      expect(messages.at(-1)!.op).toBe("closing");
    }
    await expect(fetch(`${service.url}/health/live`)).rejects.toThrow();
  });
});

/** The status of an upgrade; a granted one is closed at once. */
function upgradeStatus({ url }: Service): Promise<number> {
  const headers = {
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AQIDBAUGBwgJCgsMDQ4PEA==",
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/ws`, { headers });
    asked.on("response", (response) => resolve(response.resume().statusCode!));
    asked.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve(101);
    });
    asked.on("error", reject);
    asked.end();
  });
}
