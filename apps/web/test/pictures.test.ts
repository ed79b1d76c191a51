import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserOptional, missingBrowser, openBrowser } from "./kit/browser.ts";
import { builtPage, PAGE_URL } from "./kit/builtPage.ts";
import { answerFixed } from "./kit/fixedService.ts";
import { openPage } from "./kit/openPage.ts";

// Views as they looked when they were last looked at: `UPDATE_PICTURES=1` keeps them anew. The
// bundled browser and its font draw them; another one draws other letters.

const FOLDER = new URL("./pictures/", import.meta.url);
const isOwnBrowser = process.env["MILLRACE_CHROMIUM"] !== undefined;
/** Of a channel: less is the edge of a letter. */
const DIFFERENCE_MIN = 24;
const DIFFERENT_PART_MAX = 0.0005;
const SETTLED_MS = 20_000;

const address = (at: number): string => `0x${String(at).padStart(40, "0")}`;
const QUOTE = `quote?tokenIn=${address(0)}&tokenOut=${address(1)}&amount=2000`;

let loadFrom: Awaited<ReturnType<typeof builtPage>>;
let browser: Browser;

/** The part of two pictures' points that differ; 1 where their sizes do. */
async function differentPart(one: Buffer, other: Buffer): Promise<number> {
  const { page, close } = await openPage(browser);
  const [kept, seen] = [one, other].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  const part = await page.evaluate(
    `(async () => {
      const dataOf = async (url) => {
        const image = await createImageBitmap(await (await fetch(url)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [one, other] = [await dataOf(${JSON.stringify(kept)}), await dataOf(${JSON.stringify(seen)})];
      if (one.width !== other.width || one.height !== other.height) return 1;
      let count = 0;
      for (let at = 0; at < one.data.length; at += 4) {
        const differs = [0, 1, 2].some(
          (channel) => Math.abs(one.data[at + channel] - other.data[at + channel]) >= ${DIFFERENCE_MIN},
        );
        if (differs) count++;
      }
      return count / (one.data.length / 4);
    })()`,
  );
  await close();
  return part as number;
}

const isSkipped = isOwnBrowser || (missingBrowser !== undefined && isBrowserOptional);

describe.skipIf(isSkipped)("pictures of views", () => {
  beforeAll(async () => {
    [loadFrom, browser] = await Promise.all([builtPage(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
  });

  it.each([
    ["tokens-light", "tokens", "light", 1_000, "tbody tr:nth-child(8)"],
    ["tokens-narrow", "tokens", "dark", 320, "tbody tr:nth-child(8)"],
    ["quote-light", QUOTE, "light", 1_000, ".route .node text:has-text('USDC')"],
    ["quote-dark", QUOTE, "dark", 1_000, ".route .node text:has-text('USDC')"],
  ] as const)("%s is as it was", async (name, path, colorScheme, width, shown) => {
    const viewport = { width, height: 720 };
    const { page, complaints, close } = await openPage(browser, {
      ...{ viewport, colorScheme, reducedMotion: "reduce" },
    });
    await loadFrom(page);
    await answerFixed(page);
    await page.goto(`${PAGE_URL}/app/ETH/${path}`);
    await page.locator(shown).first().waitFor();
    await page.locator(".connection.open").waitFor();
    await page.evaluate("document.fonts.ready");
    const see = () => page.screenshot({ caret: "hide" });
    const file = new URL(`${name}.png`, FOLDER);
    if (process.env["UPDATE_PICTURES"] !== undefined) await writeFile(file, await see());
    expect(existsSync(file), "kept with UPDATE_PICTURES=1").toBe(true);
    const kept = await readFile(file);
    // Answers to further requests may still change the view.
    await expect
      .poll(async () => differentPart(kept, await see()), { timeout: SETTLED_MS })
      .toBeLessThan(DIFFERENT_PART_MAX);
    expect(complaints).toEqual([]);
    await close();
  });
});
