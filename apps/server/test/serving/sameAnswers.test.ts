import { get } from "node:http";
import { eventually, law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routeOf, routeTable } from "../../src/routes/routeTable.ts";
import { NATIVE, type Service, USDC, WETH } from "../kit/service.ts";
import { openReader, type StreamReader } from "../streaming/streamReader.ts";
import { Asker, type Outcome } from "./Asker.ts";
import { bothServices } from "./bothServices.ts";

const both = bothServices({ MILLRACE_SEARCH_WORKERS: "1" });

const POOL = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const NOWHERE = `0x${"1".repeat(40)}`;
const SENDER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const QUOTE = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };
/** So many that both threads get some, except once in 500,000 runs. */
const CLIENTS = 20;
const SPLIT = { ...QUOTE, amountIn: "3000000000000000000000", maxSplits: 4 };

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const read = (path: string, headers?: Asked["headers"]): Asked => ({
  method: "GET",
  path,
  ...(headers !== undefined && { headers }),
});
const post = (path: string, body: unknown): Asked => ({ method: "POST", path, body });

const ASKED: ReadonlyArray<Asked> = [
  ...["/", "/app", "/app/quote", "/docs", "/openapi.json", "/asyncapi.json", "/networks"].map(
    (path) => read(path),
  ),
  read("/openapi.json", { "accept-encoding": "gzip" }),
  ...["/health/live", "/health/ready", "/health/ready/ETH", "/health/ready/NONE"].map((path) =>
    read(path),
  ),
  ...["/tokens", "/tokens?limit=3&offset=2", "/tokens?limit=0", "/trades", "/pools?limit=7"].map(
    (path) => read(path),
  ),
  ...[WETH, NATIVE, NOWHERE, "what", WETH.toUpperCase().replace("X", "x")].flatMap((token) => [
    read(`/tokens/${token}`),
    read(`/tokens/${token}?network=ETH`),
    read(`/tokens/${token}/price`),
    read(`/tokens/${token}/candles?interval=1h`),
    read(`/tokens/${token}/trades?limit=5`),
    read(`/ETH/tokenDetails/${token}`),
    read(`/ETH/tokenPrice/${token}`),
  ]),
  read("/tokens/search/usd"),
  read(`/tokens/%30${WETH.slice(1)}`),
  read(`/pools/${POOL}`),
  read(`/pools/${POOL}/candles`),
  read(`/pools/${POOL}/trades`),
  ...["dexes", "tokenList", "tokenListWithDetails", "cycles?maxHops=2"].map((path) =>
    read(`/ETH/${path}`),
  ),
  post("/ETH/quote", QUOTE),
  post("/ETH/quote", { ...QUOTE, tokenA: NATIVE, tokenB: WETH }),
  post("/ETH/quote", { ...QUOTE, tokenB: NOWHERE }),
  post("/ETH/quote", { ...QUOTE, amountIn: "0" }),
  post("/ETH/quote", { ...QUOTE, dexId: "UNISWAP_V2", excludePools: [POOL] }),
  post("/ETH/quote", { ...QUOTE, maxHops: 4, certify: true }),
  post("/ETH/quote", { ...QUOTE, gapBps: 10 }),
  post("/ETH/quote", { ...QUOTE, explain: true }),
  post("/ETH/quote", { ...QUOTE, assume: [{ removePool: POOL }], explain: true }),
  post("/ETH/quote", { ...QUOTE, gasAware: true }),
  post("/ETH/quote", { ...QUOTE, gasPriceWei: "1000000000", executable: true }),
  post("/ETH/quote", { tokenA: WETH, tokenB: USDC, amountOut: "1000000000" }),
  post("/ETH/quote", SPLIT),
  post("/ETH/quote", { ...SPLIT, maxSplits: 100 }),
  post("/ETH/quote?what=1", QUOTE),
  post("/ETH/quote", "{"),
  post("/ETH/quote", { what: 1 }),
  post("/ETH/%71uote", QUOTE),
  post("/NONE/quote", QUOTE),
  post("/ETH/swap", { sender: SENDER, quote: {} }),
  post("/ETH/permit", { sender: SENDER }),
  post("/ETH/wallet", {}),
  post("/NONE/swap", {}),
  ...["/what", "/%", "/ETH", "//"].map((path) => read(path)),
  ...["PUT", "DELETE", "OPTIONS", "PATCH"].map((method) => ({ method, path: "/tokens", body: {} })),
  {
    method: "OPTIONS",
    path: "/ETH/quote",
    headers: { origin: "https://page.example", "access-control-request-method": "POST" },
  },
  read("/tokens?limit=1", { origin: "https://page.example" }),
  { method: "HEAD", path: "/tokens?limit=3" },
  { method: "HEAD", path: `/tokens/${WETH}` },
  post("/ETH/quote", { ...QUOTE, padding: "x".repeat(70_000) }),
];

const AMOUNTS = ["100000000000000000", "1000000000000000000", "10000000000000000000"];
/** Every channel and operation, and some that are refused. */
const OPERATIONS: ReadonlyArray<object> = [
  ...[
    { channel: "price", token: WETH },
    { channel: "price", tokens: [WETH, USDC] },
    { channel: "price", token: NOWHERE },
    { channel: "quote", ...QUOTE },
    { channel: "quote", ...QUOTE, minChangeBps: 5 },
    { channel: "quote", ...SPLIT },
    { channel: "quote", tokenA: WETH, tokenB: USDC, amounts: AMOUNTS },
    { channel: "quote", tokenA: WETH, tokenB: NOWHERE, amountIn: "1" },
    { channel: "pool", pool: POOL },
    { channel: "block" },
    { channel: "trades", token: WETH },
    { channel: "trades", pool: POOL },
    { channel: "candles", token: WETH, interval: "1m" },
    { channel: "candles", pool: POOL },
    { channel: "networks" },
    { channel: "what" },
  ].map((topic) => ({ op: "subscribe", network: "ETH", ...topic })),
  { op: "subscribe", network: "NONE", channel: "block" },
  { op: "unsubscribe", subscription: "s1" },
  { op: "unsubscribe", subscription: "s1" },
  { op: "ping" },
  { op: "what" },
  { op: "list" },
];

/** Headers that depend on the moment, not on the service. */
const OF_THE_MOMENT = new Set(["date", "x-request-id"]);

async function answerOf({ url }: Service, { method, path, body, headers }: Asked) {
  const response = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const told = [...response.headers].filter(([name]) => !OF_THE_MOMENT.has(name));
  return { status: response.status, headers: told, text: timeless(await response.text()) };
}

/** Removes the growing age of the recorded block. */
const timeless = (text: string): string => text.replace(/"headAgeMs":\d+/gu, "");

describe("two threads that serve", () => {
  it("answer every path as one does", async () => {
    // In a checkout, the first request for the page builds it.
    for (const service of [both.one, both.two]) {
      await eventually(async () => !(await service.get("/app")).text.includes("is being built"));
    }
    for (const asked of ASKED) {
      const [one, two] = [await answerOf(both.one, asked), await answerOf(both.two, asked)];
      expect({ asked, ...two }).toEqual({ asked, ...one });
    }
    const patterns = new Set(ASKED.map(({ path }) => routeOf(path.split("?")[0]!)?.pattern));
    const missing = routeTable.filter(({ pattern }) => !patterns.has(pattern));
    expect(missing.map(({ pattern }) => pattern)).toEqual(["/ws", "/metrics"]);
  });

  it("quote what one does, whatever is asked", async () => {
    const { json } = await both.one.get("/ETH/tokenList");
    const tokens = fc.constantFrom(...(json.result as string[]));
    const requests = fc.record({
      tokenA: tokens,
      tokenB: fc.oneof(tokens, fc.constantFrom(WETH, USDC)),
      amountIn: fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String),
      maxHops: fc.integer({ min: 1, max: 4 }),
      maxSplits: fc.integer({ min: 1, max: 3 }),
    });
    const { options } = law("serving threads: the same quotes", 150);
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const asked = post("/ETH/quote", request);
        expect(await answerOf(both.two, asked)).toEqual(await answerOf(both.one, asked));
      }),
      options,
    );
  });

  it("tell what one tells on every channel", async () => {
    const readers = [await openReader(both.one.url), await openReader(both.two.url)];
    const told = await Promise.all(readers.map(conversation));
    expect(told[1]).toEqual(told[0]);
    expect(told[0]!.filter(({ op }) => op === "snapshot").length).toBeGreaterThan(8);
    await Promise.all(readers.map((reader) => reader.close()));
  });

  it("both answer, and all that they answered is counted once", async () => {
    const before = await quotesCounted();
    // A connection for each: the system gives them to either thread.
    const count = 64;
    await Promise.all(Array.from({ length: count }, () => onOwnConnection("/tokens?limit=1")));
    for (let asked = 0; asked < 20; asked++) await both.two.post("/ETH/quote", QUOTE);
    expect(await quotesCounted()).toBe(before + 20);
    const { text } = await both.two.get("/metrics");
    expect(text).toContain("millrace_serving_threads 2\n");
    const names = (metrics: string) => new Set(metrics.match(/^# TYPE .*$/gmu));
    expect(names(text)).toEqual(names((await both.one.get("/metrics")).text));
  });
});

describe("a thread that serves and dies", () => {
  it("is replaced; its clients connect again, and nobody else notices", async () => {
    const service = both.two;
    const begun = both.workers.length;
    const expected = (await service.post("/ETH/quote", QUOTE)).text;
    const readers = await Promise.all(
      Array.from({ length: CLIENTS }, () => openReader(service.url)),
    );
    for (const reader of readers) {
      await reader.subscribe({ channel: "quote", network: "ETH", ...QUOTE });
    }
    const lost = new Set<number>();
    readers.forEach(({ closed }, at) => void closed.then(() => lost.add(at)));

    const clients = Array.from({ length: CLIENTS }, () => ({
      asker: new Asker(service.url),
      failures: [] as string[],
      answered: 0,
    }));
    let isOver = false;
    const asking = clients.map(async (client) => {
      while (!isOver) {
        const outcome: Outcome = await client.asker.post("/ETH/quote", QUOTE);
        if ("failure" in outcome) client.failures.push(outcome.failure);
        else {
          expect(outcome.text).toBe(expected);
          client.answered++;
        }
      }
    });
    await eventually(() => clients.every(({ answered }) => answered > 2));
    // An unknown message, which kills the thread.
    both.workers[0]!.postMessage(null);
    await eventually(() => both.workers.length > begun);
    await eventually(async () => (await serving(service)).threads === 2);
    const answered = clients.map((client) => client.answered);
    await eventually(() => clients.every((client, at) => client.answered > answered[at]! + 2));
    isOver = true;
    await Promise.all(asking);

    // Clients of the other thread had no failure, and those of this one had one each.
    const failures = clients.map((client) => client.failures.length);
    expect(failures.filter((count) => count === 0).length).toBeGreaterThan(0);
    expect(failures.filter((count) => count > 0).length).toBeGreaterThan(0);
    expect(Math.max(...failures)).toBe(1);
    expect(lost.size).toBeLessThan(readers.length);
    expect(service.streams.counts().connections).toBe(readers.length - lost.size);
    for (const [at, reader] of readers.entries()) {
      if (lost.has(at)) continue;
      reader.send({ op: "ping", id: "after" });
      await reader.answered("after");
    }
    expect(await serving(service)).toEqual({ threads: 2, lost: 1 });
    for (const { asker } of clients) asker.close();
    await Promise.all(readers.filter((_, at) => !lost.has(at)).map((reader) => reader.close()));
  });
});

async function serving(service: Service) {
  const { text } = await service.get("/metrics");
  const one = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(text)?.[1]);
  return {
    threads: one("millrace_serving_threads"),
    lost: one("millrace_serving_threads_lost_total"),
  };
}

async function quotesCounted(): Promise<number> {
  const { text } = await both.two.get("/metrics");
  const found =
    /millrace_requests_total\{method="POST",route="\/:network\/quote",status="200"\} (\d+)/u;
  return Number(found.exec(text)?.[1]);
}

const onOwnConnection = (path: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    get(both.two.url + path, { agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });

/** All messages for the operations, which are sent one after the other. */
async function conversation({ messages, send, answered }: StreamReader) {
  for (const [id, operation] of OPERATIONS.entries()) {
    send({ ...operation, id });
    await answered(id);
  }
  return messages.map(({ sentAt: _, ...message }: { op: string; sentAt?: number }) => message);
}
