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
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type Plugin } from "vite";
import { withoutDescriptions } from "./withoutDescriptions.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PAGE = join(ROOT, "apps/web/page");
/** The sources of the page; the lockfile has the versions of packages. */
const SOURCES = [
  "apps/web/page",
  "apps/web/src",
  "packages/api/src",
  "packages/client/src",
  "pnpm-lock.yaml",
];
const CACHE = join(ROOT, "node_modules/.cache/millrace-page");

/** A shorter file fits into one packet anyway. */
const PACKED_BYTES_MIN = 1_024;
const GZIP = { level: constants.Z_BEST_COMPRESSION };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/** Drops texts that only the API reference shows: a tenth of what the page would load. */
const leaveOutDescriptions: Plugin = {
  name: "leave-out-descriptions",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(join(ROOT, "packages/api/src"))) return undefined;
    return { code: withoutDescriptions(code, this.parse(code, { lang: "ts" })), map: null };
  },
};

/**
 * Modules that the page's client imports but never runs, with the names that it imports: the
 * interface has no NDJSON streams, its statuses are numbers, and browsers manage cookies
 * themselves.
 */
const UNUSED: ReadonlyArray<readonly [module: RegExp, names: ReadonlyArray<string>]> = [
  [/effect.dist.encoding.Ndjson\.js$/u, ["decode", "encode", "isNdjsonError"]],
  [/effect.dist.http.HttpStatus\.js$/u, ["fromLiteral"]],
  [
    /effect.dist.http.Cookies\.js$/u,
    ["empty", "fromSetCookie", "mergeIntoArray", "toRequestCookieHeader"],
  ],
];

const leaveOutUnused: Plugin = {
  name: "leave-out-unused",
  enforce: "pre",
  load(id) {
    const [, names] = UNUSED.find(([module]) => module.test(id)) ?? [];
    return names?.map((name) => `export const ${name} = undefined;`).join("\n");
  },
};

// Another value in the environment would bundle the development builds of packages.
process.env["NODE_ENV"] = "production";
console.log(await buildPage());

/**
 * Builds the page, unless it was built from the same sources before, and gives its folder:
 * `index.html` beside `assets`, whose names contain digests, and compressed forms of each file.
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
      plugins: [leaveOutDescriptions, leaveOutUnused],
      publicDir: false,
      oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
      build: {
        outDir: made,
        target: "es2023",
        // The content policy forbids inline scripts, and images from elsewhere.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        cssCodeSplit: false,
        license: { fileName: "assets/licences.md" },
        rolldownOptions: {
          // In no module does reading a property or a global have side effects.
          treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
          optimization: { inlineConst: true },
        },
      },
    });
    await pack(made);
    // Another process that built it in the meantime has made the same files.
    if (!existsSync(folder)) renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

/** Writes compressed forms beside files: they are made once and sent often. */
async function pack(folder: string): Promise<void> {
  const files = filesBelow(relative(ROOT, folder));
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      if (bytes.length < PACKED_BYTES_MIN) return;
      const packed = [promisify(brotliCompress)(bytes, BROTLI), promisify(gzip)(bytes, GZIP)];
      const [br, gz] = await Promise.all(packed);
      await Promise.all([writeFile(`${file}.br`, br!), writeFile(`${file}.gz`, gz!)]);
    }),
  );
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
