import {
  DexList,
  NetworkList,
  PriceAnswer,
  Readiness,
  TokenEntries,
  TokenEntryAnswer,
} from "@millrace/api";
import { Effect, Schema } from "effect";
import { describe, expect, it } from "vitest";
import { routeTable } from "../../src/routes/routeTable.ts";
import {
  configOf,
  NATIVE,
  recordedService,
  startConfigured,
  startService,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";

const service = recordedService();

const STRICT = { onExcessProperty: "error" } as const;
const NOWHERE = `0x${"1".repeat(40)}`;

describe("the tokens of a network", () => {
  it("are listed with the native one first, with and without details", async () => {
    const plain = await service.get("/ETH/tokenList");
    const detailed = await service.get("/ETH/tokenListWithDetails");
    const { result } = Schema.decodeUnknownSync(TokenEntries)(detailed.json, STRICT);
    expect(plain.json.result).toEqual(result.map(({ address }) => address));
    expect(result[0]).toEqual({
      address: NATIVE,
      decimals: 18,
      symbol: "ETH",
      name: "Ether",
      contractAddress: WETH,
    });
    expect(new Set(result.map(({ address }) => address)).size).toBe(result.length);
    expect(result.length).toBeGreaterThan(1_000);
  });

  it("are told one by one, in any case", async () => {
    const { json } = await service.get(`/ETH/tokenDetails/${USDC.toUpperCase().replace("X", "x")}`);
    const { result } = Schema.decodeUnknownSync(TokenEntryAnswer)(json, STRICT);
    expect(result).toMatchObject({ address: USDC, decimals: 6, contractAddress: USDC });
    const native = await service.get(`/ETH/tokenDetails/${NATIVE.toLowerCase()}`);
    expect(native.json.result).toMatchObject({ address: NATIVE, contractAddress: WETH });
  });

  it("have prices; the native one has its wrapped form's", async () => {
    const { json, headers } = await service.get(`/ETH/tokenPrice/${NATIVE}`);
    expect(headers.get("cache-control")).toBe("no-store");
    const { result } = Schema.decodeUnknownSync(PriceAnswer)(json, STRICT);
    expect(result).toBeGreaterThan(100);
    expect((await service.get(`/ETH/tokenPrice/${WETH}`)).json.result).toBe(result);
    expect((await service.get(`/ETH/tokenPrice/${USDC}`)).json.result).toBe(1);
  });

  it("that are not there are problems", async () => {
    for (const path of ["tokenDetails", "tokenPrice"]) {
      const unknown = await service.get(`/ETH/${path}/${NOWHERE}`);
      expect([unknown.status, unknown.json.code]).toEqual([404, "UNKNOWN_TOKEN"]);
      const malformed = await service.get(`/ETH/${path}/0x12`);
      expect([malformed.status, malformed.json.code]).toEqual([400, "INVALID_REQUEST"]);
      expect(malformed.json.issues).toMatchObject([
        { code: "invalid_format", path: ["tokenAddress"] },
      ]);
    }
  });
});

describe("networks", () => {
  it("are listed, the primary one marked", async () => {
    const { json } = await service.get("/networks");
    const { result } = Schema.decodeUnknownSync(NetworkList)(json, STRICT);
    expect(result).toEqual([
      { id: "ETH", chainId: 1, name: "Ethereum", primary: true, ready: true, wrappedNative: WETH },
    ]);
  });

  it("list their DEXes with the pools of each", async () => {
    const { json } = await service.get("/ETH/dexes");
    const { result } = Schema.decodeUnknownSync(DexList)(json, STRICT);
    const { graph } = service.networks.primary.market!.engine;
    expect(result.map(({ dexId }) => dexId)).toContain("UNISWAP_V3");
    expect(result.reduce((sum, { pools }) => sum + pools, 0)).toBe(graph.livePoolCount);
  });

  it("that are not there are UNKNOWN_NETWORK on every path", async () => {
    for (const path of ["dexes", "tokenList", "tokenListWithDetails", `tokenPrice/${WETH}`]) {
      const { status, json } = await service.get(`/BASE/${path}`);
      expect([status, json.code]).toEqual([404, "UNKNOWN_NETWORK"]);
    }
    const { status } = await service.get("/health/ready/BASE");
    expect(status).toBe(404);
  });

  it("take no query parameters, and say so", async () => {
    const { status, json } = await service.get("/ETH/tokenList?limit=5");
    expect(status).toBe(400);
    expect(json.issues).toEqual([
      { code: "unrecognized_key", path: ["limit"], message: 'Unrecognized key: "limit"' },
    ]);
  });
});

describe("operations", () => {
  it("tell that the process lives and that every network is ready", async () => {
    expect((await service.get("/health/live")).json).toEqual({ live: true });
    for (const path of ["/health/ready", "/health/ready/ETH"]) {
      const { status, json } = await service.get(path);
      expect(status).toBe(200);
      const body = Schema.decodeUnknownSync(Readiness)(json, STRICT);
      expect(body.networks).toMatchObject([{ id: "ETH", ready: true }]);
      expect(body.networks[0]!.headAgeMs).toBeGreaterThan(0);
    }
  });

  it("count answers by route and status, never by what a client wrote", async () => {
    await service.get("/no/such/path/anywhere");
    await service.post("/ETH/quote", { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000" });
    const { text, headers } = await service.get("/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(text).toContain('millrace_requests_total{method="GET",route="unknown",status="404"} ');
    expect(text).toContain('route="/:network/quote",status="200"} ');
    expect(text).toMatch(/millrace_quote_duration_seconds_bucket\{le="\+Inf"\} [1-9]/);
    expect(text).toMatch(/millrace_head_block\{network="ETH"\} \d+/);
    expect(text).not.toContain("anywhere");
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [-+\d.eInf]+)$/);
    }
  });

  it("publish the OpenAPI document and a reference page", async () => {
    const document = await service.get("/openapi.json");
    expect(document.json.openapi).toBe("3.1.0");
    const page = await service.get("/docs");
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).toContain("/tokens/{address}");
  });

  it("serve every path of the OpenAPI document, and no other", async () => {
    const { json } = await service.get("/openapi.json");
    const documented = Object.keys(json.paths).map((path) => path.replace(/\{(\w+)\}/g, ":$1"));
    const served = routeTable.map(({ pattern }) => pattern);
    expect(served.toSorted()).toEqual(
      [...documented, "/openapi.json", "/asyncapi.json", "/ws", "/", "/app", "/app/*"].toSorted(),
    );
    for (const path of documented) {
      const concrete = path
        .replace(":network", "ETH")
        .replace(/:(address|tokenAddress)/, WETH)
        .replace(":query", "weth");
      const { status } = await service.get(concrete);
      // Four take POST; a token's address is no pool's.
      const takesPost = /^\/:network\/(quote|swap|permit|wallet)$/.test(path);
      const expected = takesPost ? 405 : path.startsWith("/pools/:address") ? 404 : 200;
      expect([path, status]).toEqual([path, expected]);
    }
  });

  it("carry a request id on every answer, the client's own where it is harmless", async () => {
    const paths = ["/health/live", "/tokens", "/nope", "/ETH/quote", "/tokens/0x1", "/docs"];
    for (const path of paths) {
      const { headers } = await service.get(path);
      expect(headers.get("x-request-id")).toMatch(/^[\w.-]{1,64}$/);
      const own = await service.request(path, { headers: { "x-request-id": "mine-1" } });
      expect(own.headers.get("x-request-id")).toBe("mine-1");
    }
  });

  it("let pages of any origin read, and ask for quotes", async () => {
    const read = await service.request("/tokens", { headers: { origin: "https://a.example" } });
    expect(read.headers.get("access-control-allow-origin")).toBe("*");
    const preflight = await service.request("/ETH/quote", {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
  });

  it("answer HEAD like GET, without the body", async () => {
    for (const path of ["/tokens", "/health/ready", "/ETH/tokenList", "/docs"]) {
      const { status, text } = await service.request(path, { method: "HEAD" });
      expect([status, text]).toEqual([200, ""]);
    }
  });
});

describe("paths and methods that are not there", () => {
  it("are problems outside the market-data interface", async () => {
    for (const path of ["/nope", "/ETH", "/ETH/nope", "/health", "/docs/x", "/ETH/tokenPrice"]) {
      const { status, json, headers } = await service.get(path);
      expect([path, status, json.code]).toEqual([path, 404, "NOT_FOUND"]);
      expect(headers.get("content-type")).toBe("application/problem+json");
    }
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const { status, json, headers } = await service.request("/ETH/quote", { method });
      expect([status, json.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
      expect(headers.get("allow")).toBe("POST");
    }
  });
});

describe("a network that cannot answer", () => {
  it("is NOT_READY in the shape of each interface, and the others go on", async () => {
    // The failure of one network is logged, but not into this test's report.
    const config = {
      ...(await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A })),
      logLevel: "none" as const,
    };
    const [eth] = config.networks;
    const broken = { ...eth, id: "BASE", chainId: 8453 };
    const still = { kind: "generated" as const, seed: 3, poolCount: 60 };
    const other = await startService({ ...config, networks: [{ ...eth, source: still }, broken] });
    try {
      const body = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };
      expect((await other.post("/ETH/quote", body)).status).toBe(200);
      const quote = await other.post("/BASE/quote", body);
      expect([quote.status, quote.json.code]).toEqual([503, "NOT_READY"]);
      const list = await other.get("/BASE/tokenList");
      expect([list.status, list.json.code]).toEqual([503, "NOT_READY"]);
      const market = await other.get("/tokens?chainId=8453");
      expect(market.status).toBe(503);
      expect(JSON.parse(market.json.error)).toMatchObject([{ code: "not_ready" }]);
      expect((await other.get("/health/ready")).status).toBe(503);
      expect((await other.get("/health/ready/ETH")).status).toBe(200);
      const { status, json } = await other.get("/health/ready/BASE");
      expect(status).toBe(503);
      expect(json.networks[0].reason).toContain("WrongChain");
    } finally {
      await other.stop();
    }
  });

  it("is one whose head is older than its limit", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const networks = [{ ...config.networks[0], headAgeLimitMs: 60_000 }] as const;
    const other = await startService({ ...config, networks });
    try {
      const body = { tokenA: WETH, tokenB: USDC, amountIn: "1000000" };
      const { status, json } = await other.post("/ETH/quote", body);
      expect([status, json.code]).toEqual([503, "NOT_READY"]);
      expect((await other.get("/health/ready")).json.networks[0].reason).toContain("ms old");
    } finally {
      await other.stop();
    }
  });

  it("is every one of them once the service drains, for who asks its health", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const other = await startService(config);
    try {
      await Effect.runPromise(other.drain.begin);
      const { status, json } = await other.get("/health/ready");
      expect([status, json.ready, json.draining]).toEqual([503, false, true]);
      const body = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000" };
      expect((await other.post("/ETH/quote", body)).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});

describe("an error of our own", () => {
  it("is INTERNAL in the shape of each interface, tells nothing of itself, and ends nothing", async () => {
    const config = {
      ...(await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A })),
      logLevel: "none" as const,
    };
    const other = await startService(config);
    try {
      const { market } = other.networks.primary;
      const fault = () => {
        throw new Error("a secret of ours");
      };
      Object.assign(market!.data, { tokens: fault, routableTokens: fault });
      Object.assign(market!.engine, { quoteUnsafe: fault });
      const list = await other.get("/tokens");
      expect([list.status, JSON.parse(list.json.error)]).toMatchObject([
        500,
        [{ code: "internal" }],
      ]);
      const swap = await other.get("/ETH/tokenList");
      expect([swap.status, swap.json.code]).toEqual([500, "INTERNAL"]);
      const body = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000" };
      const quote = await other.post("/ETH/quote", body);
      expect([quote.status, quote.json.code]).toEqual([500, "INTERNAL"]);
      expect(quote.headers.get("content-type")).toBe("application/problem+json");
      for (const { text } of [list, swap, quote]) expect(text).not.toContain("secret");
      expect((await other.get("/metrics")).text).toContain(
        'route="/:network/quote",status="500"} 1',
      );
      expect((await other.get("/health/ready")).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});

describe("a service on generated markets", () => {
  it("has the networks that its file names", async () => {
    const source = { kind: "generated", seed: 1, poolCount: 300, blockEveryMs: 12_000 };
    const networks = [
      { id: "ETH", chainId: 1, source },
      { id: "BASE", chainId: 8453, source },
    ];
    const other = await startConfigured({ networks });
    try {
      const { json } = await other.get("/networks");
      expect(json.result).toMatchObject([
        { id: "ETH", chainId: 1, primary: true, ready: true },
        { id: "BASE", chainId: 8453, primary: false, ready: true },
      ]);
      const body = { tokenA: NATIVE, tokenB: USDC, amountIn: "1000000000000000000" };
      const quote = await other.post("/ETH/quote", body);
      expect(quote.status).toBe(200);
      expect(quote.json).not.toHaveProperty("unverified");
      const base = await other.get("/tokens?chainId=8453&limit=1");
      expect(base.json.data[0].chainId).toBe("8453");
    } finally {
      await other.stop();
    }
  });
});
