import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

const TICKER = new URL("../src/ticker.ts", import.meta.url);
const BOT = new URL("../src/roundTripBot.ts", import.meta.url);
const SERVICE = new URL("../../server/src/main.ts", import.meta.url);

/** Each as a person would run it, on a chain that it or the service starts. */
const PATIENCE = { timeout: 60_000 };

const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, "SIGKILL");
});

describe("the price ticker", PATIENCE, () => {
  it("tells the prices of ten tokens, and then those that change, for as long as it runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-examples-"));
    const config = join(folder, "config.json");
    const source = { kind: "devnet", market: "ETH", trafficEveryMs: 300 };
    const network = { id: "ETH", name: "Devnet", chainId: 0x6d696c01, source };
    writeFileSync(config, JSON.stringify({ networks: [{ ...network, headAgeLimitMs: null }] }));
    const service = start(SERVICE, [], {
      ...{ PORT: "0", MILLRACE_CONFIG: config, MILLRACE_GRACE_PERIOD_MS: "500" },
    });
    const [url] = await service.line(/http:\/\/127\.0\.0\.1:\d+/);
    rmSync(folder, { recursive: true });
    while (!(await answers(`${url}/health/ready`))) await later();
    const ticker = start(TICKER, [url, "ETH"]);
    const [first] = await ticker.line(/block \d+: .+/);
    expect(first.match(/\w+ \d[\d.e+-]*(,|$)/g)).toHaveLength(10);
    expect(Number(/WETH ([\d.]+)/.exec(first)?.[1])).toBeGreaterThan(100);
    const blocks = () => new Set(ticker.output().match(/^block \d+/gm));
    while (blocks().size < 4) await ticker.more();
    // What a service that goes away leaves is a ticker that waits for it.
    await end(service.child, "SIGTERM");
    await ticker.line(/lost closed with 1012/);
    expect(ticker.child.exitCode).toBeNull();
  });
});

describe("the bot", PATIENCE, () => {
  it("finds round trips on a chain of its own, and gains more by them than their gas", async () => {
    const bot = start(BOT);
    const [, rpcUrl] = await bot.line(/watching \d+ pools of (\S+)/);
    const trip = /block \d+: (\w+), (-?[\d.]+) WETH gained for ([\d.]+) of gas/g;
    const trips = () => [...bot.output().matchAll(trip)];
    while (trips().length < 3) await bot.more();
    for (const [, status, gained, paid] of trips()) {
      expect(status).toBe("success");
      expect(Number(gained)).toBeGreaterThan(Number(paid));
    }
    await end(bot.child, "SIGINT");
    // The chain ends with the bot, however that ends.
    while (await isThere(rpcUrl!)) await later();
  });
});

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Waits for the next output; rejects when it has ended. */
  readonly more: () => Promise<unknown>;
  /** Waits for output of the form. */
  readonly line: (form: RegExp) => Promise<RegExpExecArray>;
}

function start(
  file: URL,
  words: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {},
): Running {
  const args = ["--disable-warning=ExperimentalWarning", file.pathname, ...words];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => {
      output += data;
      child.emit("told");
    });
  }
  const more = async (): Promise<void> => {
    const isOver = await Promise.race([
      once(child, "told").then(() => false),
      once(child, "close").then(() => true),
    ]);
    if (isOver) throw new Error(`it has ended: ${output}`);
  };
  const line = async (form: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = form.exec(output);
      if (found !== null) return found;
      await more();
    }
  };
  return { child, more, line, output: () => output };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

const answers = (url: string): Promise<boolean> => fetch(url).then(({ ok }) => ok);

const isThere = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

const later = () => new Promise((resolve) => setTimeout(resolve, 20));
