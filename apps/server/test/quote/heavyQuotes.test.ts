import { request } from "node:http";
import type { SwapQuote } from "@millrace/api";
import { openSnapshot } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  configOf,
  type Service,
  startConfigured,
  startService,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";
import { engineOf, execute } from "./privateMarket.ts";

const start = async (searchWorkers: number) =>
  startService(
    await configOf({
      MILLRACE_MARKET_FILE: UNIVERSE_A,
      MILLRACE_SEARCH_WORKERS: String(searchWorkers),
    }),
  );

let service: Service;
beforeAll(async () => {
  service = await start(1);
  await Effect.runPromise(engineOf(service).workers!.ready);
});
afterAll(() => service.stop());

const LIGHT = { tokenA: WETH, tokenB: USDC, amountIn: `1${"0".repeat(21)}` };
const HEAVY = { ...LIGHT, maxSplits: 64 };
const REFUSED = { ...LIGHT, amountIn: "1" };
const sized = (ask: typeof LIGHT, index: number) => ({
  ...ask,
  amountIn: `${ask.amountIn}${index}`,
});

describe("quotes that take longer", () => {
  it("are searched by worker threads, and counted", async () => {
    expect((await service.post("/ETH/quote", HEAVY)).status).toBe(200);
    expect(engineOf(service).workers!.counts().answered).toBeGreaterThan(0);
    const { text } = await service.get("/metrics");
    expect(text).toMatch(/^millrace_search_workers_answers_total\{network="ETH"\} [1-9]/m);
    expect(text).toMatch(/^millrace_heavy_quote_duration_seconds_count [1-9]/m);
    expect(text).toMatch(/^millrace_waiting_searches\{network="ETH"\} 0$/m);
  });

  it("are searched by them where they are to be explained, whatever they ask", async () => {
    const { counts } = engineOf(service).workers!;
    for (const ask of [LIGHT, { ...LIGHT, maxSplits: 8, maxHops: 4 }, REFUSED]) {
      const before = counts().answered;
      const { status, text } = await service.post("/ETH/quote", { ...ask, explain: true });
      expect([200, 404, 422], text).toContain(status);
      expect(counts().answered).toBe(before + 1);
    }
  });

  it("and those that do not are answered the same, whatever else is asked for", async () => {
    const asks = Array.from({ length: 60 }, (_, index) =>
      sized(index % 3 === 0 ? HEAVY : LIGHT, index),
    );
    const together = await Promise.all(asks.map((ask) => service.post("/ETH/quote", ask)));
    for (const [index, ask] of asks.entries()) {
      expect(together[index]!.status).toBe(200);
      if (index % 10 === 0) {
        expect(together[index]!.text).toBe((await service.post("/ETH/quote", ask)).text);
      }
    }
  });

  it("are refused with 429 when too many wait, and the others still answered", async () => {
    const flood = Array.from({ length: 300 }, (_, index) =>
      service.post("/ETH/quote", sized(HEAVY, index)),
    );
    const light = await service.post("/ETH/quote", LIGHT);
    expect(light.status).toBe(200);
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBe(300 - refused.length);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, json } of refused) {
      expect(json).toMatchObject({ code: "RATE_LIMITED", status: 429 });
      expect(headers.get("retry-after")).toBe("1");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect((await service.post("/ETH/quote", HEAVY)).status).toBe(200);
  });

  it("are dropped when their clients leave", async () => {
    const { port } = new URL(service.url);
    const clients = Array.from({ length: 40 }, (_, index) => {
      const client = request({ port, path: "/ETH/quote", method: "POST" });
      client.on("error", () => {});
      client.end(JSON.stringify(sized(HEAVY, index)));
      return client;
    });
    const { workers } = engineOf(service);
    while (workers!.waitingCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const client of clients) client.destroy();
    while ((await Effect.runPromise(service.drain.inFlight)) > 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(workers!.waitingCount()).toBe(0);
    expect((await service.post("/ETH/quote", HEAVY)).status).toBe(200);
  });

  it("are finished by a shutdown", async () => {
    const leaving = await start(1);
    const answers = Array.from({ length: 10 }, (_, index) =>
      leaving.post("/ETH/quote", sized(HEAVY, index)),
    );
    while (engineOf(leaving).workers!.waitingCount() === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    while ((await Effect.runPromise(leaving.drain.inFlight)) < 10) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await leaving.stop();
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  });

  it("are the same without worker threads, on the event loop", async () => {
    const alone = await start(0);
    try {
      expect(engineOf(alone).workers).toBeUndefined();
      const searched = [HEAVY, LIGHT, { ...LIGHT, maxHops: 4 }, { ...HEAVY, maxSplits: 2 }];
      // At most eight paths are explained.
      const explained = [...searched.slice(1), REFUSED, { ...HEAVY, maxSplits: 8 }];
      const asks = [...searched, REFUSED, ...explained.map((ask) => ({ ...ask, explain: true }))];
      const answers = await Promise.all(asks.map((ask) => alone.post("/ETH/quote", ask)));
      for (const [index, ask] of asks.entries()) {
        expect(answers[index]!.text).toBe((await service.post("/ETH/quote", ask)).text);
      }
    } finally {
      await alone.stop();
    }
  });
});

describe("on a market that moves", () => {
  it("are exact on the block that they name", async () => {
    const source = { kind: "generated", seed: 7, poolCount: 2_000, blockEveryMs: 3 };
    const networks = [{ id: "ETH", chainId: 1, source }];
    const moving = await startConfigured({ networks, searchWorkers: 1 });
    try {
      const engine = engineOf(moving);
      await Effect.runPromise(engine.workers!.ready);
      const snapshots = new Map<string, Uint8Array>();
      engine.onPart(() => snapshots.set(String(engine.graph.stamp.number), engine.snapshot()));
      const [first, second] = moving.networks.primary
        .market!.data.routableTokens()
        .map((token) => engine.graph.tokenAddress(token));
      const ask = { tokenA: first, tokenB: second, amountIn: "1000000000000000000", maxSplits: 64 };
      const blocks = new Set<string>();
      for (let round = 0; round < 20; round++) {
        const { status, json }: Answer = await moving.post("/ETH/quote", ask);
        expect(status).toBe(200);
        const { blockNumber, routePlan } = json as SwapQuote;
        const bytes = snapshots.get(blockNumber);
        if (bytes === undefined) continue;
        blocks.add(blockNumber);
        execute(openSnapshot(bytes, curves), routePlan);
      }
      expect(blocks.size).toBeGreaterThan(3);
      expect(engine.workers!.counts().answered).toBeGreaterThan(0);
    } finally {
      await moving.stop();
    }
  });
});
