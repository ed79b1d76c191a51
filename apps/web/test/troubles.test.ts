import { eventually, postJson } from "@millrace/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { safeName } from "../page/safeName.ts";
import { isBrowserOptional, missingBrowser, openBrowser } from "./kit/browser.ts";
import { HOSTILE_NAMES } from "./kit/hostileNames.ts";
import { closeContext, openPage } from "./kit/openPage.ts";
import { PageGauges } from "./kit/PageGauges.ts";
import { rpcUrlOf, type ServedPage, servePage } from "./kit/servedPage.ts";

const ROUTE = ".route path";
const ROWS = "tbody tr:nth-child(5)";

let service: ServedPage;
let browser: Browser;

async function quotePath(amount = "1000"): Promise<string> {
  const [tokenIn, tokenOut] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
  const query = new URLSearchParams({ tokenIn: tokenIn!, tokenOut: tokenOut!, amount });
  return `/app/ETH/quote?${query}`;
}

async function show(page: Page, path: string, shown: string): Promise<void> {
  await page.goto(service.url + path);
  await page.locator(shown).first().waitFor();
}

/** Whether what is shown is another text than the symbol. */
const isTold = (symbol: string): boolean => safeName(symbol, 16).warning !== undefined;

/** Which block the quote is of. */
const blockOf = async (page: Page): Promise<number> =>
  Number(await page.locator("[data-block]").getAttribute("data-block"));

const isSkipped = missingBrowser !== undefined && isBrowserOptional;

describe.skipIf(isSkipped)("the page in trouble", () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([servePage(), openBrowser()]);
  });
  // A test that failed leaves its page open, which goes on asking the service.
  afterEach(() => Promise.all(browser?.contexts().map(closeContext) ?? []));
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("shows hostile names as text that does nothing, clipped, and says so", async () => {
    const { page, complaints, close } = await openPage(browser);
    await page.route(/\/tokens\?/u, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: Array<Record<string, unknown>> };
      const { data } = body;
      const tokens = HOSTILE_NAMES.map((name, at) => ({
        ...{ ...data[at % data.length], name, symbol: name },
        address: `0x${at.toString(16).padStart(40, "a")}`,
      }));
      await route.fulfill({ response, json: { ...body, data: tokens } });
    });
    await page.goto(`${service.url}/app/ETH/tokens`);
    await page.waitForSelector(`tbody tr:nth-child(${HOSTILE_NAMES.length})`);
    expect(await page.title()).toBe("Tokens – millrace");
    expect(await page.locator("tbody script, tbody img, tbody svg").count()).toBe(0);
    const marked = await page
      .locator("td .token")
      .evaluateAll((links) => links.map((link) => link.querySelector("abbr") !== null));
    expect(marked).toEqual(HOSTILE_NAMES.map((name) => isTold(name)));
    const widths = await page
      .locator("td .token")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect()));
    for (const { width, height } of widths) {
      expect(width).toBeLessThan(640);
      expect(height).toBeLessThan(40);
    }
    expect(complaints.filter((text) => !text.includes("UNKNOWN_TOKEN"))).toEqual([]);
    await close();
  });

  it("shows them so in a quote and its route too", async () => {
    const { page, complaints, close } = await openPage(browser, {
      viewport: { width: 320, height: 900 },
    });
    let count = 0;
    await page.route(/\/tokenDetails\//u, async (route) => {
      const response = await route.fetch();
      const { result } = (await response.json()) as { readonly result: object };
      const name = HOSTILE_NAMES[(7 * count++) % HOSTILE_NAMES.length]!;
      await route.fulfill({ response, json: { result: { ...result, name, symbol: name } } });
    });
    await show(page, await quotePath(), ROUTE);
    await page.locator("tbody tr").first().waitFor();
    expect(await page.title()).toBe("Quote – millrace");
    expect(await page.locator("main script, main img, tbody svg").count()).toBe(0);
    for (const text of await page.locator(".node text").allTextContents()) {
      expect([...text].length).toBeLessThanOrEqual(11);
    }
    const overflow = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(overflow).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("goes on with the other chain after a reorganisation", async () => {
    const [quote, token, health] = await Promise.all([1, 2, 3].map(() => openPage(browser)));
    const weth = await service.tokenOf("WETH");
    await show(quote!.page, await quotePath(), ROUTE);
    await show(token!.page, `/app/ETH/tokens/${weth}`, "tbody tr");
    await show(health!.page, "/app/ETH/health", "tbody tr");
    const seen = health!.page.locator('dt:text-is("Reorganisations seen") + dd');
    await eventually(async () => (await seen.textContent()) === "0");
    // The executor's own block must stay: without it, swaps of the tests below give nothing.
    const first = await blockOf(quote!.page);
    const before = await eventually(async () => {
      const block = await blockOf(quote!.page);
      return block >= first + 4 ? block : undefined;
    });
    const node = await rpcUrlOf(service.url);
    const request = (method: string, ...params: ReadonlyArray<unknown>) =>
      postJson<{ readonly result: unknown }>(node, { jsonrpc: "2.0", id: 1, method, params });
    // The page may be some blocks late, and has to lose some that it has shown.
    const lag = Number((await request("eth_blockNumber")).result) - before;
    expect(await request("anvil_reorg", lag + 3, [])).not.toHaveProperty("error");
    // A busy node's chain may be followed into its other one by parts.
    await eventually(async () => Number(await seen.textContent()) > 0);
    await eventually(async () => (await blockOf(quote!.page)) > before);
    // What was traded in blocks that are gone is gone from the table too.
    const kept = async () => {
      const answer = await fetch(`${service.url}/tokens/${weth}/trades?limit=50`);
      const { data } = (await answer.json()) as {
        readonly data: ReadonlyArray<{ readonly transactionHash: string }>;
      };
      return data.map(({ transactionHash }) => `Copy ${transactionHash}`);
    };
    const shown = () =>
      token!.page
        .locator('section[aria-label^="Trades"] button.address')
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("title")));
    await eventually(async () => {
      const [hashes, all] = [await shown(), await kept()];
      return hashes.length > 0 && all[0] === hashes[0] && hashes.join() === all.join();
    });
    const complaints = [quote!, token!, health!].flatMap((opened) => opened.complaints);
    expect(complaints).toEqual([]);
  });

  it("says what it waits for on a slow link, and shows the view that was asked for last", async () => {
    const { page, complaints } = await openPage(browser);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      ...{ offline: false, latency: 200, downloadThroughput: 150_000, uploadThroughput: 50_000 },
    });
    await page.goto(service.url + (await quotePath()));
    await page.locator('.notice:has-text("…")').first().waitFor();
    await page.locator(ROUTE).first().waitFor();
    for (const link of ["Tokens", "Pools", "Networks", "Cycles", "Pools"]) {
      await page.getByRole("link", { name: link, exact: true }).click();
    }
    await page.locator(`h1:has-text("Pools of") ~ section ${ROWS}`).first().waitFor();
    expect(await page.locator("h1").count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe("/app/ETH/pools");
    expect(complaints).toEqual([]);
  });

  it("ends what it asks for while nobody sees it, and is up to date when somebody does", async () => {
    const { page, complaints } = await openPage(browser);
    const gauges = await PageGauges.open(page);
    await page.clock.install();
    await page.addInitScript(`Object.defineProperty(document, "hidden", {
      get: () => globalThis.isUnseen === true,
    })`);
    const setUnseen = (isUnseen: boolean) =>
      page.evaluate(
        `globalThis.isUnseen = ${isUnseen}; document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await show(page, await quotePath(), ROUTE);
    await eventually(() => gauges.subscriptions > 0);
    const before = await blockOf(page);
    await setUnseen(true);
    await page.clock.fastForward("00:11");
    await eventually(() => gauges.subscriptions === 0);
    // A day later.
    await page.clock.fastForward("24:00:00");
    await setUnseen(false);
    await eventually(() => gauges.subscriptions > 0);
    await eventually(async () => (await blockOf(page)) > before);
    expect(complaints).toEqual([]);
  });

  it("lets nobody sign what is not good any more", async () => {
    const { page, complaints } = await openPage(browser);
    await page.clock.install();
    await show(page, await quotePath("10"), ROUTE);
    await page.getByRole("button", { name: "Connect Devnet wallet" }).click();
    const review = page.getByRole("button", { name: /^Review the swap/u });
    const sign = page.getByRole("button", { name: "Sign and send" });
    await eventually(async () => {
      // A block may come between the quote and the look at it.
      await review.click();
      await page.locator("#review, .swap .notice.failure").first().waitFor();
      return (await sign.count()) > 0 && sign.isEnabled();
    });
    await page.clock.fastForward("21:00");
    await page.waitForSelector("text=is not any more");
    expect(await sign.isEnabled()).toBe(false);
    await page.getByRole("button", { name: "Back" }).click();
    await review.waitFor();
    expect(complaints).toEqual([]);
  });

  it("asks again for what the service was not ready for", async () => {
    const { page, close } = await openPage(browser);
    const refused = new Set<string>();
    const issue = { code: "not_ready", path: [], message: "starting" };
    // Each of them the first time, in the words of its interface.
    await page.route(/\/(tokens\?|ETH\/tokenDetails\/)/u, (route) => {
      const url = route.request().url();
      if (refused.has(url)) return route.continue();
      refused.add(url);
      const isMarket = url.includes("/tokens?");
      const problem = { type: "/docs#NOT_READY", title: "Not ready", status: 503 };
      return route.fulfill({
        status: 503,
        ...(isMarket
          ? { json: { success: false, error: JSON.stringify([issue]) } }
          : {
              contentType: "application/problem+json",
              json: { ...problem, detail: "starting", code: "NOT_READY" },
            }),
      });
    });
    // And the first part of the page that is not loaded with it.
    await page.route(/\/assets\/TokensView/u, (route) => {
      const isFirst = !refused.has("view");
      refused.add("view");
      return isFirst ? route.fulfill({ status: 503 }) : route.continue();
    });
    await show(page, "/app/ETH/tokens", ROWS);
    const start = performance.now();
    await show(page, await quotePath(), ROUTE);
    expect(refused.size).toBeGreaterThanOrEqual(4);
    // The list by itself comes after half a minute only.
    expect(performance.now() - start).toBeLessThan(25_000);
    await close();
  });

  it("comes back by itself after the service was started again", async () => {
    const { page, close } = await openPage(browser);
    await show(page, "/app/ETH/quote", ROUTE);
    await page.waitForSelector(".connection.open");
    await service.stop();
    await page.waitForSelector(".connection.lost, .connection.connecting");
    service = await servePage({ port: service.port });
    await page.waitForSelector(".connection.open", { timeout: 30_000 });
    await page.goto(service.url);
    await page.locator(ROUTE).first().waitFor();
    await close();
  });
});
