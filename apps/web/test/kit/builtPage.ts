import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";

const BUILDER = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** Of no service: what it would answer is the test's to say. */
export const PAGE_URL = "http://page.test";
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** The folder of the page, built where that is left to do. */
export async function builtFolder(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [BUILDER]);
  return stdout.trim().split("\n").at(-1)!;
}

/** What lets a browser load the page, built where that is left to do, without a service. */
export async function builtPage(): Promise<(page: Page) => Promise<void>> {
  const folder = await builtFolder();
  return async (page) => {
    await page.route(`${PAGE_URL}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      const name = pathname.startsWith("/app/assets/")
        ? pathname.slice("/app/".length)
        : "index.html";
      const body = await readFile(join(folder, name));
      await route.fulfill({ body, contentType: TYPES[extname(name)]! });
    });
  };
}
