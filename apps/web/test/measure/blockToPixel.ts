import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { openBrowser } from "../kit/browser.ts";
import { openPage } from "../kit/openPage.ts";
import { type ServedPage, servePage } from "../kit/servedPage.ts";
import { timesText } from "./figures.ts";

const ROWS = 200;
const BLOCK_EVERY_MS = 500;

/**
 * From a block's head, as the node announces it, to the frame that shows what it changed: of a list
 * of 200 rows with live prices, and of a quote that is open beside it. A devnet has fewer tokens:
 * each stands in several rows, with an address of its own and with the real one's news.
 */
export async function blockToPixel(seconds = 60): Promise<void> {
  const [service, browser] = await Promise.all([
    servePage({ blockEveryMs: BLOCK_EVERY_MS }),
    openBrowser(),
  ]);
  const heads = new Map<number, number>();
  const node = await followHeads(service, heads);
  try {
    const list = (await openPage(browser)).page;
    await list.addInitScript(noteFrames("tbody", "data-none"));
    await multiplyRows(list);
    await list.goto(`${service.url}/app/ETH/tokens`);
    await list.waitForSelector(`tbody tr:nth-child(${ROWS})`);
    const quote = (await openPage(browser)).page;
    await quote.addInitScript(noteFrames("main", "data-block"));
    const [weth, dollars] = await Promise.all(["WETH", "USDC"].map(service.tokenOf));
    const query = new URLSearchParams({ tokenIn: weth!, tokenOut: dollars!, amount: "1000" });
    await quote.goto(`${service.url}/app/ETH/quote?${query}`);
    await quote.waitForSelector(".route path");
    await pause(5_000);
    const startMs = performance.timeOrigin + performance.now();
    await pause(1_000 * seconds);
    console.log(timesText(`${ROWS} rows`, listTimes(await framesOf(list), heads, startMs)));
    console.log(timesText("quote", quoteTimes(await framesOf(quote), heads, startMs)));
  } finally {
    node.close();
    await browser.close();
    await service.stop();
  }
}

/** Notes when each block of the service's devnet is announced, by its number. */
async function followHeads(
  { url }: ServedPage,
  heads: Map<number, number>,
): Promise<{ readonly close: () => void }> {
  const answer = await fetch(`${url}/networks`);
  const { result } = (await answer.json()) as {
    readonly result: ReadonlyArray<{ readonly rpcUrl: string }>;
  };
  const socket = new WebSocket(result[0]!.rpcUrl.replace("http", "ws"));
  socket.onopen = () =>
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  socket.onmessage = ({ data }) => {
    const atMs = performance.timeOrigin + performance.now();
    const { params } = JSON.parse(String(data)) as {
      readonly params?: { readonly result: { readonly number: string } };
    };
    if (params !== undefined) heads.set(Number(params.result.number), atMs);
  };
  return socket;
}

/** A frame that was painted after something had changed. */
interface Frame {
  readonly atMs: number;
  /** Of the attribute that was asked for; empty where there is none. */
  readonly name: string;
}

/** Of the page: notes in `frames` when a frame is painted that has changes of text. */
const noteFrames = (within: string, named: string): string => `
  globalThis.frames = [];
  let isWaiting = false;
  const note = () => {
    const name = document.querySelector("[${named}]")?.getAttribute("${named}") ?? "";
    frames.push({ atMs: performance.timeOrigin + performance.now(), name });
    isWaiting = false;
  };
  const isWithin = ({ target }) => (target.parentElement ?? target).closest?.("${within}") != null;
  new MutationObserver((changes) => {
    if (isWaiting || !changes.some(isWithin)) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      // A task of its own, after the frame.
      port1.onmessage = note;
      port2.postMessage(0);
    });
  }).observe(document, {
    subtree: true, characterData: true, childList: true, attributeFilter: ["${named}"],
  });
`;

const framesOf = (page: Page): Promise<ReadonlyArray<Frame>> => page.evaluate("frames");

/** From each head to the first frame after it; frames do not say which block they show. */
function listTimes(
  frames: ReadonlyArray<Frame>,
  heads: ReadonlyMap<number, number>,
  startMs: number,
): ReadonlyArray<number> {
  const times = [...heads.values()].sort((a, b) => a - b);
  return times.flatMap((headMs, at) => {
    const nextMs = times[at + 1] ?? Number.POSITIVE_INFINITY;
    const frame = frames.find(({ atMs }) => atMs > headMs && atMs <= nextMs);
    return headMs < startMs || frame === undefined ? [] : [frame.atMs - headMs];
  });
}

function quoteTimes(
  frames: ReadonlyArray<Frame>,
  heads: ReadonlyMap<number, number>,
  startMs: number,
): ReadonlyArray<number> {
  const first = new Map<string, number>();
  for (const { atMs, name } of frames) if (!first.has(name)) first.set(name, atMs);
  return [...first].flatMap(([name, atMs]) => {
    const headMs = heads.get(Number(name));
    return headMs === undefined || headMs < startMs ? [] : [atMs - headMs];
  });
}

/** Has the list show 200 rows: each token several times. */
async function multiplyRows(page: Page): Promise<void> {
  const realOf = new Map<string, string>();
  await page.route(/\/tokens\?/u, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: ReadonlyArray<{ readonly address: string }> };
    const data = Array.from({ length: ROWS }, (_, at) => {
      const token = body.data[at % body.data.length]!;
      const address = `0x${at.toString(16).padStart(40, "a")}`;
      realOf.set(address, token.address);
      return { ...token, address };
    });
    await route.fulfill({ response, json: { ...body, data } });
  });
  await page.routeWebSocket(/\/ws$/u, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { tokens, ...rest } = JSON.parse(String(text)) as { tokens?: ReadonlyArray<string> };
      const real = tokens && [...new Set(tokens.map((token) => realOf.get(token)!))];
      server.send(real === undefined ? text : JSON.stringify({ ...rest, tokens: real }));
    });
    server.onMessage((text) => {
      const { data, ...rest } = JSON.parse(String(text)) as {
        data?: ReadonlyArray<{ readonly token: string }>;
      };
      if (!Array.isArray(data)) return socket.send(text);
      const all = [...realOf].flatMap(([token, real]) =>
        data.filter((one) => one.token === real).map((one) => ({ ...one, token })),
      );
      socket.send(JSON.stringify({ ...rest, data: all }));
    });
  });
}
