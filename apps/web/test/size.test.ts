import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { builtFolder } from "./kit/builtPage.ts";

const KB = 1_000;
const GZIP = { level: constants.Z_BEST_COMPRESSION };

async function gzipBytes(folder: string, files: ReadonlyArray<string>): Promise<number> {
  const sizes = files.map(
    async (file) => gzipSync(await readFile(join(folder, file)), GZIP).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

describe("the size of the page, in gzip", () => {
  it("is at most 100 KB before the first quote is drawn, and 160 KB in all", async () => {
    const folder = await builtFolder();
    const names = await readdir(folder, { recursive: true });
    const files = names.filter((name) => /\.(html|js|css|svg)$/u.test(name));
    const index = await readFile(join(folder, "index.html"), "utf8");
    // What the document names; all else is loaded when it is wanted.
    const first = files.filter((name) => name === "index.html" || index.includes(name));
    expect(first.length).toBeGreaterThan(3);
    expect(await gzipBytes(folder, first)).toBeLessThanOrEqual(100 * KB);
    expect(await gzipBytes(folder, files)).toBeLessThanOrEqual(160 * KB);
  });
});
