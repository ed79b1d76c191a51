import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
/** Prints the address of each module that is loaded. */
const PRINTER = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });`,
)}`;

describe("the modules of a thread", () => {
  // Each thread loads its own, and keeps them in memory.
  it.each([
    "packages/core/src/workers/searchWorker.ts",
    "packages/history/src/embedded/copyWorker.ts",
    "packages/history/src/embedded/historyWorker.ts",
  ])("of %s are ours alone, and few", (entry) => {
    const program = new URL(entry, ROOT).pathname;
    const hooks = [new URL("withoutTypes.mjs", ROOT).href, PRINTER].flatMap((url) => [
      "--import",
      url,
    ]);
    // Outside of a thread it ends with an error, once all is loaded.
    const { stdout } = spawnSync(process.execPath, [...hooks, program], { encoding: "utf8" });
    const modules = stdout.split("\n").filter((url) => url.startsWith("file:"));
    expect(modules[0]).toContain(entry);
    expect(modules.length).toBeLessThan(100);
    expect(modules.filter((url) => url.includes("/node_modules/"))).toEqual([]);
  });
});
