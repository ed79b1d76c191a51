import { createHash } from "node:crypto";
import { type IncomingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServerConfig } from "../../src/config/ServerConfig.ts";
import {
  type Answer,
  configOf,
  issuesOf,
  NATIVE,
  type Service,
  startService,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";

const ASK = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };
const LONG = { ...ASK, more: "x".repeat(31_000) };
const PATHS = { ...ASK, maxSplits: 4 };
const BURST = 100;
const KEY = "correct horse battery staple";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const withLimits = async (limits: Partial<ServerConfig["limits"]>): Promise<Service> => {
  const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  return startService({ ...config, limits: { ...config.limits, ...limits } });
};

/** The test acts as a proxy, so that each test has clients of its own. */
let limited: Service;
let unlimited: Service;
beforeAll(async () => {
  limited = await withLimits({
    address: { perSecond: 1, burst: BURST },
    keys: [{ name: "bot", sha256: sha256(KEY), perSecond: 2, burst: 500 }],
    trustedProxies: ["127.0.0.1"],
  });
  unlimited = await withLimits({});
  // Another client has already had these lists made.
  await get("/tokens?limit=3", as("192.0.2.200"));
  await get("/pools?limit=3", as("192.0.2.201"));
});
afterAll(async () => {
  await limited.stop();
  await unlimited.stop();
});

type Headers = Readonly<Record<string, string>>;

const get = (path: string, headers: Headers = {}) => limited.request(path, { headers });
const post = (path: string, body: unknown, headers: Headers = {}) =>
  limited.request(path, { method: "POST", headers, body: JSON.stringify(body) });
const as = (address: string): Headers => ({ "x-forwarded-for": address });

/** Asks until the answer is 429; meanwhile a little of the budget comes back. */
async function untilRefused(ask: () => Promise<Answer>): Promise<Answer> {
  for (let count = 0; count < 10 * BURST; count++) {
    const answer = await ask();
    if (answer.status === 429) return answer;
  }
  throw new Error("never refused");
}

/** The remaining budget from the header. */
const leftOf = ({ headers }: Answer): number =>
  Number(/^"(?:address|key)";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1]);

const ROUTES: ReadonlyArray<
  readonly [what: string, cost: number, ask: (headers: Headers) => Promise<Answer>]
> = [
  ["a quote", 10, (headers) => post("/ETH/quote", ASK, headers)],
  ["a quote of four paths", 30, (headers) => post("/ETH/quote", { ...ASK, maxSplits: 4 }, headers)],
  ["an explained quote", 35, (headers) => post("/ETH/quote", { ...ASK, explain: true }, headers)],
  ["a malformed quote", 10, (headers) => post("/ETH/quote", { tokenA: 1 }, headers)],
  ["a quote of an unknown network", 10, (headers) => post("/NONE/quote", ASK, headers)],
  ["a quote with a slash at its end", 10, (headers) => post("/ETH/quote/", ASK, headers)],
  ["a quote with an escape in its path", 10, (headers) => post("/ETH/%71uote", ASK, headers)],
  ["a quote of four hops", 20, (headers) => post("/ETH/quote", { ...ASK, maxHops: 4 }, headers)],
  ["a quote with a long body", 16, (headers) => post("/ETH/quote", LONG, headers)],
  ["a quote of four paths in upper case", 30, (headers) => post("/ETH/QUOTE", PATHS, headers)],
  [
    "a quote of `tokens`, which is no network",
    10,
    (headers) => post("/tokens/quote", ASK, headers),
  ],
  ["a quote with another method", 10, (headers) => get("/ETH/quote", headers)],
  ["a swap with an escape in its path", 15, (headers) => post("/ETH/sw%61p", {}, headers)],
  [
    "a token with an escape in its path",
    11,
    (headers) => get(`/tokens/%30${USDC.slice(1)}`, headers),
  ],
  ["a swap", 15, (headers) => post("/ETH/swap", {}, headers)],
  ["a permit", 15, (headers) => post("/ETH/permit", {}, headers)],
  ["a token", 4, (headers) => get(`/tokens/${USDC}`, headers)],
  ["a token that is none", 4, (headers) => get("/tokens/0x1", headers)],
  ["a list of tokens that was made before", 10, (headers) => get("/tokens?limit=3", headers)],
  ["a list of pools that was made before", 10, (headers) => get("/pools?limit=3", headers)],
  [
    "a token's price of the swap interface",
    10,
    (headers) => get(`/ETH/tokenPrice/${NATIVE}`, headers),
  ],
  ["the list of networks", 10, (headers) => get("/networks", headers)],
  ["an unknown path", 10, (headers) => get("/nothing/here/at/all", headers)],
];

describe("a client's budget", () => {
  for (const [index, [what, cost, ask]] of ROUTES.entries()) {
    it(`pays ${cost} for ${what}, and hears what is left`, async () => {
      const answer = await ask(as(`203.0.113.${index}`));
      expect(answer.status).not.toBe(429);
      expect(answer.headers.get("ratelimit-policy")).toBe(`"address";q=${BURST};w=${BURST}`);
      expect(answer.headers.get("ratelimit")).toBe(`"address";r=${BURST - cost};t=${cost}`);
      expect(answer.headers.get("retry-after")).toBeNull();
    });

    it(`refuses ${what} once it is used up, with 429 and a time to come back`, async () => {
      const headers = as(`198.51.100.${index}`);
      const { status, headers: told, json, text } = await untilRefused(() => ask(headers));
      expect(status).toBe(429);
      const seconds = Number(told.get("retry-after"));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(cost);
      expect(told.get("ratelimit")).toMatch(new RegExp(`^"address";r=\\d+;t=${seconds}$`));
      expect(told.get("ratelimit-policy")).toBe(`"address";q=${BURST};w=${BURST}`);
      if (/"success":false/.test(text)) {
        expect(issuesOf({ status, headers: told, json, text })).toMatchObject([
          { code: "rate_limited", path: [] },
        ]);
      } else {
        expect(told.get("content-type")).toBe("application/problem+json");
        expect(json).toMatchObject({ code: "RATE_LIMITED", status: 429 });
      }
    });
  }

  it("is shared by all routes, and nobody else's", async () => {
    await untilRefused(() => post("/ETH/swap", {}, as("192.0.2.10")));
    await untilRefused(() => post("/ETH/quote", ASK, as("192.0.2.10")));
    await untilRefused(() => get("/pools", as("192.0.2.10")));
    expect((await post("/ETH/quote", ASK, as("192.0.2.11"))).status).toBe(200);
  });

  it("is one for a whole /64 of IPv6", async () => {
    await untilRefused(() => post("/ETH/quote", ASK, as("2001:db8:7:7::1")));
    expect((await post("/ETH/quote", ASK, as("2001:db8:7:7:ffff::2"))).status).toBe(429);
    expect((await post("/ETH/quote", ASK, as("2001:db8:7:8::1"))).status).toBe(200);
  });

  it("is the same behind whatever a client claims to be", async () => {
    const claims = ["", "1.1.1.1, ", "127.0.0.1, ", "2001:db8::1, unknown, "];
    let count = 0;
    const answer = await untilRefused(() =>
      post("/ETH/quote", ASK, {
        ...as(`${claims[count % claims.length]}${count}.9.9.9, 192.0.2.12`),
        forwarded: `for=192.0.2.${count++ % 250}`,
      }),
    );
    expect(answer.status).toBe(429);
    expect(count).toBeLessThan(2 * (BURST / 10));
  });

  it("is not touched by health, which is never refused", async () => {
    await untilRefused(() => get("/networks", as("192.0.2.13")));
    for (const path of ["/health/live", "/health/ready", "/health/ready/ETH"]) {
      const { status, headers } = await get(path, as("192.0.2.13"));
      expect([path, status, headers.get("ratelimit")]).toEqual([path, 200, null]);
    }
  });

  it("is not touched by preflights, which allow the headers of keys and show those of budgets", async () => {
    const { status, headers } = await limited.request("/ETH/quote", {
      method: "OPTIONS",
      headers: { origin: "https://page.example", "access-control-request-method": "POST" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-headers")).toMatch(/authorization, x-api-key/);
    expect(headers.get("access-control-expose-headers")).toMatch(/ratelimit, ratelimit-policy/);
    expect(headers.get("ratelimit")).toBeNull();
  });
});

describe("an API key", () => {
  it("has its own budget, wherever it is sent from and however", async () => {
    const first = await post("/ETH/quote", ASK, { ...as("192.0.2.20"), "x-api-key": KEY });
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"key";q=500;w=250');
    expect(leftOf(first)).toBe(490);
    const bearer = { ...as("192.0.2.21"), authorization: `bearer ${KEY}` };
    const second = await post("/ETH/quote", ASK, bearer);
    expect(leftOf(second)).toBeLessThan(490);
    expect(leftOf(await post("/ETH/quote", ASK, as("192.0.2.20")))).toBe(BURST - 10);
  });

  it("that does not exist is 401 in the shape of the interface, and its sender pays", async () => {
    const headers = { ...as("192.0.2.22"), "x-api-key": `${KEY}!` };
    const quote = await post("/ETH/quote", ASK, headers);
    expect(quote.status).toBe(401);
    expect(quote.headers.get("www-authenticate")).toBe("Bearer");
    expect(quote.json).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
    expect(leftOf(quote)).toBe(BURST - 10);
    for (const path of [`/tokens/${USDC}`, `/tokens/${USDC}/price`]) {
      const read = await get(path, headers);
      expect(read.status).toBe(401);
      expect(issuesOf(read)).toMatchObject([{ code: "unauthorized", path: [] }]);
    }
    expect((await get("/health/live", headers)).status).toBe(200);
    await untilRefused(() => post("/ETH/quote", ASK, headers));
  });

  it("is not what other ways of authorization bring", async () => {
    const headers = { ...as("192.0.2.23"), authorization: "Basic dXNlcjpwYXNzd29yZA==" };
    expect((await post("/ETH/quote", ASK, headers)).status).toBe(200);
  });

  it("says nothing where none is configured", async () => {
    const headers = { "x-api-key": "anything" };
    expect((await unlimited.request("/networks", { headers })).status).toBe(200);
  });
});

describe("a service without limits", () => {
  it("answers as often as it is asked, without a word of budgets", async () => {
    for (let count = 0; count < 200; count++) {
      const { status, headers } = await unlimited.post("/ETH/quote", ASK);
      expect([status, headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([
        ...[200, null, null],
      ]);
    }
  });
});

describe("a socket", () => {
  const subscribe = (id: number, fields: object) =>
    JSON.stringify({ op: "subscribe", id, network: "ETH", ...fields });

  /** The answers to operations that are sent one after the other. */
  async function answersTo(service: Service, operations: ReadonlyArray<string>) {
    const socket = new WebSocket(`${service.url.replace("http", "ws")}/ws`);
    const waiting: Array<(message: { op: string; code?: string }) => void> = [];
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (["subscribed", "error"].includes(message.op)) waiting.shift()?.(message);
    });
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    const answers: string[] = [];
    for (const operation of operations) {
      const answered = new Promise<{ op: string; code?: string }>((resolve) =>
        waiting.push(resolve),
      );
      socket.send(operation);
      const { op, code } = await answered;
      answers.push(code ?? op);
    }
    const closed = new Promise((resolve) => socket.addEventListener("close", resolve));
    socket.close();
    await closed;
    return answers;
  }

  it("pays for what it subscribes to, and hears RATE_LIMITED once the budget is used up", async () => {
    const service = await withLimits({ address: { perSecond: 1, burst: 200 } });
    try {
      // 10 for the connection, then 15, 35, 5 + 2 × 10, 5, 5: 105 are left, which are too few for a
      // ladder of splits.
      const answers = await answersTo(service, [
        subscribe(1, { channel: "quote", ...ASK }),
        subscribe(2, { channel: "quote", ...ASK, maxSplits: 4 }),
        subscribe(3, {
          ...{ channel: "quote", tokenA: WETH, tokenB: USDC, amounts: ["1", "2", "3"] },
        }),
        subscribe(4, { channel: "price", token: USDC }),
        subscribe(5, { channel: "price", tokens: [USDC, WETH] }),
        subscribe(6, {
          ...{ channel: "quote", tokenA: WETH, tokenB: USDC, maxSplits: 4 },
          amounts: ["1", "2", "3", "4", "5", "6", "7"],
        }),
        subscribe(7, { channel: "block" }),
      ]);
      expect(answers).toEqual([
        ...["subscribed", "subscribed", "subscribed", "subscribed", "subscribed"],
        ...["RATE_LIMITED", "subscribed"],
      ]);
      // HTTP shares the budget.
      expect(leftOf(await service.get("/networks"))).toBeLessThan(105);
    } finally {
      await service.stop();
    }
  });

  it("is refused before it opens, where the budget is used up or there is no such key", async () => {
    await untilRefused(() => get("/networks", as("192.0.2.30")));
    expect(await upgrade(limited, as("192.0.2.30"))).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.stringMatching(/^\d+$/) },
    });
    const unknown = await upgrade(limited, { ...as("192.0.2.31"), "x-api-key": "none" });
    expect(unknown).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    expect((await upgrade(limited, { ...as("192.0.2.32"), "x-api-key": KEY })).status).toBe(101);
  });

  it("counts for its client, and not for the proxy that many share", async () => {
    const service = await withLimits({ trustedProxies: ["127.0.0.1"] });
    const sockets: Socket[] = [];
    const open = async (address: string) => {
      const { status, socket } = await upgrade(service, as(address));
      if (socket !== undefined) sockets.push(socket);
      return status;
    };
    try {
      for (let client = 0; client < 12; client++) {
        expect(await open(`2001:db8:0:${client}::1`)).toBe(101);
      }
      for (let count = 1; count < 8; count++)
        expect(await open(`2001:db8:0:1::${count}`)).toBe(101);
      expect(await open("2001:db8:0:1:ffff::1")).toBe(429);
      expect(await open("2001:db8:0:2::2")).toBe(101);
    } finally {
      for (const socket of sockets) socket.destroy();
      await service.stop();
    }
  });
});

/** Asks to upgrade; gives the socket if that was granted. */
function upgrade(service: Service, headers: Headers) {
  const asked = request(`${service.url}/ws`, {
    headers: {
      ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      ...{ "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", ...headers },
    },
  });
  const answered = new Promise<{
    readonly status: number | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly socket?: Socket;
  }>((resolve, reject) => {
    asked.once("error", reject);
    asked.once("response", ({ statusCode, headers }) => resolve({ status: statusCode, headers }));
    asked.once("upgrade", ({ statusCode, headers }, socket: Socket) =>
      resolve({ status: statusCode, headers, socket }),
    );
  });
  asked.end();
  return answered;
}
