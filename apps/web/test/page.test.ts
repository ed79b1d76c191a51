import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { eventually, until } from "@millrace/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isBrowserOptional, missingBrowser, openBrowser } from "./kit/browser.ts";
import { closeContext, openPage } from "./kit/openPage.ts";
import { type ServedPage, servePage } from "./kit/servedPage.ts";

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let service: ServedPage;
let browser: Browser;

/** Paths of all views, with a token and a pool of the market. */
async function viewsOf(url: string): Promise<Readonly<Record<View, string>>> {
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
const SHOWN = {
  quote: ".route path",
  tokens: "tbody tr:nth-child(5)",
  token: ".chart canvas",
  pools: "tbody tr:nth-child(5)",
  pool: ".fields dd",
  // With what there is, or where there is none, with that; on a machine that does ten things at
  // once blocks may come sooner than cycles are searched.
  cycles: 'tbody tr, .notice.none, .notice.failure:has-text("sooner than")',
  health: "tbody tr",
};

type View = keyof typeof SHOWN;
const VIEWS = Object.keys(SHOWN) as ReadonlyArray<View>;

const show = async (page: Page, path: string, view: View): Promise<void> => {
  await page.goto(service.url + path);
  await page.waitForSelector(SHOWN[view]);
};

describe.skipIf(missingBrowser !== undefined && isBrowserOptional)("the page in a browser", () => {
  beforeAll(async () => {
    if (missingBrowser !== undefined) throw new Error(missingBrowser);
    [service, browser] = await Promise.all([servePage({ historyHours: 24 }), openBrowser()]);
  });
  // A test that failed leaves its page open, which goes on asking the service.
  afterEach(() => Promise.all(browser?.contexts().map(closeContext) ?? []));
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("shows every view without a complaint, at its address and by its links", async () => {
    const { page, complaints, close } = await openPage(browser);
    // Cycles that blocks outrun are asked for again.
    const refused: string[] = [];
    page.on("response", (response) => {
      const isOutrun = new URL(response.url()).pathname === "/ETH/cycles";
      if (response.status() === 503 && !isOutrun) refused.push(response.url());
    });
    const paths = await viewsOf(service.url);
    for (const view of VIEWS) {
      await show(page, paths[view], view);
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
      await page.waitForSelector(SHOWN[view]);
      expect(new URL(page.url()).pathname).toBe(`/app/ETH/${view}`);
    }
    await page.goBack();
    await page.waitForSelector(SHOWN["health"]);
    expect(refused).toEqual([]);
    expect(complaints.filter((text) => !text.includes("503"))).toEqual([]);
    await close();
  });

  it("is sent in short forms, and never again what has a digest in its name", async () => {
    const ask = (path: string, headers: Readonly<Record<string, string>>) =>
      fetch(service.url + path, { headers });
    const [, script] = /"(\/app\/assets\/[\w-]+\.js)"/u.exec(await (await ask("/", {})).text())!;
    const plain = await ask(script!, { "accept-encoding": "identity" });
    expect(plain.headers.get("cache-control")).toContain("immutable");
    const text = await plain.text();
    const sizes: number[] = [];
    for (const [taken, sent] of [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip, br;q=0.5", "gzip"],
      ["br;q=0, gzip;q=0.1", "gzip"],
      ["deflate", null],
    ] as const) {
      // `fetch` unpacks by itself.
      const packed = await ask(script!, { "accept-encoding": taken });
      expect([taken, packed.headers.get("content-encoding")]).toEqual([taken, sent]);
      expect(packed.headers.get("vary")).toContain("accept-encoding");
      sizes.push(Number(packed.headers.get("content-length")));
      expect(await packed.text()).toBe(text);
    }
    expect(sizes[0]).toBeLessThan(sizes[1]!);
    const index = await ask("/", {});
    expect(index.headers.get("cache-control")).toBe("no-cache");
    const again = await ask("/", { "if-none-match": index.headers.get("etag")! });
    expect(again.status).toBe(304);
  });

  it.each(VIEWS)("keeps to the rules of accessibility: %s", async (view) => {
    const { page, close } = await openPage(browser, { reducedMotion: "reduce", bypassCSP: true });
    await show(page, (await viewsOf(service.url))[view], view);
    await page.addScriptTag({ content: AXE });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1_280, 320]) {
        await page.setViewportSize({ width, height: 900 });
        // Until what follows the width is drawn anew.
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
        const found = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            readonly axe: { run: () => Promise<{ violations: ReadonlyArray<AxeViolation> }> };
          };
          const { violations } = await axe.run();
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)[0]}`);
        });
        expect(found, `${colorScheme}, ${width} pixels`).toEqual([]);
        const overflow = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect(overflow, `${colorScheme}, ${width} pixels`).toBeLessThanOrEqual(0);
      }
    }
    await close();
  });

  it("follows the chain: a quote is redrawn with its blocks, each layer the whole", async () => {
    const { page, complaints, close } = await openPage(browser);
    // Of what trades in each block, over many pools.
    const [tokenIn, tokenOut] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: tokenIn!, tokenOut: tokenOut!, amount: "1000" });
    await show(page, `/app/ETH/quote?${query}`, "quote");
    const block = () => page.locator("[data-block]").getAttribute("data-block");
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

  it("shows older trades and candles when they are asked for", async () => {
    const { page, complaints, close } = await openPage(browser);
    const token = await service.tokenOf("WETH");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await show(page, `/app/ETH/tokens/${token}`, "token");
    const rows = () => page.locator("table", { hasText: "Trades" }).locator("tbody tr").count();
    await eventually(async () => (await rows()) >= 50);
    await page.getByRole("button", { name: "Older trades" }).click();
    await eventually(async () => (await rows()) >= 90);
    await page.locator(".chart").scrollIntoViewIfNeeded();
    const chart = (await page.locator(".chart").boundingBox())!;
    const [left, middle] = [chart.x + 20, chart.y + chart.height / 2];
    const isOlder = (url: string) => /candles.*[?&]to=/u.test(url);
    expect(asked.filter(isOlder)).toEqual([]);
    await eventually(async () => {
      await page.mouse.move(left, middle);
      // Where there are few candles yet, each is too wide to be moved beyond.
      await page.mouse.wheel(0, 500);
      await page.mouse.down();
      await page.mouse.move(left + chart.width / 2, middle, { steps: 4 });
      await page.mouse.up();
      return asked.some(isOlder);
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it("warns of tokens that tax or cannot be sold, and sorts by how prices changed", async () => {
    const { page, complaints, close } = await openPage(browser);
    const [honey, dollars] = await Promise.all(["HONEY", "USDC"].map(service.tokenOf));
    await eventually(async () => {
      const { data } = (await (await fetch(`${service.url}/tokens/${honey}`)).json()) as {
        readonly data: { readonly safety?: { readonly verdict: string } };
      };
      return data.safety?.verdict === "unsellable";
    });
    await page.goto(`${service.url}/app/ETH/tokens?search=HONEY`);
    await page.waitForSelector('tbody tr:has-text("HONEY") .badge:has-text("unsellable")');
    await page.locator('tbody a:has-text("HONEY")').click();
    await page.waitForSelector('.notice.warning:has-text("It can be bought, and not sold")');
    const cap = page.locator('dt:text-is("Market cap") + dd');
    expect(await cap.textContent()).toBe("–");
    const query = new URLSearchParams({ tokenIn: honey!, tokenOut: dollars!, amount: "1" });
    await page.goto(`${service.url}/app/ETH/quote?${query}`);
    await page.waitForSelector('.notice.warning:has-text("bought, and not sold: a sale fails")');
    await show(page, "/app/ETH/tokens", "tokens");
    await page.getByRole("button", { name: "24 h", exact: true }).click();
    await page.waitForSelector('th[aria-sort="descending"]:has-text("24 h")');
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-priceChange24h");
    expect(complaints).toEqual([]);
    await close();
  });

  it("can be used by keys alone, from the tokens to the quote", async () => {
    const { page, complaints, close } = await openPage(browser);
    await show(page, "/app/ETH/quote", "quote");
    const to = page.getByRole("combobox", { name: "To" });
    const shown = to.evaluate((field) => Promise.resolve(field.focus()).then(() => field.value));
    expect(await shown).toBe(""); // the first key finds the field empty
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

  it.each([
    ["de-DE", "1,5", /^1,5 WETH → [\d.]+,\d+ USDC$/u],
    ["ar-EG", "١٫٥", /^١٫٥ WETH → [٠-٩٬]+٫[٠-٩]+ USDC$/u],
  ] as const)("speaks numbers as in %s", async (locale, amount, answer) => {
    const { page, complaints, close } = await openPage(browser, { locale });
    const [tokenIn, tokenOut] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: tokenIn!, tokenOut: tokenOut!, amount });
    await show(page, `/app/ETH/quote?${query}`, "quote");
    await eventually(async () =>
      answer.test((await page.locator(".answer").textContent())!.replace(/\s/gu, " ")),
    );
    await show(page, `/app/ETH/tokens/${tokenIn}`, "token");
    expect(complaints).toEqual([]);
    await close();
  });

  it("ends its subscriptions with the view", async () => {
    const { page, close } = await openPage(browser);
    // By the newest connection: one that is lost on a busy machine takes its subscriptions along,
    // and the next one begins them anew.
    let sent: string[] = [];
    page.on("websocket", (socket) => {
      const own: string[] = [];
      sent = own;
      socket.on("framesent", ({ payload }) => own.push(String(payload)));
    });
    const count = (op: string) => sent.filter((text) => text.includes(`"op":"${op}"`)).length;
    await show(page, "/app/ETH/tokens", "tokens");
    await until(
      () => count("subscribe") > 0,
      () => "a subscription",
    );
    await page.getByRole("link", { name: "Pools", exact: true }).click();
    await page.waitForSelector(SHOWN["pools"]);
    await until(
      () => count("subscribe") === count("unsubscribe"),
      () => sent.join("\n"),
    );
    await close();
  });
});

interface AxeViolation {
  readonly id: string;
  readonly nodes: ReadonlyArray<{ readonly html: string }>;
}
