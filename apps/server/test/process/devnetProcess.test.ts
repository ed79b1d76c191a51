import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, killProcesses, ServiceProcess } from "@millrace/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { UNIVERSE_A } from "../kit/service.ts";

const ETH_CHAIN = 0x6d696c01;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-devnet-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

afterEach(killProcesses);

/** Starts the service as `npm start` does, or a command of it, in a process of its own. */
const start = (
  environment: Record<string, string>,
  words: ReadonlyArray<string> = [],
  nodeOptions: ReadonlyArray<string> = [],
) => new ServiceProcess({ environment, words, nodeOptions });

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies that the test then looks into.
  readonly json: any;
}

async function ask(url: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    headers: { connection: "close" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

/** The node of a devnet of the service. */
function anvilOf({ pid }: ChildProcess, chainId: number): number {
  const anvils = [...processesBelow(pid!)].filter(([, command]) => command === "anvil");
  const [own] = anvils.filter(([anvil]) =>
    readFileSync(`/proc/${anvil}/cmdline`, "utf8").split("\0").includes(String(chainId)),
  );
  return own![0];
}

/** Ids and commands of the current descendants of a process. */
function processesBelow(parent: number): Map<number, string> {
  const below = new Map<number, string>();
  const parents = new Set([parent]);
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const pid of all.map(Number).sort((a, b) => a - b)) {
    const [ppid, command] = parentOf(pid) ?? [];
    if (ppid === undefined || !parents.has(ppid)) continue;
    parents.add(pid);
    below.set(pid, command ?? "");
  }
  return below;
}

function parentOf(pid: number): [parent: number, command: string] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ppid] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return undefined;
    return [Number(ppid), text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"))];
  } catch {
    return undefined;
  }
}

describe("npm start without any configuration", () => {
  it("serves two devnets that live, and leaves no process behind on SIGTERM", async () => {
    const service = start({});
    const url = await service.url();
    await eventually(async () => (await ask(url, "/health/ready")).status === 200);
    const { json: listed } = await ask(url, "/networks");
    expect(listed.result).toMatchObject([
      { id: "ETH", primary: true, devnet: true },
      { id: "BASE", primary: false, devnet: true },
    ]);
    for (const { id, wrappedNative, chainId } of listed.result) {
      // Nothing that is signed here may be valid on another chain.
      expect([1, 8453, 31337]).not.toContain(chainId);
      const { json: tokens } = await ask(url, `/${id}/tokenListWithDetails`);
      const usdc = tokens.result.find(({ symbol }: { symbol: string }) => symbol === "USDC");
      const body = { tokenA: tokens.result[0].address, tokenB: usdc.address };
      const quoted = async () => {
        const quote = await ask(url, `/${id}/quote`, { ...body, amountIn: String(10n ** 18n) });
        expect(quote).toMatchObject({ status: 200 });
        expect(quote.json).not.toHaveProperty("unverified");
        return quote.json;
      };
      const first = await quoted();
      expect(first.isNativeIn).toBe(true);
      expect(first.routePlan[0].tokenA).toBe(wrappedNative);
      await eventually(
        async () => BigInt((await quoted()).blockNumber) > BigInt(first.blockNumber),
      );
      const { json: price } = await ask(url, `/${id}/tokenPrice/${wrappedNative}`);
      expect(price.result).toBeGreaterThan(100);
    }
    const { json: pools } = await ask(url, "/pools?limit=500");
    expect(pools.data.length).toBeGreaterThanOrEqual(30);
    const below = processesBelow(service.child.pid!);
    expect([...below.values()].filter((command) => command === "anvil")).toHaveLength(2);
    service.child.kill("SIGTERM");
    expect(await service.exit).toBe(0);
    await eventually(() => [...below.keys()].every((pid) => parentOf(pid) === undefined));
  });

  it("lives on without a devnet that dies: that network is not ready and says so", async () => {
    const devnet = (market: "ETH" | "BASE", chainId: number) => ({
      ...{ id: market, chainId, name: market, headAgeLimitMs: market === "ETH" ? 3_000 : null },
      source: { kind: "devnet", market, trafficEveryMs: 500 },
    });
    const file = join(folder, "config.json");
    const networks = [devnet("ETH", ETH_CHAIN), devnet("BASE", ETH_CHAIN + 1)];
    writeFileSync(file, JSON.stringify({ networks }));
    const service = start({ MILLRACE_CONFIG: file });
    const url = await service.url();
    await eventually(async () => (await ask(url, "/health/ready")).status === 200);
    process.kill(anvilOf(service.child, ETH_CHAIN), "SIGKILL");
    const isDead = async () => {
      const { json } = await ask(url, "/health/ready/ETH");
      return json.networks[0].reason?.includes("no endpoint answers");
    };
    await eventually(isDead);
    expect((await ask(url, "/ETH/tokenList")).json.code).toBe("NOT_READY");
    expect((await ask(url, "/health/ready/BASE")).status).toBe(200);
    const told = /"network not ready".*"network":"ETH"/;
    await eventually(() => told.test(service.output.err));
    service.child.kill("SIGTERM");
    expect(await service.exit).toBe(0);
  });

  it("ends with 1 and what to do instead where the devnet is not installed", async () => {
    // As in a production install, which lacks that package.
    const hooks = `import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) {
        return next(name === "@millrace/devnet" ? "./not-installed.js" : name, context);
      } });`;
    const preload = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];
    const service = start({}, [], preload);
    expect(await service.exit).toBe(1);
    expect(service.output.out).toBe("");
    for (const variable of ["MILLRACE_ETH_RPC_URLS", "MILLRACE_BASE_RPC_URLS"]) {
      expect(service.output.err).toContain(variable);
    }
    expect(service.output.err).not.toContain("    at ");
  });
});

describe("verify", () => {
  it("compares a chain with one read from scratch, and ends with 0 when they are equal", async () => {
    const command = start({}, ["verify", "ETH"]);
    const code = await command.exit;
    expect(code, command.output.out + command.output.err).toBe(0);
    expect(command.output.out).toMatch(/^ETH {2}Ethereum devnet, chain \d+\n/);
    expect(command.output.out).toMatch(/\n {2}pools {3}[1-9]\d+\n {2}result {2}equal, /);
    expect(command.output.out).not.toContain("BASE");
  });

  it("ends with 1 where there is nothing to compare, or no such network", async () => {
    const onFile = start({ MILLRACE_MARKET_FILE: UNIVERSE_A }, ["verify"]);
    const unknown = start({ MILLRACE_MARKET_FILE: UNIVERSE_A }, ["verify", "NONE"]);
    expect(await onFile.exit).toBe(1);
    expect(onFile.output.err).toBe("millrace: there is no chain behind ETH to verify against\n");
    expect(await unknown.exit).toBe(1);
    expect(unknown.output.err).toBe("millrace: no network NONE; there are ETH\n");
  });
});

describe("executor", () => {
  it("prints the deployment of a network's executor as JSON, and asks no node", async () => {
    const nowhere = { MILLRACE_BASE_RPC_URLS: "http://127.0.0.1:1" };
    const command = start(nowhere, ["executor", "BASE"]);
    expect(await command.exit, command.output.err).toBe(0);
    const { chainId, to, data, value, address } = JSON.parse(command.output.out);
    expect([chainId, value]).toEqual([8453, "0"]);
    for (const text of [to, address]) expect(text).toMatch(/^0x[0-9a-f]{40}$/);
    expect(data).toMatch(/^0x[0-9a-f]+$/);
  });

  it("ends with 1 where there is none to make", async () => {
    const command = start({}, ["executor", "ETH"]);
    expect(await command.exit).toBe(1);
    expect(command.output.err).toMatch(/^millrace: ETH is an embedded devnet.+\n$/);
  });
});

describe("--help", () => {
  it("tells the commands; any other word is refused with them", async () => {
    const [help, wrong] = [start({}, ["--help"]), start({}, ["serve"])];
    expect(await help.exit).toBe(0);
    expect(help.output.out).toContain("verify [NETWORK_ID]");
    expect(help.output.out).toContain("executor NETWORK_ID");
    expect(await wrong.exit).toBe(1);
    expect(wrong.output.err).toContain(help.output.out.trim());
  });
});
