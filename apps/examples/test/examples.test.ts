import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, killProcesses, ServiceProcess, TestProcess } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";

const TICKER = new URL("../src/ticker.ts", import.meta.url);
const PAST = new URL("../src/pastRoundTrips.ts", import.meta.url);
const BOT = new URL("../src/roundTripBot.ts", import.meta.url);

// Each as a person would run it, on a chain that it or the service starts.

afterEach(killProcesses);

describe("the price ticker", () => {
  it("tells the prices of ten tokens, and then those that change, for as long as it runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-examples-"));
    const config = join(folder, "config.json");
    const source = { kind: "devnet", market: "ETH", trafficEveryMs: 300 };
    const network = { id: "ETH", name: "Devnet", chainId: 0x6d696c01, source };
    writeFileSync(config, JSON.stringify({ networks: [{ ...network, headAgeLimitMs: null }] }));
    const environment = { MILLRACE_CONFIG: config, MILLRACE_GRACE_PERIOD_MS: "500" };
    const service = new ServiceProcess({ environment });
    const url = await service.ready();
    rmSync(folder, { recursive: true });
    const ticker = new TestProcess(TICKER, { words: [url, "ETH"] });
    const [first] = await ticker.line(/block \d+: .+/);
    expect(first.match(/\w+ \d[\d.e+-]*(,|$)/g)).toHaveLength(10);
    expect(Number(/WETH ([\d.]+)/.exec(first)?.[1])).toBeGreaterThan(100);
    const blocks = () => new Set(ticker.output.out.match(/^block \d+/gm));
    while (blocks().size < 4) await ticker.more();
    // What a service that goes away leaves is a ticker that waits for it.
    await service.end("SIGTERM");
    await ticker.line(/lost closed with 1012/);
    expect(ticker.child.exitCode).toBeNull();
  });
});

describe("the bot", () => {
  it("finds round trips on a chain of its own, and gains more by them than their gas", async () => {
    const bot = new TestProcess(BOT);
    const [, rpcUrl] = await bot.line(/watching \d+ pools of (\S+)/);
    const trip = /block \d+: (\w+), (-?[\d.]+) WETH gained for ([\d.]+) of gas/g;
    const trips = () => [...bot.output.out.matchAll(trip)];
    const successes = () => trips().filter(([, status]) => status === "success");
    while (successes().length < 3) await bot.more();
    for (const [line, status, gained, paid] of trips()) {
      if (status === "success") expect(Number(gained), line).toBeGreaterThan(Number(paid));
      // Somebody was faster, which costs gas alone.
      else expect([status, Number(gained)], line).toEqual(["reverted", 0]);
    }
    await bot.end("SIGINT");
    // The chain ends with the bot, however that ends.
    await eventually(async () => !(await isThere(rpcUrl!)));
  });
});

describe("the round trips of the past", () => {
  it("are measured over a day of a devnet that was recorded for it", async () => {
    const measured = new TestProcess(PAST);
    const { code, errors } = { code: await measured.exit, errors: measured.output.err };
    expect({ code, errors }).toEqual({ code: 0, errors: expect.not.stringContaining("Error") });
    const [, blocks, trips, gained] =
      /^(\d+) blocks, (\d+) round trips: (\d+) wei gained after gas$/m.exec(measured.output.out)!;
    expect(Number(blocks)).toBeGreaterThan(20);
    const gains = [...measured.output.out.matchAll(/^block \d+: (\d+) wei after gas$/gm)];
    expect(gains).toHaveLength(Number(trips));
    const sum = gains.reduce((total, [, gain]) => total + BigInt(gain!), 0n);
    expect(BigInt(gained!)).toBe(sum);
  });
});

const isThere = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
