import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Result } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/loadConfig.ts";
import { UNIVERSE_A } from "../kit/service.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const load = (environment: Record<string, string>) =>
  Effect.runPromise(Effect.result(loadConfig(environment)));

function fileOf(content: unknown): string {
  const path = join(folder, "config.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function loaded(environment: Record<string, string>) {
  const result = await load(environment);
  if (Result.isFailure(result)) throw new Error(result.failure.message);
  return result.success;
}

async function problems(environment: Record<string, string>) {
  const result = await load(environment);
  return Result.isFailure(result) ? result.failure.problems : [];
}

describe("the configuration", () => {
  it("has threads for searches, as many as it says, and a limit of gas", async () => {
    expect((await loaded({})).searchWorkers).toBe(Math.min(availableParallelism() - 1, 2));
    expect((await loaded({ MILLRACE_SEARCH_WORKERS: "0" })).searchWorkers).toBe(0);
    const network = { id: "A", chainId: 1, source: { kind: "generated", seed: 1, poolCount: 9 } };
    const path = fileOf({ searchWorkers: 64, networks: [{ ...network, gasLimit: 30_000_000 }] });
    const config = await loaded({ MILLRACE_CONFIG: path });
    expect([config.searchWorkers, config.networks[0].gasLimit]).toEqual([64, 30_000_000]);
    for (const { gasLimit } of (await loaded({})).networks) expect(gasLimit).toBe(16_777_216);
    for (const count of ["65", "-1", "1.5", "two"]) {
      const [problem] = await problems({ MILLRACE_SEARCH_WORKERS: count });
      expect(problem).toMatch(/^MILLRACE_SEARCH_WORKERS: /);
    }
    const low = fileOf({ networks: [{ ...network, gasLimit: 21_000 }] });
    expect(await problems({ MILLRACE_CONFIG: low })).toEqual([
      expect.stringMatching(/^networks\[0\]\.gasLimit: /),
    ]);
  });

  it("refuses a network with an id that paths of the service begin with", async () => {
    const network = { chainId: 1, source: { kind: "generated", seed: 1, poolCount: 9 } };
    for (const id of ["TOKENS", "HEALTH", "WS"]) {
      const path = fileOf({ networks: [{ ...network, id }] });
      expect(await problems({ MILLRACE_CONFIG: path })).toEqual([
        `networks[0].id: paths of the service begin with ${id}`,
      ]);
    }
  });

  it("limits nobody unless it says so, and then whom it names", async () => {
    expect((await loaded({})).limits).toEqual({
      keys: [],
      shedding: true,
      waitMs: 100,
      trustedProxies: [],
    });
    const key = { name: "bot", sha256: "ab".repeat(32), perSecond: 5, burst: 60 };
    const limits = {
      address: { perSecond: 100 },
      keys: [key],
      shedding: false,
      waitMs: 100,
      trustedProxies: ["10.0.0.0/8", "2001:db8::/32", "::1"],
    };
    expect((await loaded({ MILLRACE_CONFIG: fileOf({ limits }) })).limits).toEqual(limits);
  });

  it("refuses limits that are none", async () => {
    const key = { name: "bot", sha256: "ab".repeat(32), perSecond: 5 };
    for (const [limits, place] of [
      [{ address: { perSecond: 0 } }, "limits.address.perSecond"],
      [{ address: { perSecond: 1, burst: 59 } }, "limits.address.burst"],
      [{ address: { perSecond: 1, weight: 1 } }, "limits.address.weight"],
      [{ keys: [{ ...key, sha256: "secret" }] }, "limits.keys[0].sha256"],
      [{ keys: [{ ...key, key: "secret" }] }, "limits.keys[0].key"],
      [{ keys: [key] }, "limits.address"],
      [{ keys: [key, { ...key, name: "other" }] }, "limits.keys"],
      [{ keys: Array.from({ length: 101 }, () => key) }, "limits.keys"],
      [{ trustedProxies: ["10.0.0.0/33"] }, "limits.trustedProxies[0]"],
      [{ trustedProxies: ["proxy.example"] }, "limits.trustedProxies[0]"],
      [{ perAddress: 5 }, "limits.perAddress"],
    ] as const) {
      const told = await problems({ MILLRACE_CONFIG: fileOf({ limits }) });
      expect(told.length, place).toBeGreaterThan(0);
      expect(told[0]).toContain(place);
      expect(told.join()).not.toContain("secret");
    }
  });

  it("says where token lists and supplies are, and how much of what traded is kept", async () => {
    const source = { kind: "generated", seed: 1, poolCount: 9 };
    const network = { id: "A", chainId: 1, source };
    const supplyFile = join(folder, "supplies.json");
    writeFileSync(supplyFile, "{}");
    const said = {
      tokenLists: ["lists/own.json", "https://lists.example/list.json?key=1"],
      ...{ supplyFile, tradesMax: 5, candleMiB: 1, historyHours: 0.5 },
    };
    const path = fileOf({ networks: [{ ...network, ...said }] });
    expect((await loaded({ MILLRACE_CONFIG: path })).networks[0]).toMatchObject(said);
    for (const config of (await loaded({})).networks) {
      expect(config).toMatchObject({
        ...{ tokenLists: [], tradesMax: 10_000, candleMiB: 64, historyHours: 24 },
      });
    }
    const wrong = {
      tokenLists: ["http://lists.example/SECRET", "https://user:SECRET@lists.example/", ""],
      ...{ tradesMax: 0, candleMiB: 0, historyHours: 25, candleBytes: 1 },
    };
    const found = await problems({
      MILLRACE_CONFIG: fileOf({ networks: [{ ...network, ...wrong }] }),
    });
    const places = found.map((problem) => problem.split(":")[0]).toSorted();
    expect(places).toEqual([
      "networks[0].candleBytes",
      "networks[0].candleMiB",
      "networks[0].historyHours",
      "networks[0].tokenLists[0]",
      "networks[0].tokenLists[1]",
      "networks[0].tokenLists[2]",
      "networks[0].tradesMax",
    ]);
    expect(found.join()).toContain("a URL that begins with https://");
    expect(found.join()).not.toContain("SECRET");
    const absent = { ...network, supplyFile: join(folder, "absent.json") };
    expect(await problems({ MILLRACE_CONFIG: fileOf({ networks: [absent] }) })).toEqual([
      expect.stringMatching(/^networks\[0\]\.supplyFile: the file cannot be read: /),
    ]);
  });

  it("of nobody is the contract's: local, port 8080, ETH and BASE, on devnets", async () => {
    const config = await loaded({});
    expect(config).toMatchObject({ host: "127.0.0.1", port: 8080, corsOrigins: "*" });
    expect(config.networks).toMatchObject([
      { id: "ETH", source: { kind: "devnet", market: "ETH" }, headAgeLimitMs: 10_000 },
      { id: "BASE", source: { kind: "devnet", market: "BASE" }, headAgeLimitMs: 10_000 },
    ]);
  });

  it("gives devnets the port of the environment and those that follow it", async () => {
    const portsOf = async (environment: Record<string, string>) =>
      (await loaded(environment)).networks.map(({ source }) => "port" in source && source.port);
    expect(await portsOf({ MILLRACE_DEVNET_PORT: "8545" })).toEqual([8545, 8546]);
    expect(await portsOf({ MILLRACE_DEVNET_PORT: "" })).toEqual([false, false]);
    const devnet = { kind: "devnet", market: "ETH", trafficEveryMs: 500 };
    const networks = [
      { id: "A", chainId: 8453, source: { kind: "generated", seed: 1, poolCount: 9 } },
      { id: "B", chainId: 0x6d696c01, name: "B", source: { ...devnet, port: 9000 } },
    ];
    const path = fileOf({ networks });
    expect(await portsOf({ MILLRACE_CONFIG: path })).toEqual([false, 9000]);
    const both = { MILLRACE_CONFIG: path, MILLRACE_DEVNET_PORT: "65535" };
    expect(await portsOf(both)).toEqual([false, 65_535]);
  });

  it("refuses a port of devnets that is none, or that none takes", async () => {
    for (const port of ["0", "65535", "-1", "1.5", "8545a", "1e3", " 1", "999999"]) {
      expect(await problems({ MILLRACE_DEVNET_PORT: port })).toEqual([
        "MILLRACE_DEVNET_PORT: Expected a port, 1 to 65534, for 2 devnets",
      ]);
    }
    for (const other of [
      { MILLRACE_MARKET_FILE: UNIVERSE_A },
      { MILLRACE_ETH_RPC_URLS: "http://127.0.0.1:1" },
    ]) {
      expect(await problems({ ...other, MILLRACE_DEVNET_PORT: "8545" })).toEqual([
        "MILLRACE_DEVNET_PORT: is of no use: no network is a devnet",
      ]);
    }
    const source = { kind: "devnet", market: "ETH", trafficEveryMs: 500, port: 65_536 };
    const path = fileOf({ networks: [{ id: "B", chainId: 0x6d696c01, name: "B", source }] });
    expect(await problems({ MILLRACE_CONFIG: path })).toEqual([
      "networks[0].source.port: Expected an integer from 1 to 65535",
    ]);
  });

  it("with a market file is network ETH alone on that file", async () => {
    const config = await loaded({ MILLRACE_MARKET_FILE: UNIVERSE_A, MILLRACE_REPLAY_MS: "250" });
    expect(config.networks.length).toBe(1);
    expect(config.networks[0]).toMatchObject({
      id: "ETH",
      chainId: 1,
      source: { kind: "marketFile", path: UNIVERSE_A, replayMs: 250 },
      headAgeLimitMs: null,
    });
  });

  it("comes from a file, with the environment over it", async () => {
    const path = fileOf({
      port: 9000,
      host: "0.0.0.0",
      corsOrigins: ["https://app.example"],
      networks: [{ id: "L2", chainId: 8453, source: { kind: "generated", seed: 1, poolCount: 9 } }],
    });
    const config = await loaded({ MILLRACE_CONFIG: path, PORT: "9001", HOST: "" });
    expect(config).toMatchObject({ port: 9001, host: "0.0.0.0" });
    expect(config.corsOrigins).toEqual(["https://app.example"]);
    expect(config.networks[0]).toMatchObject({ id: "L2", name: "Base", nativeSymbol: "ETH" });
  });

  it("is told all that is wrong with it at once, each with its place", async () => {
    const path = fileOf({
      colour: "red",
      logLevel: "loud",
      networks: [
        { id: "eth", chainId: 1, source: { kind: "marketFile", path: "x", replays: 1 } },
        {
          id: "BASE",
          chainId: 0,
          anchors: [{ address: "0x1", priceUsd: -1 }],
          source: { kind: "generated", seed: 1, poolCount: 0 },
        },
      ],
    });
    const found = await problems({ MILLRACE_CONFIG: path, PORT: "eighty", HOST: "" });
    const places = found.map((problem) => problem.split(":")[0]);
    expect(places).toEqual(
      expect.arrayContaining([
        "colour",
        "PORT",
        "logLevel",
        "networks[0].id",
        "networks[0].source.replays",
        "networks[1].chainId",
        "networks[1].source.poolCount",
        "networks[1].anchors[0].address",
        "networks[1].anchors[0].priceUsd",
      ]),
    );
    for (const problem of found) expect(problem).not.toContain("\n");
  });

  it("is wrong when two networks share an id or a chain", async () => {
    const network = { id: "A", chainId: 1, source: { kind: "generated", seed: 1, poolCount: 9 } };
    const path = fileOf({ networks: [network, network] });
    expect(await problems({ MILLRACE_CONFIG: path })).toEqual([
      "networks[1].id: A is taken by networks[0]",
      "networks[1].chainId: 1 is taken by networks[0]",
    ]);
  });

  it("is wrong when files are not there, or are not what they should be", async () => {
    const absent = join(folder, "absent.json");
    expect(await problems({ MILLRACE_CONFIG: absent })).toMatchObject([
      expect.stringContaining("MILLRACE_CONFIG"),
    ]);
    expect(await problems({ MILLRACE_CONFIG: fileOf("{") })).toHaveLength(1);
    expect(await problems({ MILLRACE_CONFIG: fileOf("[]") })).toHaveLength(1);
    expect(await problems({ MILLRACE_MARKET_FILE: absent })).toMatchObject([
      expect.stringContaining("the market file cannot be read"),
    ]);
    expect(await problems({ MILLRACE_REPLAY_MS: "5" })).toEqual([
      "MILLRACE_REPLAY_MS: needs MILLRACE_MARKET_FILE",
    ]);
    const unknownChain = fileOf({
      networks: [
        { id: "A", chainId: 5, name: "Five", source: { kind: "generated", seed: 1, poolCount: 9 } },
      ],
    });
    expect(await problems({ MILLRACE_CONFIG: unknownChain })).toEqual([
      "networks[0].source: no generated market for chain 5",
    ]);
  });
});
