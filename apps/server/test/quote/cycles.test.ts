import { type CycleJson, CycleList } from "@millrace/api";
import type { Cycle, PoolGraph, TokenIndex } from "@millrace/core";
import { Effect, Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  configOf,
  recordedService,
  type Service,
  startService,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";
import { engineOf } from "./privateMarket.ts";

const service = recordedService({ MILLRACE_REPLAY_MS: "3600000" });

const cyclesIn = ({ json }: Answer): ReadonlyArray<CycleJson> =>
  Schema.decodeUnknownSync(CycleList)(json).result;

/** The engine's own cycles, in the form of answers. */
function expected(asked: Service, token: string, maxHops: number) {
  const { cycles, graph } = engineOf(asked);
  return cycles(graph.findToken(token) as TokenIndex, maxHops).map((cycle) => told(graph, cycle));
}

const told = (graph: PoolGraph, { steps, ...cycle }: Cycle) => ({
  amountIn: String(cycle.amountIn),
  amountOut: String(cycle.amountOut),
  profit: String(cycle.profit),
  gasEstimate: String(cycle.gas),
  blockNumber: String(graph.stamp.number),
  steps: steps.map(({ pool, tokenIn, tokenOut, amountIn, amountOut }) => ({
    pool: graph.poolId(pool) ?? graph.poolContract(pool),
    dexId: graph.dexes[graph.poolDex[pool]!]!.id,
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    amountIn: String(amountIn),
    amountOut: String(amountOut),
  })),
});

const withLowerPools = (cycles: ReadonlyArray<CycleJson>) =>
  cycles.map((cycle) => ({
    ...cycle,
    steps: cycle.steps.map((step) => ({ ...step, pool: step.pool.toLowerCase() })),
  }));

describe("GET /:network/cycles", () => {
  it("gives what the engine finds, by default of the wrapped native token", async () => {
    let count = 0;
    for (const [query, token, maxHops, limit] of [
      ["", WETH, 3, 20],
      ["?token=0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE&maxHops=2", WETH, 2, 20],
      [`?token=${USDC.toUpperCase().replace("X", "x")}&limit=64`, USDC, 3, 64],
      [`?token=${USDC}&maxHops=4&limit=1`, USDC, 4, 1],
    ] as const) {
      const answer = await service.get(`/ETH/cycles${query}`);
      expect([query, answer.status]).toEqual([query, 200]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const cycles = cyclesIn(answer);
      count += cycles.length;
      expect(withLowerPools(cycles)).toEqual(expected(service, token, maxHops).slice(0, limit));
      for (const { amountIn, amountOut, profit } of cycles) {
        expect(BigInt(profit)).toBe(BigInt(amountOut) - BigInt(amountIn));
        expect(BigInt(profit)).toBeGreaterThan(0n);
      }
    }
    expect(count).toBeGreaterThan(0);
  });

  it("says what is wrong with a request", async () => {
    for (const [query, path, code] of [
      ["maxHops=1", "maxHops", "too_small"],
      ["maxHops=5", "maxHops", "too_big"],
      ["maxHops=three", "maxHops", "invalid_type"],
      ["limit=0", "limit", "too_small"],
      ["limit=65", "limit", "too_big"],
      ["token=0x12", "token", "invalid_format"],
      ["tokens=0x12", "tokens", "unrecognized_key"],
    ] as const) {
      const { status, json } = await service.get(`/ETH/cycles?${query}`);
      expect([query, status, json.code]).toEqual([query, 400, "INVALID_REQUEST"]);
      expect(json.issues).toMatchObject([{ path: [path], code }]);
    }
    const nowhere = await service.get(`/ETH/cycles?token=0x${"1".repeat(40)}`);
    expect([nowhere.status, nowhere.json.code]).toEqual([404, "UNKNOWN_TOKEN"]);
    const elsewhere = await service.get("/NOWHERE/cycles");
    expect([elsewhere.status, elsewhere.json.code]).toEqual([404, "UNKNOWN_NETWORK"]);
  });

  it("wants a token where a network wraps none", async () => {
    const { config } = service.networks.primary;
    const { wrappedNative } = config;
    Object.assign(config, { wrappedNative: undefined });
    const { status, json } = await service.get("/ETH/cycles");
    Object.assign(config, { wrappedNative });
    expect([status, json.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(json.issues).toMatchObject([{ path: ["token"], message: "Required" }]);
  });
});

describe("cycles of a market with search threads", () => {
  let threaded: Service;
  let searches = 0;
  beforeAll(async () => {
    threaded = await startService(
      await configOf({
        MILLRACE_MARKET_FILE: UNIVERSE_A,
        MILLRACE_REPLAY_MS: "2000",
        MILLRACE_SEARCH_WORKERS: "1",
      }),
    );
    const engine = engineOf(threaded);
    await Effect.runPromise(engine.workers!.ready);
    const { searchCycles } = engine;
    Object.assign(engine, {
      searchCycles: (token: TokenIndex, maxHops: number) => {
        searches++;
        return searchCycles(token, maxHops);
      },
    });
  });
  afterAll(() => threaded.stop());

  const nextBlock = () =>
    new Promise<void>((resolve) => {
      const leave = engineOf(threaded).onApplied(() => {
        leave();
        resolve();
      });
    });

  it("are searched by a thread once a block, for all who ask, and anew after the next", async () => {
    await nextBlock();
    searches = 0;
    const together = await Promise.all(
      Array.from({ length: 10 }, (_, at) => threaded.get(`/ETH/cycles?limit=${at + 1}`)),
    );
    const again = await threaded.get("/ETH/cycles");
    const [first] = cyclesIn(again);
    expect(searches).toBe(1);
    expect(withLowerPools(cyclesIn(again))).toEqual(expected(threaded, WETH, 3).slice(0, 20));
    for (const answer of together) expect(cyclesIn(answer)[0]).toEqual(first);
    expect(engineOf(threaded).workers!.counts().answered).toBeGreaterThan(0);
    await nextBlock();
    const [renewed] = cyclesIn(await threaded.get("/ETH/cycles"));
    expect(searches).toBe(2);
    expect(BigInt(renewed!.blockNumber)).toBeGreaterThan(BigInt(first!.blockNumber));
  });
});
