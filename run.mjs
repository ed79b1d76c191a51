// The one file that runs before anything is installed, on whatever Node (18 or later) started it.
// It sets the project up when the lockfile has changed, then hands over to the project's own Node:
//   node run.mjs FILE.ts [...]   runs a TypeScript file
//   node run.mjs check           format, lint, dead exports, types
//   node run.mjs emit PACKAGE    writes PACKAGE/dist: JavaScript and declarations, for packing
//   node run.mjs TOOL [...]      runs a tool of node_modules/.bin
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".millrace-lockfile");
const projectNode = join(
  modules,
  "node",
  "bin",
  process.platform === "win32" ? "node.exe" : "node",
);
const packageManager = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager;

function fail(message) {
  console.error(`millrace: ${message}`);
  process.exit(1);
}

function setUp() {
  const stamp = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .update(process.platform + process.arch)
    .digest("hex");
  const current = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  if (current === stamp && existsSync(projectNode)) return;
  console.error(`millrace: installing with ${packageManager} (once for each lockfile);`);
  console.error("millrace: what it says of this Node does not matter, the project brings its own");
  rmSync(stampFile, { force: true });
  const install = spawnSync(
    "npx",
    ["--yes", packageManager, "install", "--frozen-lockfile", "--config.confirmModulesPurge=false"],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" },
  );
  if (install.status !== 0)
    fail(`the installation failed (${install.error?.message ?? `exit code ${install.status}`})`);
  if (!existsSync(projectNode))
    fail("the installation brought no Node: is its install script allowed?");
  mkdirSync(modules, { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** Runs one command on the project's Node, passing signals on, and gives its exit code. */
function run(args) {
  return new Promise((done) => {
    const path = [dirname(projectNode), join(modules, ".bin"), process.env.PATH].join(
      process.platform === "win32" ? ";" : ":",
    );
    const child = spawn(projectNode, args, {
      stdio: "inherit",
      env: { ...process.env, PATH: path },
    });
    // A signal to the group reaches the child as well; one to this process alone is passed on.
    const forward = (signal) => child.exitCode === null && child.kill(signal);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);
    if (process.env.npm_lifecycle_event !== undefined) endWithParent(child);
    child.on("error", (error) => fail(error.message));
    child.on("exit", (code, signal) => done(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
}

/** npm passes no signals on: when it is gone, what it started has to end as well. */
function endWithParent(child) {
  const ancestors = () => `${process.ppid} ${parentOf(process.ppid)}`;
  const before = ancestors();
  const watch = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 500);
  watch.unref();
}

/** Between npm and this process there may be a shell, which outlives npm; Linux tells. */
function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) \S /s, "")
      .split(" ", 1)[0];
  } catch {
    return "";
  }
}

/** The script behind a tool's name: what `node_modules/.bin/NAME` starts. */
function tool(name) {
  const packageName = { biome: "@biomejs/biome", tsc: "typescript" }[name] ?? name;
  const manifest = join(modules, packageName, "package.json");
  if (!existsSync(manifest)) fail(`no tool '${name}' here`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const script = typeof bin === "string" ? bin : bin[name];
  return join(modules, packageName, script);
}

async function main([first, ...rest]) {
  if (first === undefined)
    fail("usage: node run.mjs FILE.ts | check | emit PACKAGE | TOOL [ARGUMENT ...]");
  setUp();
  if (first === "check") {
    const checks = [[tool("biome"), "ci", "."], [tool("knip")], [tool("tsc"), "-p", root]];
    const codes = await Promise.all(checks.map(run));
    return codes.find((code) => code !== 0) ?? 0;
  }
  if (first === "emit") {
    const folder = resolve(root, rest[0] ?? fail("emit needs a package's folder"));
    rmSync(join(folder, "dist"), { recursive: true, force: true });
    return run([tool("tsc"), "-p", join(folder, "tsconfig.build.json")]);
  }
  if (/\.m?[jt]s$/.test(first))
    return run(["--disable-warning=ExperimentalWarning", resolve(root, first), ...rest]);
  return run([tool(first), ...rest]);
}

process.exitCode = await main(process.argv.slice(2));
