import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { describe, expect, it } from "vitest";

const CLIENT = new URL("../src/index.ts", import.meta.url);
const SOURCES = [new URL("../src/", import.meta.url), new URL("../../api/src/", import.meta.url)];

/**
 * Resolves as a browser's tools do, refuses every module of Node's own, takes its globals away, and
 * uses the client then.
 */
const PROGRAM = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      const conditions = context.conditions.filter((name) => name !== "node" && name !== "require");
      const found = next(specifier, { ...context, conditions: ["browser", ...conditions] });
      if (found.url.startsWith("node:")) throw new Error(specifier + " for " + context.parentURL);
      return found;
    },
  });
  const { log } = console;
  for (const name of ["Buffer", "process", "setImmediate", "clearImmediate"]) delete globalThis[name];
  globalThis.WebSocket = class { close() {} };
  const { Client } = await import(${JSON.stringify(CLIENT.href)});
  const client = new Client("http://service.test");
  client.onState((state) => log(state));
  const reading = client.blocks("ETH")[Symbol.asyncIterator]().next();
  client.close();
  log((await reading).done);
`;

describe("the client and the interface that it imports", () => {
  it("load and run where there is nothing of Node's", () => {
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", PROGRAM];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([stderr, stdout, status]).toEqual(["", "connecting\nclosed\ntrue\n", 0]);
  });

  it("name no module of Node's anywhere", () => {
    const imported = SOURCES.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .flatMap((path) => {
          const text = readFileSync(new URL(path, folder), "utf8");
          const targets = text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g);
          return [...targets].map(([, target]) => target!);
        }),
    );
    expect(imported.length).toBeGreaterThan(100);
    expect(imported.filter((target) => isBuiltin(target))).toEqual([]);
  });
});
