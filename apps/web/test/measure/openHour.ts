import { setTimeout as pause } from "node:timers/promises";
import { openBrowser } from "../kit/browser.ts";
import { openPage } from "../kit/openPage.ts";
import { PageGauges } from "../kit/PageGauges.ts";
import { servePage } from "../kit/servedPage.ts";

const MINUTE_MS = 60_000;
const BLOCK_EVERY_MS = 500;

/** Pages that stay open for some minutes, and what each holds on to, a line a minute. */
export async function openHour(minutes = 60): Promise<void> {
  const service = await servePage({ blockEveryMs: BLOCK_EVERY_MS });
  const browser = await openBrowser();
  try {
    const [weth, dollars] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: weth!, tokenOut: dollars!, amount: "1000" });
    const views = { quote: `quote?${query}`, tokens: "tokens", token: `tokens/${weth}` };
    const opened: Array<readonly [view: string, gauges: PageGauges]> = [];
    for (const [view, path] of Object.entries(views)) {
      const { page } = await openPage(browser);
      opened.push([view, await PageGauges.open(page)]);
      await page.goto(`${service.url}/app/ETH/${path}`);
    }
    console.log("minute\tview\theap, KB\tnodes\tlisteners\tsockets\tsubscriptions");
    for (let minute = 1; minute <= minutes; minute++) {
      await pause(MINUTE_MS);
      for (const [view, gauges] of opened) {
        const { heapBytes, nodes, listeners, sockets, subscriptions } = await gauges.read();
        const numbers = [Math.round(heapBytes / 1_024), nodes, listeners, sockets, subscriptions];
        console.log([minute, view, ...numbers].join("\t"));
      }
    }
  } finally {
    await browser.close();
    await service.stop();
  }
}
