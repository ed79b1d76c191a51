import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Result } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/loadConfig.ts";
import { deployment } from "../../src/deploy/deployment.ts";
import { configOf, type Service, startService, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-routers-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const URL = "http://127.0.0.1:1";
const BOTH = { MILLRACE_ETH_RPC_URLS: URL, MILLRACE_BASE_RPC_URLS: URL };
const EXECUTOR = `0x${"12".repeat(20)}`;
const USDT = "0xdac17f958d2ee523a2206206994597c13d831ec7";
const AMPL = "0xd46ba6d942050d489dbd938a2c909a5d5039a161";
const UNISWAP = {
  version: "2.0",
  permit2: "0x000000000022d473030f116ddee9f6b43ac78ba3",
  v2DexId: "UNISWAP_V2",
  v3DexId: "UNISWAP_V3",
  v4DexId: "UNISWAP_V4",
};
const ON_ETHEREUM = { ...UNISWAP, address: "0x66a9893cc07d91d95644aedd05d03f95e1dba8af" };
const ON_BASE = { ...UNISWAP, address: "0x6ff5693b99212da76ad316178a184ab56d299b43" };

/** A file with one network, by default on Ethereum. */
function fileOf(network: Record<string, unknown>): Record<string, string> {
  const path = join(folder, "config.json");
  const source = { kind: "chain", endpoints: [{ url: URL }] };
  const networks = [{ id: "ETH", chainId: 1, source, ...network }];
  writeFileSync(path, JSON.stringify({ networks }));
  return { MILLRACE_CONFIG: path };
}

async function problems(environment: Record<string, string>) {
  const result = await Effect.runPromise(Effect.result(loadConfig(environment)));
  return Result.isFailure(result) ? result.failure.problems : [];
}

describe("the routers of a network", () => {
  it("are Uniswap's own on Ethereum and Base, also for their recorded markets", async () => {
    const [ethereum, base] = (await configOf(BOTH)).networks;
    expect(ethereum).toMatchObject({
      routers: { universalRouter: ON_ETHEREUM },
      approvalResetTokens: [USDT],
      tokenRetestMs: 21_600_000,
    });
    expect(ethereum.dataFee).toBeUndefined();
    expect(base).toMatchObject({ routers: { universalRouter: ON_BASE }, dataFee: "op-stack" });
    for (const network of [ethereum, base]) expect(network).not.toHaveProperty("routers.executor");
    const [recorded] = (await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A })).networks;
    expect(recorded.routers).toEqual({ universalRouter: ON_ETHEREUM });
    expect(recorded).toMatchObject({ excludedTokens: [] });
    expect(recorded.barredTokens).toContain(AMPL);
  });

  it("are none where pools are made up, or nobody knows the chain", async () => {
    const source = { kind: "generated", seed: 1, poolCount: 9 };
    const [generated] = (await configOf(fileOf({ source }))).networks;
    expect(generated.routers).toEqual({});
    expect(generated.barredTokens).toEqual([]);
  });

  it("are taken from the file kind by kind, and null leaves one out", async () => {
    const [own] = (await configOf(fileOf({ routers: { executor: EXECUTOR } }))).networks;
    expect(own.routers).toEqual({ executor: EXECUTOR, universalRouter: ON_ETHEREUM });
    const routers = { executor: EXECUTOR, universalRouter: null };
    const [without] = (await configOf(fileOf({ routers }))).networks;
    expect(without.routers).toEqual({ executor: EXECUTOR });
  });

  it("reach by default only such DEXes as are followed, of the same factory", async () => {
    const [{ source }] = (await configOf(BOTH)).networks;
    const dexes = source.kind === "chain" ? source.dexes : [];
    const v3 = dexes.filter(({ id }) => id === "UNISWAP_V3");
    const fork = dexes
      .filter(({ id }) => id === "SUSHISWAP_V2")
      .map((dex) => ({ ...dex, id: "UNISWAP_V2" }));
    const endpoints = [{ url: URL }];
    const only = fileOf({ source: { kind: "chain", endpoints, dexes: [...v3, ...fork] } });
    const { v2DexId: _, v4DexId: __, ...reached } = ON_ETHEREUM;
    expect((await configOf(only)).networks[0].routers).toEqual({ universalRouter: reached });
  });

  it("are wrong with DEXes that are not there, another version, no address, or no wrapped token", async () => {
    const universal = (changes: object) =>
      fileOf({ routers: { universalRouter: { ...ON_ETHEREUM, ...changes } } });
    expect(await problems(universal({ v3DexId: "UNISWAP_V9" }))).toEqual([
      "networks[0].routers.universalRouter.v3DexId: the source has no DEX UNISWAP_V9",
    ]);
    const [version] = await problems(universal({ version: "2.1.1" }));
    expect(version).toMatch(/^networks\[0\]\.routers\.universalRouter\.version: /);
    const [address] = await problems(fileOf({ routers: { executor: "0x1" } }));
    expect(address).toMatch(/^networks\[0\]\.routers\.executor: /);
    const [setting] = await problems(fileOf({ routers: { uniswap: EXECUTOR } }));
    expect(setting).toBe("networks[0].routers.uniswap: no such setting");
    const [list] = await problems(fileOf({ routers: [] }));
    expect(list).toMatch(/^networks\[0\]\.routers: /);
    const source = { kind: "marketFile", path: UNIVERSE_A };
    const other = { chainId: 7, name: "Seven", source, routers: { executor: EXECUTOR } };
    expect(await problems(fileOf(other))).toEqual([
      "networks[0].routers: a router needs the network's wrappedNative to be configured",
    ]);
  });
});

describe("a service with excluded tokens", () => {
  it("excluded tokens stand in the middle of no route, and are quoted where they are asked for", async () => {
    const source = { kind: "marketFile", path: UNIVERSE_A };
    const service = await startService(await configOf(fileOf({ source, barredTokens: [WETH] })));
    try {
      const other = await startService(await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A }));
      const quoted = async (by: Service, tokenB: string) => {
        const ask = { tokenA: USDC, tokenB, amountIn: String(10n ** 9n) };
        const { json } = await by.post("/ETH/quote", ask);
        return json.routePlan.map((step: { tokenB: string }) => step.tokenB) as string[];
      };
      const link = "0x514910771af9ca656af840dff83e8264ecf986ca";
      expect(await quoted(other, link)).toContain(WETH);
      await other.stop();
      expect(await quoted(service, link)).not.toContain(WETH);
      expect(await quoted(service, WETH)).toContain(WETH);
    } finally {
      await service.stop();
    }
  });
});

describe("the deployment of an executor", () => {
  const told = async (environment: Record<string, string>, id: string) => {
    const config = await configOf(environment);
    return Effect.runPromise(
      Effect.match(deployment(config, id), {
        onSuccess: (text) => JSON.parse(text),
        onFailure: ({ message }) => message,
      }),
    );
  };

  it("is one unsigned transaction, with the address that comes of it", async () => {
    const [ethereum, base] = [await told(BOTH, "ETH"), await told(BOTH, "BASE")];
    const address = expect.stringMatching(/^0x[0-9a-f]{40}$/);
    const data = expect.stringMatching(/^0x[0-9a-f]{2000,}$/);
    expect(ethereum).toEqual({ chainId: 1, to: address, data, value: "0", address });
    expect(base).toEqual({ chainId: 8453, to: ethereum.to, data, value: "0", address });
    // Each deployment takes the wrapped native token of its network.
    expect(ethereum.data.endsWith("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2")).toBe(true);
    expect(base.address).not.toBe(ethereum.address);
  });

  it("is refused where there is none to make, with the reason", async () => {
    expect(await told({}, "ETH")).toContain("MILLRACE_ETH_RPC_URLS");
    expect(await told(BOTH, "L2")).toBe("no network L2; there are ETH, BASE");
    const source = { kind: "marketFile", path: UNIVERSE_A };
    const other = fileOf({ id: "X", chainId: 7, name: "Seven", source });
    expect(await told(other, "X")).toContain("wrappedNative");
  });
});
