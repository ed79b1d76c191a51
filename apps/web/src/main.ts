import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PAGE = join(ROOT, "apps/web/page");
/** What the page is made of; versions of packages are in the lockfile. */
const SOURCES = [
  "apps/web/page",
  "apps/web/src",
  "packages/api/src",
  "packages/client/src",
  "pnpm-lock.yaml",
];
const CACHE = join(ROOT, "node_modules/.cache/millrace-page");

/** Texts of the interface's schemas, in one or several parts: the reference shows them. */
const TEXT = /"(?:[^"\\]|\\.)*"/.source;
const DESCRIPTION = new RegExp(`\\b(description|summary):\\s*${TEXT}(?:\\s*\\+\\s*${TEXT})*`, "g");

/** Leaves out what only the reference shows: a tenth of what the page would load. */
const withoutDescriptions: Plugin = {
  name: "without-descriptions",
  enforce: "pre",
  transform: (code, id) =>
    id.startsWith(join(ROOT, "packages/api/src"))
      ? { code: code.replace(DESCRIPTION, '$1: ""'), map: null }
      : undefined,
};

console.log(await buildPage());

/**
 * Builds the page, unless it was built of the same sources before, and gives its folder:
 * `index.html` beside `assets`, whose names hold their digests.
 */
async function buildPage(): Promise<string> {
  const folder = join(CACHE, digestOf(SOURCES));
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, "making-"));
  try {
    await build({
      configFile: false,
      logLevel: "error",
      root: PAGE,
      base: "/app/",
      plugins: [withoutDescriptions],
      publicDir: false,
      oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
      build: {
        outDir: made,
        target: "es2023",
        // The strict content policy knows no inline scripts, and no images but the page's own.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        cssCodeSplit: false,
        license: { fileName: "assets/licences.md" },
      },
    });
    // Whoever else has built it meanwhile has made the same.
    if (!existsSync(folder)) renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

function digestOf(paths: ReadonlyArray<string>): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesBelow)) {
    hash.update(relative(ROOT, path)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

function filesBelow(path: string): string[] {
  const full = join(ROOT, path);
  if (full.endsWith(".yaml")) return [full];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}
