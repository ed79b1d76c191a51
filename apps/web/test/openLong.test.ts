import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "@millrace/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserOptional, missingBrowser, openBrowser } from "./kit/browser.ts";
import { openPage } from "./kit/openPage.ts";
import { PageGauges, type PageReading } from "./kit/PageGauges.ts";
import { type ServedPage, servePage } from "./kit/servedPage.ts";

// An hour of it is `measure/openHour.ts`. Waiting is done with locators: the handle that
// `waitForSelector` gives holds on to the whole view that its element is of.

/** What the first blocks bring: routes of all kinds, compiled code. */
const WARM_BLOCKS = 25;
const BLOCKS = 50;
/** The engine's own of compiled code comes to half of it. */
const HEAP_GROWTH_MAX = 1_000_000;
/** A table of trades that is left behind has twice as many. */
const NODES_MORE_MAX = 600;
const ROUNDS = 4;
const READINGS = 4;
const BETWEEN_READINGS_MS = 500;
/** Blocks take their time on a busy machine. */
const PATIENCE_MS = 300_000;

let service: ServedPage;
let browser: Browser;

async function blockNumber(): Promise<number> {
  const answer = (await (await fetch(`${service.url}/health/ready`)).json()) as {
    readonly networks: ReadonlyArray<{ readonly blockNumber: string }>;
  };
  return Number(answer.networks[0]!.blockNumber);
}

async function blocksLater(count: number): Promise<void> {
  const end = (await blockNumber()) + count;
  await eventually(async () => (await blockNumber()) >= end);
}

/** The least of some readings: an answer with hundreds of candles is held while it is drawn. */
async function leastOf(gauges: PageGauges): Promise<PageReading> {
  let least = await gauges.read();
  for (let count = 1; count < READINGS; count++) {
    await pause(BETWEEN_READINGS_MS);
    const next = await gauges.read();
    if (next.heapBytes < least.heapBytes) least = next;
  }
  return least;
}

function expectNoGrowth(before: PageReading, after: PageReading): void {
  expect(after.heapBytes - before.heapBytes).toBeLessThan(HEAP_GROWTH_MAX);
  expect(after.sockets).toBeLessThanOrEqual(before.sockets);
  // One may be between two subscriptions: a list asks anew where its rows change.
  expect(after.subscriptions).toBeLessThanOrEqual(before.subscriptions);
}

const isSkipped = missingBrowser !== undefined && isBrowserOptional;

describe.skipIf(isSkipped)("a page that stays open", { timeout: PATIENCE_MS }, () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([servePage({ blockEveryMs: 100 }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("holds on to no more after fifty blocks: a quote, and a token with its charts", async () => {
    const [weth, dollars] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: weth!, tokenOut: dollars!, amount: "1000" });
    const views = [
      [`quote?${query}`, ".route path"],
      [`tokens/${weth}`, "tbody tr:nth-child(20)"],
    ] as const;
    const opened = await Promise.all(
      views.map(async ([path, shown]) => {
        const { page, complaints, close } = await openPage(browser);
        const gauges = await PageGauges.open(page);
        await page.goto(`${service.url}/app/ETH/${path}`);
        await page.locator(shown).first().waitFor();
        return { gauges, complaints, close };
      }),
    );
    await blocksLater(WARM_BLOCKS);
    const before = await Promise.all(opened.map(({ gauges }) => gauges.read()));
    await blocksLater(BLOCKS);
    for (const [at, { gauges, complaints, close }] of opened.entries()) {
      const after = await leastOf(gauges);
      expectNoGrowth(before[at]!, after);
      // What is shown is another part of it: a route of other pools, a price that is found later.
      expect(after.nodes).toBeLessThan(before[at]!.nodes + NODES_MORE_MAX);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it("leaves nothing of a view behind that somebody left", async () => {
    const { page, complaints, close } = await openPage(browser);
    const gauges = await PageGauges.open(page);
    await page.goto(`${service.url}/app/ETH/tokens`);
    const round = async () => {
      for (const [link, shown] of [
        ["Quote", ".route path"],
        ["Pools", "tbody tr"],
        ["Networks", "tbody tr"],
        ["Tokens", "tbody tr"],
      ] as const) {
        await page.getByRole("link", { name: link, exact: true }).click();
        await page.locator(`main:has-text("${link}") ${shown}`).first().waitFor();
      }
      await page.locator("tbody a").first().click();
      await page.locator(".chart canvas").first().waitFor();
      await page.getByRole("link", { name: "Tokens", exact: true }).click();
      await page.locator('h1:has-text("Tokens of") ~ section tbody tr').first().waitFor();
      // The prices of the list, and no other any more.
      await eventually(() => gauges.subscriptions === 1);
    };
    for (let count = 0; count < 3; count++) await round();
    const before = await gauges.read();
    for (let count = 0; count < ROUNDS; count++) await round();
    const after = await leastOf(gauges);
    expectNoGrowth(before, after);
    expect(after.nodes).toBeLessThan(1.2 * before.nodes);
    expect(after.listeners).toBeLessThan(1.2 * before.listeners);
    expect(complaints).toEqual([]);
    await close();
  });
});
