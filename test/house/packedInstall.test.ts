import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Engine } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { sharedDataPath } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// The steps of a bot's author: installs the packages from their tarballs into an empty project, and
// quotes with plain JavaScript. A long run does much more: apps/pack/test/installs.test.ts.

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["core", "protocols", "replay", "chain"];
const universe = sharedDataPath("ethereum-2026-03/universe-a.json");
const STEP_MS = 600_000;

const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const PEPE = "0x6982508145454ce325ddbe47a25d4ec3d2311933";
const REQUESTS = [
  { from: USDC, to: WETH, amount: "1000000000", kind: "exactIn" },
  { from: PEPE, to: USDC, amount: "1000000000000000000000000", kind: "exactIn" },
  { from: WETH, to: PEPE, amount: "5000000000000000000000000", kind: "exactOut" },
] as const;
/** Options of many paths, for which a worker thread searches. */
const HEAVY = { maxHops: 3, maxSplits: 64 };

const BOT = `
import { chainSource } from "@millrace/chain";
import { Engine } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { Effect } from "effect";

if (typeof chainSource !== "function") throw new Error("no chain source");
const requests = ${JSON.stringify(REQUESTS)};
const bot = Effect.gen(function* () {
  const source = yield* marketFile(process.argv[2]);
  const curvesModule = new URL(import.meta.resolve("@millrace/protocols/curves"));
  const engine = yield* Engine.make({ source, curves, workers: { count: 1, curvesModule } });
  yield* engine.workers.ready;
  const asked = requests.map(({ from, to, amount, kind }) => ({
    tokenIn: engine.graph.findToken(from),
    tokenOut: engine.graph.findToken(to),
    kind,
    amount: BigInt(amount),
    maxHops: 3,
  }));
  const quotes = asked.map(engine.quoteUnsafe);
  const heavy = yield* engine.quote({ ...asked[0], ...${JSON.stringify(HEAVY)} });
  return { quotes: [...quotes, heavy], counts: engine.workers.counts() };
});
const answer = await Effect.runPromise(Effect.scoped(bot));
console.log(JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? String(value) : value)));
`;

describe("the packed packages, installed into an empty project", () => {
  const project = mkdtempSync(join(tmpdir(), "millrace-packed-"));

  beforeAll(async () => {
    const words = ["--to", project, "--unchecked", ...PACKAGES];
    const pack = [join(root, "apps/pack/src/main.ts"), ...words];
    // Fails where publint or attw finds anything.
    await run(process.execPath, pack, { cwd: root, timeout: 2 * STEP_MS });
    const tarballs = readdirSync(join(project, "packages"));
    expect(tarballs).toHaveLength(PACKAGES.length);
    writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run(
      "npm",
      [
        "install",
        "--prefer-offline",
        "--no-audit",
        "--no-fund",
        "--no-progress",
        // A connection to the registry may go silent, and npm waits for minutes.
        "--fetch-timeout=20000",
        ...tarballs.map((file) => `./packages/${file}`),
        ...["effect@4.1.0"],
      ],
      { cwd: project, timeout: STEP_MS },
    );
  }, 3 * STEP_MS);

  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("hold JavaScript with declarations and maps, sources, README and licence", () => {
    for (const name of PACKAGES) {
      const folder = join(project, "node_modules/@millrace", name);
      expect(readdirSync(folder)).toEqual(
        expect.arrayContaining(["LICENSE", "README.md", "dist", "package.json", "src"]),
      );
      const files = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" });
      expect(files).toEqual(
        expect.arrayContaining(["index.js", "index.js.map", "index.d.ts", "index.d.ts.map"]),
      );
      expect(files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))).toEqual([]);
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      expect(JSON.stringify(manifest)).not.toContain("workspace:");
      expect(manifest).not.toHaveProperty("scripts");
      expect(manifest).toMatchObject({
        ...{ license: "MIT", main: "./dist/index.js", types: "./dist/index.d.ts" },
        repository: { type: "git", directory: `packages/${name}` },
      });
    }
  });

  it("quote a real market as the workspace does, in the bot's thread and in one of theirs", async () => {
    writeFileSync(join(project, "bot.js"), BOT);
    // The program ends by itself only after its thread has ended.
    const { stdout, stderr } = await run(process.execPath, ["bot.js", universe], {
      cwd: project,
      timeout: STEP_MS,
      maxBuffer: 1 << 24,
    });
    expect(stderr).toBe("");
    const { quotes, counts } = JSON.parse(stdout);
    expect(counts).toEqual({ answered: 1, torn: 0, searchedHere: 0, lost: 0 });
    expect(quotes).toHaveLength(REQUESTS.length + 1);
    expect(quotes).toEqual(JSON.parse(await workspaceAnswer()));
    for (const quote of quotes) expect(quote).toMatchObject({ found: true });
    expect(quotes.at(-1).steps.length).toBeGreaterThan(HEAVY.maxHops);
  });

  it("have types that a strict project compiles against", async () => {
    writeFileSync(
      join(project, "bot.ts"),
      `import { openMarket, type Quote } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
export const market = openMarket(1, curves);
export const amount = (quote: Quote): bigint => quote.amountOut;
export const source = marketFile("market.json");
// @ts-expect-error an address is not a string of any shape
market.graph.findToken(1);
`,
    );
    const compiler = join(
      dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))),
      "bin/tsc",
    );
    const options = [
      "--strict",
      "--noEmit",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--lib",
      "es2024,dom",
    ];
    const { stdout } = await run(process.execPath, [compiler, ...options, "bot.ts"], {
      cwd: project,
      timeout: STEP_MS,
    });
    expect(stdout).toBe("");
  });
});

async function workspaceAnswer(): Promise<string> {
  const bot = Effect.gen(function* () {
    const engine = yield* Engine.make({ source: yield* marketFile(universe), curves });
    const asked = REQUESTS.map(({ from, to, amount, kind }) => ({
      tokenIn: engine.graph.findToken(from)!,
      tokenOut: engine.graph.findToken(to)!,
      kind,
      amount: BigInt(amount),
      maxHops: 3,
    }));
    return [...asked, { ...asked[0]!, ...HEAVY }].map(engine.quoteUnsafe);
  });
  const quotes = await Effect.runPromise(Effect.scoped(bot));
  return JSON.stringify(quotes, (_, value) => (typeof value === "bigint" ? String(value) : value));
}
