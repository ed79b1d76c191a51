import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

const texts = new Map<string, string>();

/** Every file of ours, relative to the root. */
export const everything = walk(root);
export const sources = everything.filter((path) => path.endsWith(".ts"));
/** The workspace folders that have sources. */
export const units = sources.reduce((found, path) => {
  const unit = unitOf(path);
  return unit === undefined ? found : found.add(unit);
}, new Set<string>());

/** Files of ours, relative to the root. */
function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (isForeign(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [relative(root, path)];
  });
}

export function folders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || isForeign(entry.name)) return [];
    const path = join(folder, entry.name);
    return [relative(root, path), ...folders(path)];
  });
}

function isForeign(name: string): boolean {
  return name === "node_modules" || name === ".git" || name === "dist";
}

/** The workspace folder of a file, as `packages/core`; undefined for the top level. */
export function unitOf(path: string): string | undefined {
  return /^((packages|apps)\/[^/]+|benchmarks|test)\//.exec(path)?.[1];
}

/** The entries of a package: the file of each name. */
export function entriesOf(unit: string): Readonly<Record<string, string>> {
  const { name, exports = {} } = JSON.parse(text(`${unit}/package.json`));
  return Object.fromEntries(
    Object.entries<string>(exports).map(([entry, path]) => [name + entry.slice(1), path]),
  );
}

export function text(path: string): string {
  let known = texts.get(path);
  if (known === undefined) {
    known = readFileSync(join(root, path), "utf8");
    texts.set(path, known);
  }
  return known;
}

/** The modules that a file imports or exports from, including types and dynamic imports. */
export function importsOf(path: string): string[] {
  const code = text(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const statements = code.matchAll(
    /^\s*(?:import|export)\s[^"';]*?from\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm,
  );
  return [...statements].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** Files that others start as a process or a worker: `new URL("./x.ts", import.meta.url)`. */
export function startedBy(unit: string): string[] {
  return sources
    .filter((path) => path.startsWith(`${unit}/`))
    .flatMap((path) =>
      [...text(path).matchAll(/new URL\(\s*"(\.[^"]+\.ts)"\s*,\s*import\.meta\.url/g)].map(
        (match) => relative(root, resolve(root, dirname(path), match[1]!)),
      ),
    );
}

export function reachedFrom(entries: ReadonlyArray<string>): Set<string> {
  const reached = new Set<string>();
  const pending = [...entries];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path) || !sources.includes(path)) continue;
    reached.add(path);
    pending.push(...imported(path));
  }
  return reached;
}

/** The files of ours that a file imports or exports from, relative to the root. */
export function imported(path: string): string[] {
  return importsOf(path)
    .filter((target) => target.startsWith("."))
    .map((target) => relative(root, resolve(root, dirname(path), target)));
}
