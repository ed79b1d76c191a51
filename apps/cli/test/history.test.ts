import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, killProcesses, ServiceProcess } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { timeOfText } from "../src/flags.ts";
import { runHere } from "./runHere.ts";

// The file of a service that has ended, of a devnet whose market it kept block by block.

const CHAIN_ID = 0x6d696c01;
/** Several states, one every ten blocks. */
const BLOCKS = 35;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-kept-"));
  file = join(folder, "ETH", `history-${CHAIN_ID}.sqlite`);
  const source = { kind: "devnet", market: "ETH", trafficEveryMs: 100 };
  const network = { id: "ETH", name: "Devnet", chainId: CHAIN_ID, headAgeLimitMs: null, source };
  const history = { states: { everyBlocks: 10 } };
  const config = join(folder, "config.json");
  const settings = { dataDirectory: folder, networks: [{ ...network, history }] };
  writeFileSync(config, JSON.stringify(settings));
  const environment = { MILLRACE_CONFIG: config, MILLRACE_GRACE_PERIOD_MS: "500" };
  const service = new ServiceProcess({ environment });
  await service.ready();
  const first = await newestBlock(service);
  await eventually(async () => (await newestBlock(service)) >= first + BLOCKS);
  await service.end("SIGTERM");
}, 120_000);
afterAll(() => {
  killProcesses();
  rmSync(folder, { recursive: true });
});

async function newestBlock(service: ServiceProcess): Promise<number> {
  const { networks } = JSON.parse((await service.get("/health/ready")).text) as {
    readonly networks: ReadonlyArray<{ readonly blockNumber: string }>;
  };
  return Number(networks[0]!.blockNumber);
}

/** What is shown of a market that takes its time to open. */
const NOTE = /^millrace: PAST: .*\n/gm;

const run = async (words: string) => {
  const { code, out, err } = await runHere([...words.split(" "), "--history", file]);
  expect({ code, err: err.replace(NOTE, "") }, words).toEqual({ code: 0, err: "" });
  return out.trimEnd().split("\n");
};

describe("the end of an export", () => {
  it("is of UTC where it names no zone, wherever it is asked for", () => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    const evening = Date.UTC(2026, 2, 31, 23, 59, 59);
    expect(timeOfText("2026-03-31")).toBe(Date.UTC(2026, 2, 31));
    expect(timeOfText("2026-03-31T23:59:59")).toBe(evening);
    expect(timeOfText("2026-03-31T23:59:59Z")).toBe(evening);
    expect(timeOfText("2026-04-01T08:59:59+09:00")).toBe(evening);
    vi.unstubAllEnvs();
  });
});

describe("a history's file", { timeout: 120_000 }, () => {
  it("is replayed from block to block, both ends included", async () => {
    const all = await run("replay blocks --json");
    const numbers = all.map((line) => Number(JSON.parse(line).blockNumber));
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
    const [from, to] = [numbers[3]!, numbers[8]!];
    const part = await run(`replay blocks --from ${from} --to ${to} --json`);
    // What changed before the first is part of the market that it begins with.
    expect(part.slice(1)).toEqual(all.slice(4, 9));
    const quotes = await run(`replay quote 1 WETH USDC --from ${from} --to ${to} --json`);
    const whole = await run("replay quote 1 WETH USDC --json");
    const amounts = (lines: string[]) => lines.map((line) => JSON.parse(line).data.amountOut);
    expect(amounts(quotes)).toEqual(amounts(whole).slice(3, 9));
    expect(new Set(amounts(whole)).size).toBeGreaterThan(1);
  });

  it("says which blocks it has where one is asked for that it has not", async () => {
    const { code, out, err } = await runHere([
      "replay",
      "blocks",
      "--from",
      "1",
      "--history",
      file,
    ]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/no state of block 1 is kept: those from \d+ to \d+ are/);
  });

  it("is exported", async () => {
    const out = join(folder, "trades.csv");
    const [told] = await run(`export trades --out ${out}`);
    const rows = readFileSync(out, "utf8").trimEnd().split("\r\n").length - 1;
    expect(told).toBe(`${rows} rows in ${out}`);
    expect(rows).toBeGreaterThan(5);
    const candles = join(folder, "candles.parquet");
    const pool = readFileSync(out, "utf8").split("\r\n")[1]!.split(",")[5];
    const words = `export candles --pool ${pool} --interval 1m --format parquet --out ${candles}`;
    expect(await run(words)).toEqual([expect.stringMatching(/^[1-9]\d* rows in /)]);
    expect(readFileSync(candles).subarray(0, 4).toString()).toBe("PAR1");
  });

  it("is not replaced by what is exported of it", async () => {
    for (const out of [file, `${file}-wal`]) {
      const { code, err } = await runHere(["export", "trades", "--out", out, "--history", file]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("history itself") });
    }
  });

  it.each([
    ["export trades", "--out"],
    ["export candles --out x.csv", "--token or --pool"],
    ["export trades --out x.csv --from yesterday", "a time of ISO 8601"],
    ["export trades --out x.csv --devnet ETH", "--history alone"],
  ])("refuses %s", async (words, why) => {
    const { code, err } = await runHere([...words.split(" "), "--history", file]);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });
});
