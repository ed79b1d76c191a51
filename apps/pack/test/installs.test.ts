import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  eventually,
  killProcesses,
  sharedDataPath,
  TEST_EFFORT,
  TestProcess,
} from "@millrace/testing";
import { exampleRuns } from "@millrace/testing/examples";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../src/publicPackages.ts";
import { runProgram } from "../src/runProgram.ts";
import { bundled } from "./install/bundled.ts";
import {
  InstalledProject,
  type Installer,
  type ProjectOptions,
} from "./install/InstalledProject.ts";
import { type AllTools, installTools } from "./install/installTools.ts";
import { PackageRegistry } from "./install/PackageRegistry.ts";
import {
  BESIDE_EFFECT_3,
  CLIENT_MODULE,
  FACADE_COMMON,
  FACADE_MODULE,
  TYPED,
  typeOptions,
} from "./install/programs.ts";

// What a stranger does, with each client and each Node: installs our tarballs into an empty
// project, and uses them. It takes many minutes, so only a long run does it; a push installs four
// packages (test/house/packedInstall.test.ts).

const root = fileURLToPath(new URL("../../../", import.meta.url));
const MARKET = sharedDataPath("ethereum-2026-03/universe-a.json");
const PACKING_MS = 1_800_000;
const HALF_HOUR = { timeout: 1_800_000 };
const ALL_OF_IT = ["millrace", "@millrace/client", "@millrace/core", "@millrace/protocols"].concat(
  ...["@millrace/replay", "effect"],
);
const KB = 1_000;
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
/** What a warning of Node's is no news. */
const QUIET = "--disable-warning=ExperimentalWarning";

describe.runIf(TEST_EFFORT > 1)("the tarballs, installed by strangers", HALF_HOUR, () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-installs-"));
  let tools: AllTools;
  let registry: PackageRegistry;

  beforeAll(async () => {
    const pack = [join(root, "apps/pack/src/main.ts"), "--to", folder];
    [tools] = await Promise.all([
      installTools(join(folder, "tools")),
      // It fails where publint or attw has something to say.
      runProgram(process.execPath, pack, root),
    ]);
    registry = await PackageRegistry.open(join(folder, "packages"));
  }, PACKING_MS);

  afterEach(killProcesses);

  afterAll(() => {
    registry?.close();
    rmSync(folder, { recursive: true, force: true });
  }, PACKING_MS);

  const install = (options: Pick<ProjectOptions, "installer" | "tools" | "packages">) =>
    InstalledProject.install({
      ...{ folder: mkdtempSync(join(folder, "project-")), bun: tools.bun, registry },
      ...options,
    });

  it("hold JavaScript with declarations and maps, sources, README, licence, and run no scripts", async () => {
    expect(registry.packages.size).toBeGreaterThan(12);
    for (const name of readdirSync(join(folder, "staged"))) {
      const staged = join(folder, "staged", name);
      expect(readdirSync(staged)).toEqual(
        expect.arrayContaining(["LICENSE", "README.md", "dist", "package.json", "src"]),
      );
      const files = readdirSync(join(staged, "dist"), { recursive: true, encoding: "utf8" });
      expect(files).toEqual(
        expect.arrayContaining(["index.js", "index.js.map", "index.d.ts", "index.d.ts.map"]),
      );
      expect(files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))).toEqual([]);
      const manifest = readManifest(staged);
      expect(JSON.stringify(manifest)).not.toContain("workspace:");
      expect(manifest).not.toHaveProperty("scripts");
      expect(manifest).toMatchObject({
        ...{ license: "MIT", main: "./dist/index.js", types: "./dist/index.d.ts" },
        repository: { type: "git", directory: expect.stringMatching(/^(packages|apps)\//) },
      });
    }
  });

  const cases = (["oldest", "newest"] as const).flatMap((age) =>
    (["npm", "pnpm"] as const).map((installer) => ({ age, installer })),
  );
  it.each(cases)(
    "work with $installer on the $age Node: modules, CommonJS, types, bundles",
    async ({ age, installer }) => {
      const packages = [...ALL_OF_IT, "@types/node@22"];
      const project = await install({ installer, tools: tools[age], packages });
      await expectQuotes(project);
      await expectClient(project);
      await expectTypes(project);
      const page = await bundled(project.folder, "@millrace/client", "browser");
      expect(page.imports).toEqual([]);
      expect(page.gzipBytes).toBeLessThanOrEqual(85 * KB);
      const core = await bundled(project.folder, "@millrace/core", "node");
      expect(core.gzipBytes).toBeLessThanOrEqual(150 * KB);
      expect(scriptsBelow(project.folder)).toEqual([]);
    },
  );

  it("work with Bun", async () => {
    const { oldest, bun } = tools;
    const project = await install({ installer: "bun", tools: oldest, packages: ALL_OF_IT });
    await expectQuotes(project, bun);
    await expectClient(project, bun);
  });

  it.each(["npm", "pnpm"] as const)(
    "work beside another Effect of the project's own, with %s",
    async (installer: Installer) => {
      const packages = ["effect@3", "millrace", "@millrace/client"];
      const project = await install({ installer, tools: tools.oldest, packages });
      expect(project.versionFor("effect")).toMatch(/^3\./);
      for (const path of [["millrace"], ["millrace", "@millrace/core"], ["@millrace/client"]]) {
        expect(project.versionFor("effect", ...path)).toMatch(/^4\./);
      }
      project.write("beside.mjs", BESIDE_EFFECT_3);
      const { out } = await project.node(["beside.mjs", MARKET]);
      expect(out).toMatch(/^42 function\n\d{10} \d+$/);
      await expectClient(project);
    },
  );

  it("bring every example, with what it starts", async () => {
    const packages = ["millrace", "@millrace/devnet", "viem@2.57.1"];
    const project = await install({ installer: "npm", tools: tools.oldest, packages });
    for (const { file, see } of exampleRuns) {
      project.write(file, readFileSync(join(root, "apps/examples/src", file), "utf8"));
      await see((name, ...words) => new TestProcess(join(project.folder, name), { words }), MARKET);
    }
    // And the service, on the two chains that it has where nothing is said.
    const devnets = await served(join(project.folder, "node_modules/.bin/millrace"), {});
    expect(await devnets.get("/ETH/tokenList")).toMatchObject({ status: 200 });
  });

  it("are a service without what develops it, from the tarballs or by name", async () => {
    const prefix = join(folder, "production");
    const npm = `"${tools.oldest.node}" "${tools.oldest.npm}" install --no-audit --prefer-offline`;
    const project = await install({
      installer: "npm",
      tools: tools.oldest,
      packages: ["ws@8.21.0"],
    });
    // As docs/operating.md has it.
    const shell = (words: string) => project.command(["sh", "-c", words], PACKING_MS);
    await shell(`${npm} --prefix ${prefix} ${folder}/packages/millrace-[!d]*.tgz`);
    const installed = readdirSync(join(prefix, "node_modules"));
    expect(installed).toEqual(expect.arrayContaining(["@millrace", "effect", "millrace"]));
    expect(installed).not.toEqual(expect.arrayContaining(["@foundry-rs"]));
    expect(installed.length).toBeLessThan(30);
    await expectService(join(prefix, "node_modules/.bin/millrace"));
    const global = join(folder, "global");
    // npm reads no project's settings for what it installs globally.
    const scope = `--@millrace:registry=${registry.url}`;
    await shell(`${npm} --global --prefix ${global} ${scope} ${registry.specOf("millrace")}`);
    await expectService(join(global, "bin/millrace"));
  });
});

/** The service of an installed command, once it is ready. */
async function served(command: string, environment: Readonly<Record<string, string>>) {
  const quiet = { PORT: "0", MILLRACE_GRACE_PERIOD_MS: "500", HOME: tmpdir() };
  const service = new TestProcess(command, {
    words: ["serve"],
    environment: { ...quiet, ...environment },
  });
  const [, url] = await service.line(/listens on (http:\/\/\S+)/);
  const get = async (path: string, body?: string) => {
    const options = body === undefined ? {} : { method: "POST", body };
    const response = await fetch(`${url}${path}`, options);
    return { status: response.status, text: await response.text() };
  };
  await eventually(async () => (await get("/health/ready")).status === 200);
  return { service, get };
}

/** It answers a recorded market, searches in a thread, and ends well. */
async function expectService(command: string): Promise<void> {
  const version = new TestProcess(command, { words: ["--version"] });
  expect(await version.exit).toBe(0);
  expect(version.output.out).toContain("0.1.0");
  const { service, get } = await served(command, {
    MILLRACE_MARKET_FILE: MARKET,
    MILLRACE_SEARCH_WORKERS: "1",
  });
  const asked = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };
  const quote = await get("/ETH/quote", JSON.stringify(asked));
  expect(quote).toMatchObject({ status: 200 });
  // The thread takes a moment to start; until then the event loop searches.
  const heavy = JSON.stringify({ ...asked, maxHops: 4, maxSplits: 64 });
  await eventually(async () => {
    expect(await get("/ETH/quote", heavy)).toMatchObject({ status: 200 });
    const { text } = await get("/metrics");
    return /millrace_search_workers_answers_total\{.*\} [1-9]/.test(text);
  });
  expect(await service.end("SIGTERM")).toBe(0);
}

async function expectQuotes(project: InstalledProject, program?: string): Promise<void> {
  project.write("facade.mjs", FACADE_MODULE);
  project.write("facade.cjs", FACADE_COMMON);
  const flags = program === undefined ? [QUIET] : [];
  const asModule = await project.node([...flags, "facade.mjs", MARKET], program);
  const asCommon = await project.node([...flags, "facade.cjs", MARKET], program);
  expect(asModule.out).toMatch(/^\d{10} \d+$/);
  expect(asModule.err).toBe("");
  expect(asCommon).toEqual(asModule);
}

async function expectClient(project: InstalledProject, program?: string): Promise<void> {
  project.write("client.mjs", CLIENT_MODULE);
  const { out } = await project.node(["client.mjs"], program);
  expect(out).toBe("connecting\nclosed\ntrue\nrefused");
}

/** By the newest compiler, with the declarations of all others checked as well. */
async function expectTypes(project: InstalledProject): Promise<void> {
  const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
  project.write("typed.ts", TYPED);
  for (const resolution of ["nodenext", "bundler"] as const) {
    project.write("tsconfig.json", typeOptions(resolution));
    const { out } = await project.node([join(dirname(manifest), "bin/tsc"), "-p", "."]);
    expect(out).toBe("");
  }
}

/** Packages whose installation would run something. */
function scriptsBelow(folder: string): string[] {
  const paths = readdirSync(join(folder, "node_modules"), { recursive: true, encoding: "utf8" });
  const manifest = /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;
  return paths
    .filter((path) => manifest.test(`node_modules/${path}`))
    .filter((path) => {
      const text = readFileSync(join(folder, "node_modules", path), "utf8");
      const { scripts = {} } = JSON.parse(text);
      return ["preinstall", "install", "postinstall"].some((name) => name in scripts);
    });
}
