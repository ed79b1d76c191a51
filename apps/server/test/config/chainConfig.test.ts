import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Result } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/loadConfig.ts";
import type { ServerConfig } from "../../src/config/ServerConfig.ts";
import { UNIVERSE_A } from "../kit/service.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const load = (environment: Record<string, string>) =>
  Effect.runPromise(Effect.result(loadConfig(environment)));

async function loaded(environment: Record<string, string>): Promise<ServerConfig> {
  const result = await load(environment);
  if (Result.isFailure(result)) throw new Error(result.failure.message);
  return result.success;
}

async function problems(environment: Record<string, string>) {
  const result = await load(environment);
  return Result.isFailure(result) ? result.failure.problems : [];
}

/** Environment of a file with one network, ETH on the real chain, of the given source. */
function fileOf(source: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const path = join(folder, "config.json");
  const network = { id: "ETH", chainId: 1, source: { kind: "chain", ...source } };
  writeFileSync(path, JSON.stringify({ networks: [network], ...more }));
  return { MILLRACE_CONFIG: path };
}

function endpointsOf(config: ServerConfig, index = 0) {
  const source = config.networks[index]?.source;
  return source?.kind === "chain" ? source.endpoints : undefined;
}

const HTTP = "https://node.example/key";

describe("RPC URLs in the environment", () => {
  it("run the shipped networks that they are given for, and no others", async () => {
    const both = await loaded({ MILLRACE_ETH_RPC_URLS: HTTP, MILLRACE_BASE_RPC_URLS: HTTP });
    expect(both.networks).toMatchObject([
      { id: "ETH", chainId: 1, headAgeLimitMs: 120_000, source: { kind: "chain" } },
      { id: "BASE", chainId: 8453, headAgeLimitMs: 20_000, source: { kind: "chain" } },
    ]);
    const one = await loaded({ MILLRACE_BASE_RPC_URLS: HTTP, MILLRACE_ETH_RPC_URLS: "" });
    expect(one.networks.map(({ id }) => id)).toEqual(["BASE"]);
  });

  it("pair a socket with its host's URL, and else with the first that has none", async () => {
    const urls = [
      "wss://b.example/1",
      "https://a.example/1",
      "http://b.example/2",
      "ws://c.example",
    ];
    const config = await loaded({ MILLRACE_ETH_RPC_URLS: urls.join(" , ") });
    expect(endpointsOf(config)).toEqual([
      { url: "https://a.example/1", webSocketUrl: "ws://c.example" },
      { url: "http://b.example/2", webSocketUrl: "wss://b.example/1" },
    ]);
  });

  it("go before those of the file", async () => {
    const file = fileOf({ endpoints: [{ url: "http://of.file" }] });
    expect(endpointsOf(await loaded(file))).toEqual([{ url: "http://of.file" }]);
    const config = await loaded({ ...file, MILLRACE_ETH_RPC_URLS: HTTP });
    expect(endpointsOf(config)).toEqual([{ url: HTTP }]);
    // The file may leave out the endpoints altogether.
    const without = await loaded({ ...fileOf({}), MILLRACE_ETH_RPC_URLS: HTTP });
    expect(endpointsOf(without)).toEqual([{ url: HTTP }]);
  });

  it("are wrong for networks that are not there, and beside a market file", async () => {
    expect(await problems({ MILLRACE_OP_RPC_URLS: HTTP })).toContain(
      "MILLRACE_OP_RPC_URLS: OP is not configured; ETH, BASE, ARBITRUM, OPTIMISM, BNB, POLYGON need no file",
    );
    expect(await problems({ ...fileOf({}), MILLRACE_OP_RPC_URLS: HTTP })).toContain(
      "MILLRACE_OP_RPC_URLS: the file has no network OP on a chain",
    );
    const market = { MILLRACE_MARKET_FILE: UNIVERSE_A, MILLRACE_ETH_RPC_URLS: HTTP };
    expect(await problems(market)).toEqual([
      "MILLRACE_ETH_RPC_URLS: is of no use beside MILLRACE_MARKET_FILE",
    ]);
  });

  it("are told to be wrong by their place alone: they may hold keys", async () => {
    const wrong = [
      "ftp://node.example/SECRET",
      "node.example/SECRET",
      "https://SECRET:SECRET@node.example",
      "https://",
      "wss://node.example/SECRET",
    ];
    for (const text of [...wrong, wrong.join(",")]) {
      const found = await problems({ MILLRACE_ETH_RPC_URLS: text });
      expect(found.length).toBeGreaterThan(0);
      for (const problem of found) {
        expect(problem).toMatch(/^MILLRACE_ETH_RPC_URLS: /);
        expect(problem).not.toContain("SECRET");
      }
    }
  });
});

describe("a network on a chain", () => {
  it("has what is known of its chain, with its own configuration over it", async () => {
    const admission = { depthFloorUsd: 5_000 };
    const config = await loaded(
      fileOf({ endpoints: [{ url: HTTP }], blockTimeMs: 500, admission }),
    );
    expect(config.networks[0]).toMatchObject({
      name: "Ethereum",
      headAgeLimitMs: 5_000,
      source: { blockTimeMs: 500, admission: { depthFloorUsd: 5_000, pools: [] } },
    });
    // Blocks tell whole seconds: their age says nothing below a few of them.
    const fast = await loaded(fileOf({ endpoints: [{ url: HTTP }], blockTimeMs: 60 }));
    expect(fast.networks[0].headAgeLimitMs).toBe(5_000);
    expect(config.networks[0].excludedTokens).toHaveLength(2);
    const { source } = config.networks[0];
    expect(source.kind === "chain" && source.dexes.length).toBe(15);
    expect(source.kind === "chain" && source.admission.anchors.length).toBeGreaterThan(0);
  });

  it("is told what is wrong with it, each with its place, and never a URL", async () => {
    const dex = { id: "uni", name: "U", protocol: "constant-product", factory: "0x1" };
    const found = await problems(
      fileOf({
        endpoints: [
          { url: "wss://node.example/SECRET" },
          { url: "https://SECRET@node.example", name: "a" },
          { url: HTTP, webSocketUrl: "https://node.example/SECRET", name: "a", callsPerSecond: 0 },
          "SECRET",
        ],
        dexes: [{ ...dex, startBlock: -1, initCodeHash: "0x12" }],
        completeness: "often",
        auditedPools: -1,
      }),
    );
    expect(found.map((problem) => problem.split(":")[0])).toEqual(
      expect.arrayContaining([
        "networks[0].source.endpoints[0].url",
        "networks[0].source.endpoints[1].url",
        "networks[0].source.endpoints[2].webSocketUrl",
        "networks[0].source.endpoints[2].callsPerSecond",
        "networks[0].source.endpoints[3]",
        "networks[0].source.dexes[0].id",
        "networks[0].source.dexes[0].factory",
        "networks[0].source.dexes[0].startBlock",
        "networks[0].source.dexes[0].initCodeHash",
        "networks[0].source.completeness",
        "networks[0].source.auditedPools",
      ]),
    );
    expect(found.join("\n")).not.toContain("SECRET");
  });

  it("needs an endpoint, protocols that are known, and what each of them needs", async () => {
    expect(await problems(fileOf({}))).toEqual(["networks[0].source.endpoints: Missing key"]);
    expect(await problems(fileOf({ endpoints: [] }))).toEqual([
      "networks[0].source.endpoints[0]: Missing key",
    ]);
    const dex = { name: "U", factory: `0x${"1".repeat(40)}`, startBlock: 0 };
    const dexes = [
      { ...dex, id: "A", protocol: "weighted" },
      { ...dex, id: "B", protocol: "constant-product" },
      { ...dex, id: "C", protocol: "concentrated-liquidity" },
      { ...dex, id: "D", protocol: "concentrated-liquidity", feePips: 3000 },
      { ...dex, id: "E", protocol: "uniswap-v4" },
    ];
    expect(await problems(fileOf({ endpoints: [{ url: HTTP }], dexes }))).toEqual([
      expect.stringMatching(/^networks\[0\]\.source\.dexes\[0\]\.protocol: no such protocol/),
      expect.stringMatching(/^networks\[0\]\.source\.dexes\[1\]\.feePips: /),
      expect.stringMatching(/^networks\[0\]\.source\.dexes\[3\]\.feePips: no such setting/),
      expect.stringMatching(/^networks\[0\]\.source\.dexes\[4\]\.stateView: /),
    ]);
  });

  it("keeps its snapshots in a folder that is made, or told to be unusable", async () => {
    const data = join(folder, "data");
    const file = fileOf({ endpoints: [{ url: HTTP }] });
    await loaded({ ...file, MILLRACE_DATA_DIR: data });
    expect(readdirSync(data)).toEqual(["ETH"]);
    const inFile = fileOf({ endpoints: [{ url: HTTP }] }, { dataDirectory: file.MILLRACE_CONFIG });
    expect(await problems(inFile)).toEqual([
      expect.stringMatching(/^networks\[0\]\.source: no snapshots can be kept in /),
    ]);
  });

  it("whose file is not JSON is told so without a word of it", async () => {
    const path = join(folder, "broken.json");
    writeFileSync(path, '{"url": https://SECRET.example/SECRET }');
    const found = await problems({ MILLRACE_CONFIG: path });
    expect(found).toHaveLength(1);
    expect(found[0]).not.toMatch(/SECR|https/);
  });
});
