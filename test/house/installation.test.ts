import { execFile, execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root, sources, text } from "./sourceText.ts";

// The claim of docs/security.md on binaries: each is fetched by a hash in the repository.

const { optionalDependencies: nodes } = JSON.parse(text("package.json"));

describe("what is installed", () => {
  it("runs no script of its own", () => {
    expect(text("pnpm-workspace.yaml")).toMatch(/^onlyBuiltDependencies: \[\]$/m);
  });

  it("has for each platform of run.mjs a Node that the lockfile knows by its hash", () => {
    const table = /const NODES = \{([^}]+)\}/.exec(text("run.mjs"))![1]!;
    const packages = [...table.matchAll(/: "([^"]+)"/g)].map(([, name]) => name!);
    expect(packages.sort()).toEqual(Object.keys(nodes).sort());
    expect(packages.length).toBeGreaterThan(3);
    for (const name of packages) {
      expect(nodes[name]).toMatch(/^22\.\d+\.\d+$/);
      const entry = `\n  ${name}@${nodes[name]}:\n    resolution: {integrity: sha512-`;
      expect(text("pnpm-lock.yaml")).toContain(entry);
    }
  });

  it("runs these tests", () => {
    const own = realpathSync(process.execPath).slice(
      realpathSync(join(root, "node_modules")).length,
    );
    const name = Object.keys(nodes).find((each) => own.includes(`${each}@${nodes[each]}`));
    expect(process.version).toBe(`v${nodes[name!]}`);
  });

  it("is loaded as a native HTTP library only where its hash was compared", () => {
    const ofValues = /^\s*import\s+(?!type\b)[^;"]*from\s*"uWebSockets\.js"/m;
    const loading = sources.filter((path) => ofValues.test(text(path)));
    expect(loading.filter((path) => !path.startsWith("benchmarks/"))).toEqual([]);
    expect(loading).not.toEqual([]);
  });
});

describe("the pnpm that installs", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-pnpm-"));
  const project = join(folder, "project");
  const tarball = packed();
  const registry = createServer((_, response) => response.end(tarball));
  beforeAll(() => once(registry.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => {
    registry.close();
    rmSync(folder, { recursive: true });
  });

  /** A package of that name, as a registry would send it. */
  function packed(): Buffer {
    const home = join(folder, "package");
    mkdirSync(join(home, "bin"), { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "pnpm", version: "1.0.0" }));
    writeFileSync(join(home, "bin", "pnpm.cjs"), `console.log("this ran");`);
    return execFileSync("tar", ["-C", folder, "-czf", "-", "package"]);
  }

  /** Runs it in a project whose package.json names this one, with a registry that has another. */
  async function pnpm(named: string) {
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ packageManager: named }));
    cpSync(join(root, "run.mjs"), join(project, "run.mjs"));
    const { port } = registry.address() as AddressInfo;
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(folder, "cache"),
      // By default a download with a wrong hash is retried after ten and after sixty seconds.
      npm_config_fetch_retries: "0",
    };
    const run = promisify(execFile)(process.execPath, ["run.mjs", "pnpm"], { cwd: project, env });
    return run.catch((failure: { readonly stdout: string; readonly stderr: string }) => failure);
  }

  it("runs when it has the hash of package.json", async () => {
    const { stdout, stderr } = await pnpm(`pnpm@1.0.0+sha512.${hash("sha512", tarball)}`);
    expect([stderr, stdout]).toEqual(["", "this ran\n"]);
  });

  it("is refused when it has another one, and nothing of it stays", async () => {
    const other = await pnpm(`pnpm@1.0.0+sha512.${hash("sha512", "another")}`);
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toContain("EINTEGRITY");
    expect(other.stderr).toContain("millrace: pnpm@1.0.0 cannot be installed");
    expect(readdirSync(join(project, "node_modules", ".millrace-pnpm"))).toEqual([]);
  });

  it("is refused without a hash", async () => {
    const none = await pnpm("pnpm@1.0.0");
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toContain("is no pnpm@VERSION+sha512.HASH");
  });
});
