import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { startVitest } from "vitest/node";
import { LawReporter } from "../src/LawReporter.ts";

const folder = mkdtempSync(join(tmpdir(), "millrace-reporter-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the files of the folder; what the reporter says, and the names of the tests that ran. */
async function run(testNamePattern?: string) {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const options = { root: folder, config: false, watch: false, globals: true } as const;
  const selection = testNamePattern === undefined ? {} : { testNamePattern };
  // What fails here on purpose is no failure of a long run that this one is part of.
  vi.stubEnv("MILLRACE_TEST_REPORT", undefined);
  const reporters = [new LawReporter()];
  vi.unstubAllEnvs();
  const exitCode = process.exitCode;
  const vitest = await startVitest("test", [], { ...options, ...selection, reporters });
  await vitest.close();
  process.exitCode = exitCode;
  const text = said.mock.calls.join("\n");
  said.mockRestore();
  const tests = vitest.state.getTestModules().flatMap(({ children }) => [...children.allTests()]);
  const ran = tests.filter((test) => test.result().state !== "skipped");
  return { text, ran: ran.map(({ name }) => name) };
}

describe("the report of laws", () => {
  it("gives a command of a failure that runs that test, and no other", async () => {
    const failing = 'fails (1 + 1 is not 3) > at $5 [for `a` | "b"]!';
    writeFileSync(
      join(folder, "some.test.mjs"),
      `describe("a group", () => {
      describe("of a group", () => it(${JSON.stringify(failing)}, () => expect(1 + 1).toBe(3)));
      it("passes", () => {});
    });`,
    );
    const all = await run();
    expect(all.ran).toEqual([failing, "passes"]);
    const [, pattern] = all.text.match(/npm test -- some\.test\.mjs -t "([^"]*)"/u)!;
    expect((await run(pattern)).ran).toEqual([failing]);
  });
});
