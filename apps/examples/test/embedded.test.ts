import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { killProcesses, sharedDataPath, TestProcess } from "@millrace/testing";
import { exampleRuns } from "@millrace/testing/examples";
import { afterEach, describe, expect, it } from "vitest";

// The examples of the facade, from the sources; apps/pack/test/installs.test.ts runs all of
// them from the tarballs.

const MARKET = sharedDataPath("ethereum-2026-03/universe-a.json");
const FILES = [
  new URL("../src/firstQuote.ts", import.meta.url),
  new URL("../src/arbitrageBot.ts", import.meta.url),
  new URL("../src/quoteServer.ts", import.meta.url),
  new URL("../src/priceAlert.ts", import.meta.url),
  new URL("../src/portfolio.ts", import.meta.url),
  new URL("../src/backTest.ts", import.meta.url),
  new URL("../src/ladder.ts", import.meta.url),
].map((url) => fileURLToPath(url));
const pathOf = (file: string) => FILES.find((path) => path.endsWith(`/${file}`))!;
/** Those with a chain of their own are for long runs. */
const ON_PUSH = exampleRuns.filter(({ hasDevnet }) => !hasDevnet);

afterEach(killProcesses);

describe("an example of the facade", { timeout: 120_000 }, () => {
  it.each(ON_PUSH)("$file does what it says", async ({ see }) => {
    await see((file, ...words) => new TestProcess(pathOf(file), { words }), MARKET);
  });

  it("has at most ten lines to the first quote, and 25 to a mined swap", () => {
    expect(linesOf("firstQuote.ts")).toBeLessThanOrEqual(10);
    expect(linesOf("arbitrageBot.ts")).toBeLessThanOrEqual(25);
  });
});

/** What one types: the installation, and the program without its comments. */
function linesOf(file: string): number {
  const program = readFileSync(pathOf(file), "utf8").replaceAll(/\/\*\*.*?\*\//gs, "");
  const typed = program.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line));
  return 1 + typed.length;
}
