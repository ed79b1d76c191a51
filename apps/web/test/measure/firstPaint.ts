import { eventually } from "@millrace/testing";
import type { Browser } from "playwright-core";
import { openBrowser } from "../kit/browser.ts";
import { openPage } from "../kit/openPage.ts";
import { servePage } from "../kit/servedPage.ts";
import { timesText } from "./figures.ts";

const ROUNDS = 15;

/**
 * From the start of a navigation, with nothing kept from before, to the first paint; to the first
 * row of tokens and the first price that was streamed; and to a quote's route, drawn.
 */
export async function firstPaint(rounds = ROUNDS): Promise<void> {
  const [service, browser] = await Promise.all([servePage(), openBrowser()]);
  try {
    const [weth, dollars] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: weth!, tokenOut: dollars!, amount: "1000" });
    const [tokens, quote] = ["tokens", `quote?${query}`].map(
      (path) => `${service.url}/app/ETH/${path}`,
    );
    const views = { tokens: [] as Marks[], quote: [] as Marks[] };
    // The first of each is for the service and the browser to come to speed.
    for (let round = 0; round <= rounds; round++) {
      const seen = {
        tokens: await marksOf(browser, tokens!),
        quote: await marksOf(browser, quote!),
      };
      if (round === 0) continue;
      views.tokens.push(seen.tokens);
      views.quote.push(seen.quote);
    }
    const paints = [...views.tokens, ...views.quote].map(({ paintMs }) => paintMs);
    console.log(timesText("first paint", paints));
    console.log(
      timesText(
        "first row of tokens",
        views.tokens.map(({ drawnMs }) => drawnMs),
      ),
    );
    console.log(
      timesText(
        "first streamed price",
        views.tokens.map(({ streamedMs }) => streamedMs),
      ),
    );
    console.log(
      timesText(
        "route drawn",
        views.quote.map(({ drawnMs }) => drawnMs),
      ),
    );
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** Milliseconds after the start of the navigation. */
interface Marks {
  readonly paintMs: number;
  readonly drawnMs: number;
  /** The first snapshot of a subscription was there. */
  readonly streamedMs: number;
}

async function marksOf(browser: Browser, url: string): Promise<Marks> {
  const { page, close } = await openPage(browser);
  await page.addInitScript(NOTE_MARKS);
  await page.goto(url);
  await page.locator(".connection.open").waitFor();
  const value = await eventually(async () => {
    const marks = (await page.evaluate("globalThis.marks")) as Partial<Marks>;
    return marks.drawnMs && marks.streamedMs && marks.paintMs ? (marks as Marks) : undefined;
  });
  await close();
  return value;
}

/** Of the page: when it shows a row or a ribbon, in the frame that shows it. */
const NOTE_MARKS = `
  globalThis.marks = {};
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === "first-contentful-paint") marks.paintMs = startTime;
  }).observe({ type: "paint", buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector(".route path, tbody tr") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (marks.drawnMs = performance.now())));
  }).observe(document, { childList: true, subtree: true });
  const { addEventListener } = WebSocket.prototype;
  WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      addEventListener.call(this, "message", ({ data }) => {
        if (marks.streamedMs === undefined && String(data).startsWith('{"op":"snapshot"'))
          requestAnimationFrame(() => setTimeout(() => (marks.streamedMs ??= performance.now())));
      });
    }
  };
`;
