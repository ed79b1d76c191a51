import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../src/runProgram.ts";

/** What installs, and the Node that it runs on: as they come together. */
export interface InstallTools {
  readonly node: string;
  readonly npm: string;
  readonly pnpm: string;
}

export interface AllTools {
  /** The oldest Node that `engines` allows, and what it came with. */
  readonly oldest: InstallTools;
  /** The newest of all. */
  readonly newest: InstallTools;
  readonly bun: string;
}

/** A connection to the registry may go silent, and npm waits for five minutes. */
export const FETCHING_MS = 20_000;
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

/** Installs them from the registry into a folder. */
export async function installTools(folder: string): Promise<AllTools> {
  const { engines } = JSON.parse(
    readFileSync(join(root, "packages/millrace/package.json"), "utf8"),
  );
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const oldestNode = `${/^>=(\d+\.\d+)$/.exec(engines.node)![1]}.0`;
  const pnpm = /^pnpm@([^+]+)/.exec(packageManager)![1];
  const [oldest, newest] = [join(folder, "oldest"), join(folder, "newest")];
  await Promise.all([
    fetchTools(oldest, [`node-${PLATFORM}@${oldestNode}`, "npm@10.9.3", `pnpm@${pnpm}`]),
    fetchTools(newest, [`node-${PLATFORM}`, "npm", "pnpm", `@oven/bun-${PLATFORM}`]),
  ]);
  return {
    oldest: toolsIn(oldest, "pnpm.cjs"),
    newest: toolsIn(newest, "pnpm.mjs"),
    bun: join(newest, "node_modules/@oven", `bun-${PLATFORM}`, "bin/bun"),
  };
}

async function fetchTools(folder: string, specs: ReadonlyArray<string>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const options = ["--loglevel=error", `--fetch-timeout=${FETCHING_MS}`, ...quiet];
  await runProgram("npm", ["install", ...options, ...specs], folder);
}

function toolsIn(folder: string, pnpm: string): InstallTools {
  const modules = join(folder, "node_modules");
  return {
    node: join(modules, `node-${PLATFORM}`, "bin/node"),
    npm: join(modules, "npm/bin/npm-cli.js"),
    pnpm: join(modules, "pnpm/bin", pnpm),
  };
}

/** What is of this run, and no business of a stranger's. */
const OWN_VARIABLES = /^(npm_|MILLRACE_|VITEST|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD|TEST|DEV$|PROD$)/i;

/** The machine's environment, in which a program finds this Node first. */
export function environmentOf({ node }: InstallTools): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.test(name));
  const { PATH = "", ...rest } = Object.fromEntries(kept) as Record<string, string>;
  return { ...rest, PATH: `${dirname(node)}:${PATH}`, NO_COLOR: "1", CI: "true" };
}
