import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const PACKED = join(dirname(require.resolve("@sparticuz/chromium")), "../bin");
const UNPACKED = fileURLToPath(
  new URL("../../../../node_modules/.cache/millrace-chromium", import.meta.url),
);
/** Where systems install a browser of their own. */
const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--hide-scrollbars",
  "--force-color-profile=srgb",
];

/** Where the bundled browser should be, and in CI, a missing one is a failure. */
export const isBrowserOptional = process.env["CI"] === undefined && process.platform !== "linux";

/** Why there is no browser to test with; undefined where there is one. */
export const missingBrowser: string | undefined =
  executable() === undefined && !hasBundled()
    ? "no browser: MILLRACE_CHROMIUM names none, none is installed, the bundled one is of linux-x64"
    : undefined;

/**
 * A browser: the one that MILLRACE_CHROMIUM names, the one of the package registry, or an installed
 * one. Whoever opens it closes it.
 */
export async function openBrowser(): Promise<Browser> {
  const named = executable();
  if (named !== undefined) return chromium.launch({ executablePath: named, args: ARGUMENTS });
  const folder = await unpacked();
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    args: [...ARGUMENTS, "--headless=shell"],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, "lib"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
    },
  });
}

function hasBundled(): boolean {
  return process.platform === "linux" && process.arch === "x64" && existsSync(PACKED);
}

function executable(): string | undefined {
  const { MILLRACE_CHROMIUM } = process.env;
  if (MILLRACE_CHROMIUM !== undefined) return MILLRACE_CHROMIUM;
  return hasBundled() ? undefined : INSTALLED.find((path) => existsSync(path));
}

/** The bundled browser with its libraries and a font, unpacked once; others may do the same. */
async function unpacked(): Promise<string> {
  const { version } = require(join(PACKED, "../package.json")) as { readonly version: string };
  const folder = join(UNPACKED, version);
  if (existsSync(folder)) return folder;
  await mkdir(UNPACKED, { recursive: true });
  const made = await mkdtemp(join(UNPACKED, "making-"));
  try {
    await unpack("chromium.br", join(made, "chromium"));
    await chmod(join(made, "chromium"), 0o755);
    for (const name of ["al2023", "fonts", "swiftshader"]) {
      const archive = join(made, `${name}.tar`);
      await unpack(`${name}.tar.br`, archive);
      await promisify(execFile)("tar", ["-xf", archive, "-C", made]);
      await rm(archive);
    }
    await writeFile(join(made, "fonts.conf"), fontsConfiguration(folder));
    if (!existsSync(folder)) await rename(made, folder);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return folder;
}

const unpack = (name: string, path: string): Promise<void> =>
  pipeline(createReadStream(join(PACKED, name)), createBrotliDecompress(), createWriteStream(path));

/** Without fonts text has no size, and nothing complains. */
const fontsConfiguration = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
