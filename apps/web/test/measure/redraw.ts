import { setTimeout as pause } from "node:timers/promises";
import { RandomSource } from "@millrace/testing";
import { openBrowser } from "../kit/browser.ts";
import { openPage } from "../kit/openPage.ts";
import { randomPlan } from "../kit/randomPlan.ts";
import { servePage } from "../kit/servedPage.ts";
import { timesText } from "./figures.ts";

const PATHS = 64;
const UPDATES = 200;
/** Longer than the page works on an update, and than it waits to be idle. */
const APART_MS = 120;

/**
 * How long an update of a quote of 64 paths holds the page's main thread at most, scripts, styles
 * and layout together. The service answers; its routes are exchanged for others of 64 paths.
 */
export async function redraw(): Promise<void> {
  const [service, browser] = await Promise.all([servePage(), openBrowser()]);
  try {
    const { page } = await openPage(browser, { reducedMotion: "reduce" });
    const random = new RandomSource(1);
    const answer = await fetch(`${service.url}/tokens?limit=8`);
    const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ address: string }> };
    // Its pools stay as a rule; what goes through each is another with each block.
    const plan = randomPlan(random, PATHS, (number) => data[number]!.address);
    const planned = () =>
      plan.map((step) => ({ ...step, amountIn: String(1n + random.bigint(10n ** 24n)) }));
    let update = () => {};
    await page.routeWebSocket(/\/ws/u, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        const message = JSON.parse(String(text)) as QuoteMessage;
        const isQuote = message.data?.routePlan !== undefined;
        if (!isQuote) return socket.send(text);
        if (message.op !== "snapshot") return;
        let seq = message.seq;
        const send = (op: string) => {
          const changed = { ...message.data, routePlan: planned(), amountIn: String(1e18 + seq) };
          socket.send(JSON.stringify({ ...message, op, seq: seq++, data: changed }));
        };
        send("snapshot");
        update = () => send("update");
      });
    });
    const [tokenIn, tokenOut] = data.map(({ address }) => address);
    const query = new URLSearchParams({
      ...{ tokenIn: tokenIn!, tokenOut: tokenOut!, amount: "1", maxSplits: "64" },
    });
    await page.goto(`${service.url}/app/ETH/quote?${query}`);
    await page.waitForSelector(".route path");
    const ribbons = await page.locator(".route path").count();
    await browser.startTracing(page, {
      categories: ["toplevel", "disabled-by-default-devtools.timeline"],
    });
    for (let count = 0; count < UPDATES; count++) {
      update();
      await pause(APART_MS);
    }
    const tasks = tasksOf(JSON.parse(String(await browser.stopTracing())) as Trace);
    console.log(timesText(`${PATHS} paths, ${ribbons} ribbons and lanes: longest task`, tasks));
  } finally {
    await browser.close();
    await service.stop();
  }
}

interface QuoteMessage {
  readonly op: string;
  readonly seq: number;
  readonly data?: { readonly routePlan?: unknown };
}

interface Trace {
  readonly traceEvents: ReadonlyArray<{
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    readonly ts: number;
    readonly tdur?: number;
  }>;
}

/** Of each update, milliseconds of the processor in the longest task of the page's main thread. */
function tasksOf({ traceEvents }: Trace): ReadonlyArray<number> {
  const tasks = traceEvents.filter(({ name, tdur = 0 }) => /RunTask/u.test(name) && tdur > 300);
  const ofThread = Map.groupBy(tasks, ({ pid, tid }) => `${pid} ${tid}`);
  const total = (group: typeof tasks) => group.reduce((sum, { tdur = 0 }) => sum + tdur, 0);
  const [main = []] = [...ofThread.values()].sort((a, b) => total(b) - total(a));
  const longest: number[] = [];
  let startedUs = Number.NEGATIVE_INFINITY;
  for (const { ts, tdur = 0 } of main.toSorted((a, b) => a.ts - b.ts)) {
    const isNext = ts - startedUs > 1_000 * (APART_MS - 20);
    if (isNext) startedUs = ts;
    if (isNext) longest.push(tdur / 1_000);
    else longest.push(Math.max(longest.pop()!, tdur / 1_000));
  }
  return longest;
}
