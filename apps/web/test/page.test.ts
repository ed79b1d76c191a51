import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { eventually } from "@millrace/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserOptional, missingBrowser, openBrowser } from "./kit/browser.ts";
import { HOSTILE_NAMES } from "./kit/hostileNames.ts";
import { openPage } from "./kit/openPage.ts";
import { type ServedPage, servePage } from "./kit/servedPage.ts";

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let service: ServedPage;
let browser: Browser;

/** Paths of all views, with a token and a pool of the market. */
async function viewsOf(url: string): Promise<Readonly<Record<string, string>>> {
  const list = async (path: string) =>
    ((await (await fetch(url + path)).json()) as { data: ReadonlyArray<Record<string, string>> })
      .data;
  const [, token] = await list("/tokens?limit=2");
  const [pool] = await list("/pools?limit=1&sort=-volume24h");
  return {
    quote: "/app/ETH/quote",
    tokens: "/app/ETH/tokens",
    token: `/app/ETH/tokens/${token!["address"]}`,
    pools: "/app/ETH/pools",
    pool: `/app/ETH/pools/${pool!["poolId"] ?? pool!["poolAddress"]}`,
    cycles: "/app/ETH/cycles",
    health: "/app/ETH/health",
  };
}

/** What says that a view is there, with its data. */
const SHOWN: Readonly<Record<string, string>> = {
  quote: ".route path",
  tokens: "tbody tr:nth-child(5)",
  token: ".chart canvas",
  pools: "tbody tr:nth-child(5)",
  pool: ".fields dd",
  // With what there is, or where there is none, with that.
  cycles: "tbody tr, .notice.none",
  health: "tbody tr",
};

const show = async (page: Page, path: string, view: string): Promise<void> => {
  await page.goto(service.url + path);
  await page.waitForSelector(SHOWN[view]!);
};

describe.skipIf(missingBrowser !== undefined && isBrowserOptional)("the page in a browser", () => {
  beforeAll(async () => {
    if (missingBrowser !== undefined) throw new Error(missingBrowser);
    [service, browser] = await Promise.all([servePage(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("shows every view without a complaint, at its address and by its links", async () => {
    const { page, complaints, close } = await openPage(browser);
    for (const [view, path] of Object.entries(await viewsOf(service.url))) {
      await show(page, path, view);
      const height = await page
        .locator("h1")
        .first()
        .evaluate((heading) => heading.clientHeight);
      // Without a font text has no size, and nothing else complains.
      expect(height, view).toBeGreaterThan(10);
    }
    await page.goto(service.url);
    for (const [link, view] of [
      ["Tokens", "tokens"],
      ["Pools", "pools"],
      ["Cycles", "cycles"],
      ["Networks", "health"],
      ["Quote", "quote"],
    ] as const) {
      await page.getByRole("link", { name: link, exact: true }).click();
      await page.waitForSelector(SHOWN[view]!);
      expect(new URL(page.url()).pathname).toBe(`/app/ETH/${view}`);
    }
    await page.goBack();
    await page.waitForSelector(SHOWN["health"]!);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([
    ["light", 1_280],
    ["light", 320],
    ["dark", 1_280],
    ["dark", 320],
  ] as const)("keeps to the rules of accessibility: %s, %i pixels wide", async (scheme, width) => {
    const size = { width, height: 900 };
    const { page, close } = await openPage(browser, {
      ...{ colorScheme: scheme, viewport: size, reducedMotion: "reduce", bypassCSP: true },
    });
    for (const [view, path] of Object.entries(await viewsOf(service.url))) {
      await show(page, path, view);
      await page.addScriptTag({ content: AXE });
      const found = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          readonly axe: { run: () => Promise<{ violations: ReadonlyArray<AxeViolation> }> };
        };
        const { violations } = await axe.run();
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)[0]}`);
      });
      expect(found, view).toEqual([]);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow, view).toBeLessThanOrEqual(0);
    }
    await close();
  });

  it("follows the chain: a quote is redrawn with its blocks, each layer the whole", async () => {
    const { page, complaints, close } = await openPage(browser);
    // Of what trades in each block, over many pools.
    const [tokenIn, tokenOut] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: tokenIn!, tokenOut: tokenOut!, amount: "1000" });
    await show(page, `/app/ETH/quote?${query}`, "quote");
    const block = () => page.locator("main > p.quiet").first().textContent();
    const first = await block();
    await eventually(async () => (await block()) !== first);
    const shares = await page
      .locator(".route path")
      .evaluateAll((paths) => paths.map((path) => Number(path.getAttribute("data-share"))));
    const layers = await page
      .locator(".node rect")
      .evaluateAll((nodes) => new Set(nodes.map((node) => node.getAttribute("x"))).size);
    const sum = shares.reduce((all, share) => all + share, 0);
    expect(sum).toBeCloseTo(layers - 1, 6);
    expect(complaints).toEqual([]);
    await close();
  });

  it("can be used by keys alone, from the tokens to the quote", async () => {
    const { page, complaints, close } = await openPage(browser);
    await show(page, "/app/ETH/quote", "quote");
    await page.getByRole("combobox", { name: "To" }).focus();
    await page.keyboard.type("WBTC");
    await page.waitForSelector('[role="option"]:has-text("WBTC")');
    await page.keyboard.press("Enter");
    await page.waitForSelector('.answer strong:has-text("WBTC")');
    await page.getByLabel("Amount").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("2,5");
    await page.waitForSelector('.answer:has-text("2.5")');
    expect(new URL(page.url()).searchParams.get("amount")).toBe("2,5");
    expect(complaints).toEqual([]);
    await close();
  });

  it("says why there is no quote", async () => {
    const { page, complaints, close } = await openPage(browser);
    await show(page, "/app/ETH/quote", "quote");
    await page.getByLabel("Amount").fill("0");
    await page.waitForSelector("text=Enter an amount");
    await page.getByLabel("Amount").fill("1".repeat(30));
    await page.waitForSelector(".notice.warning");
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows cycles with what they gain in dollars, and says when there is none", async () => {
    const { page, complaints, close } = await openPage(browser);
    const list = async (path: string) =>
      ((await (await fetch(service.url + path)).json()) as { data: Array<{ address: string }> })
        .data;
    const [first, second] = await list("/tokens?limit=2");
    const [pool] = (await list("/pools?limit=1")) as unknown as Array<{ poolAddress: string }>;
    const ways = [
      { tokenIn: first!.address, tokenOut: second!.address, dexId: "THERE" },
      { tokenIn: second!.address, tokenOut: first!.address, dexId: "BACK" },
    ];
    const cycle = {
      ...{ amountIn: "1000000", amountOut: "9".repeat(24), profit: "9".repeat(24) },
      ...{ gasEstimate: "231000", blockNumber: "17" },
      steps: ways.map((way) => ({
        ...{ pool: pool!.poolAddress, amountIn: "1000000", amountOut: "9".repeat(24) },
        ...way,
      })),
    };
    let result = [cycle];
    await page.route(
      ({ pathname }) => pathname === "/ETH/cycles",
      (route) => route.fulfill({ json: { result } }),
    );
    await page.goto(`${service.url}/app/ETH/cycles?token=${first!.address}`);
    await page.waitForSelector('tbody td:has-text("$")');
    const path = await page.locator("tbody td").nth(2).textContent();
    expect(path).toMatch(/^\S+ THERE → \S+ BACK → \S+$/u);
    expect(await page.locator("main").textContent()).toContain("Gas is not counted");
    result = [];
    // Asked again by itself.
    await page.waitForSelector(".notice.none");
    await page.getByLabel("Pools of a cycle").selectOption("4");
    expect(new URL(page.url()).searchParams.get("maxHops")).toBe("4");
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows hostile names as text that does nothing, clipped", async () => {
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

  it("comes back by itself after the service was started again", async () => {
    const { page, close } = await openPage(browser);
    await show(page, "/app/ETH/quote", "quote");
    await page.waitForSelector(".connection.open");
    await service.stop();
    await page.waitForSelector(".connection.lost, .connection.connecting");
    service = await servePage(service.port);
    await page.waitForSelector(".connection.open", { timeout: 30_000 });
    await page.goto(service.url);
    await page.waitForSelector(SHOWN["quote"]!);
    await close();
  });

  it("ends its subscriptions with the view", async () => {
    const { page, close } = await openPage(browser);
    const sent: string[] = [];
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => sent.push(String(payload))),
    );
    await show(page, "/app/ETH/tokens", "tokens");
    await page.getByRole("link", { name: "Pools", exact: true }).click();
    await page.waitForSelector(SHOWN["pools"]!);
    await eventually(() => {
      const count = (op: string) => sent.filter((text) => text.includes(`"op":"${op}"`)).length;
      return count("subscribe") > 0 && count("subscribe") === count("unsubscribe");
    });
    await close();
  });
});

interface AxeViolation {
  readonly id: string;
  readonly nodes: ReadonlyArray<{ readonly html: string }>;
}
