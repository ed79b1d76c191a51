import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
/** Prints the address of each module that is loaded. */
const PRINTER = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });`,
)}`;

/** The modules that a program loads. */
function modulesOf(program: string): ReadonlyArray<string> {
  const hooks = [new URL("withoutTypes.mjs", ROOT).href, PRINTER].flatMap((url) => [
    "--import",
    url,
  ]);
  const args = [...hooks, new URL(program, ROOT).pathname];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return stdout.split("\n").filter((url) => url.startsWith("file:"));
}

describe("the modules of a thread", () => {
  // Each thread loads its own, and keeps them in memory.
  it.each([
    "packages/core/src/workers/searchWorker.ts",
    "packages/history/src/embedded/copyWorker.ts",
    "packages/history/src/embedded/historyWorker.ts",
  ])("of %s are ours alone, and few", (entry) => {
    // Outside of a thread it ends with an error, once all is loaded.
    const modules = modulesOf(entry);
    expect(modules[0]).toContain(entry);
    expect(modules.length).toBeLessThan(100);
    expect(modules.filter((url) => url.includes("/node_modules/"))).toEqual([]);
  });
});

describe("the modules of the service", () => {
  // viem's entry loads its clients too, which the service does not use.
  it("are of viem only those of `viem/utils`", () => {
    const modules = modulesOf("apps/server/src/index.ts");
    expect(modules.length).toBeGreaterThan(500);
    const names = modules.map((url) => url.split("/node_modules/").at(-1)!);
    expect(names.filter((name) => /^viem\/_esm\/(index|clients)\b/.test(name))).toEqual([]);
    expect(names).toContain("viem/_esm/utils/index.js");
  });
});
