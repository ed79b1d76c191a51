import { law, MEETS_EVERY_KIND } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, issuesOf, NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";

const service = recordedService({ MILLRACE_SEARCH_WORKERS: "1" });

const CODES = new Map([
  [400, ["INVALID_REQUEST"]],
  [404, ["UNKNOWN_NETWORK", "UNKNOWN_TOKEN", "UNKNOWN_DEX", "NO_ROUTE", "NOT_FOUND"]],
  [405, ["METHOD_NOT_ALLOWED"]],
  [429, ["RATE_LIMITED"]],
  [409, ["PRICE_MOVED"]],
  [413, ["PAYLOAD_TOO_LARGE"]],
  [422, ["AMOUNT_TOO_SMALL", "INSUFFICIENT_LIQUIDITY", "UNKNOWN_POOL", "NO_ROUTER"]],
]);

/** Checks that an answer is a success, or a failure in one of the two shapes of the contract. */
function expectContract(answer: Answer, isMarket: boolean): void {
  if (answer.status === 200) return;
  expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]{1,64}$/);
  if (isMarket) {
    expect([400, 404, 405]).toContain(answer.status);
    expect(issuesOf(answer).length).toBeGreaterThan(0);
    return;
  }
  const { type, title, status, detail, code } = answer.json;
  expect(status).toBe(answer.status);
  expect(CODES.get(status)).toContain(code);
  expect([typeof type, typeof title, typeof detail]).toEqual(["string", "string", "string"]);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
}

// Uniswap V2's pool of USDC and WETH, and none.
const POOL = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const NOWHERE = `0x${"1".repeat(40)}`;
const VALID = { tokenA: WETH, tokenB: USDC, amountIn: "1000000000000000000" };

const SENDER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
/** The tokens that are approved, Permit2, and the only router. */
const TARGETS = [
  ...[WETH, USDC, "0x000000000022d473030f116ddee9f6b43ac78ba3"],
  "0x66a9893cc07d91d95644aedd05d03f95e1dba8af",
];

/** The path with its first segment decoded; what cannot be decoded stays. */
function decoded(path: string): string {
  const [, first, ...rest] = path.split("/");
  try {
    return ["", decodeURIComponent(first!), ...rest].join("/");
  } catch {
    return path;
  }
}

/** Puts a value at a path, as far as the path exists. */
function putAt(target: object, path: ReadonlyArray<string | number>, value: unknown): void {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    Object.defineProperty(target, key, {
      ...{ value, enumerable: true, configurable: true, writable: true },
    });
    return;
  }
  const next: unknown = Reflect.get(target, key);
  if (typeof next === "object" && next !== null) putAt(next, rest, value);
}

describe("whatever a client sends", () => {
  it("as a quote's body is answered as the contract says", async () => {
    const address = fc.constantFrom(WETH, USDC, POOL, NOWHERE, "0x", 7);
    const amount = fc.oneof(
      fc.constantFrom<unknown>("0", "1", 1, "-1", null),
      fc.bigInt({ min: 0n, max: 2n ** 130n }).map(String),
    );
    const assumption = fc.oneof(
      fc.record({ removePool: fc.oneof(fc.constant(POOL), address) }),
      fc.record({ pool: address, reserves: fc.array(amount, { minLength: 1, maxLength: 3 }) }),
      fc.record({
        routePlan: fc.array(
          fc.record(
            {
              poolAddress: address,
              tokenA: address,
              tokenB: address,
              amountIn: amount,
              aToB: fc.boolean(),
              x: amount,
            },
            { requiredKeys: ["poolAddress", "tokenA", "tokenB", "amountIn"] },
          ),
          { maxLength: 3 },
        ),
      }),
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
    );
    const value = fc.oneof(
      fc.constantFrom(WETH, USDC, NATIVE, "ALL", "UNISWAP_V3", "1", "0", 0, 1, 4, -1, null, {}, []),
      fc.bigInt({ min: 0n, max: 2n ** 260n }).map(String),
      fc.array(fc.constantFrom(WETH, USDC, "UNISWAP_V2", "x", 1), { maxLength: 4 }),
      fc.jsonValue(),
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.boolean(),
      fc.array(assumption, { maxLength: 3 }),
    );
    const key = fc.oneof(
      fc.constantFrom("tokenA", "tokenB", "amountIn", "amountOut", "dexId", "maxHops"),
      fc.constantFrom("maxSplits", "excludeDexIds", "excludePools", "__proto__", "constructor"),
      fc.constantFrom("explain", "assume", "assume", "certify", "gapBps"),
      fc.string(),
    );
    const mutated = fc.array(fc.tuple(key, value), { maxLength: 3 }).map((changes) => {
      const entries = new Map<string, unknown>([...Object.entries(VALID), ...changes]);
      const fields = [...entries].map(
        ([name, field]) => `${JSON.stringify(name)}:${JSON.stringify(field)}`,
      );
      return `{${fields.join(",")}}`;
    });
    const cut = fc
      .tuple(mutated, fc.nat(200), fc.string({ maxLength: 3 }))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    const assuming = fc
      .oneof(fc.constant([{ removePool: POOL }]), fc.array(assumption, { maxLength: 3 }))
      .map((assume) => JSON.stringify({ ...VALID, assume }));
    const body = fc.oneof(
      mutated,
      mutated,
      cut,
      assuming,
      assuming,
      fc.json(),
      fc.string({ unit: "binary" }),
    );
    let assumed = 0;
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const answer = await service.post("/ETH/quote", text);
        expectContract(answer, false);
        if (answer.status === 200 && text.includes('"removePool"')) assumed++;
      }),
      law("any body of a quote", 600).options,
    );
    if (MEETS_EVERY_KIND) expect(assumed).toBeGreaterThan(0);
  });

  it("as a swap's or a permit's body is answered as the contract says, and never built wrongly", async () => {
    const { json: quote } = await service.post("/ETH/quote", { ...VALID, dexId: "UNISWAP_V3" });
    const valid = { publicKey: SENDER, quote };
    const value = fc.oneof(
      fc.constantFrom<unknown>(WETH, USDC, NATIVE, POOL, NOWHERE, SENDER, "1", "0", 0, 1, -1),
      fc.constantFrom<unknown>(null, {}, [], true, false, 0.5, 50, 1_001, quote, [quote]),
      fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String),
      fc.record({ recipient: fc.constantFrom(SENDER, NOWHERE, POOL), fee: fc.nat(1_100) }),
      fc.jsonValue(),
    );
    const keys = ["publicKey", "slippage", "partnerFees", "recipient", "deadline", "permit", "x"];
    const places = fc.oneof(
      fc.constantFrom(...keys, "__proto__").map((key) => [key]),
      fc.constantFrom(...Object.keys(quote)).map((key) => ["quote", key]),
      fc
        .constantFrom(...Object.keys(quote.routePlan[0]))
        .map((key) => ["quote", "routePlan", 0, key]),
    );
    const mutated = fc.array(fc.tuple(places, value), { maxLength: 3 }).map((changes) => {
      const body = structuredClone(valid) as Record<string, unknown>;
      for (const [path, put] of changes) putAt(body, path, put);
      return JSON.stringify(body);
    });
    const cut = fc
      .tuple(mutated, fc.nat(900), fc.string({ maxLength: 3 }))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    const body = fc.oneof({ weight: 6, arbitrary: mutated }, cut, fc.json());
    const path = fc.constantFrom("/ETH/swap", "/ETH/swap", "/ETH/permit");
    let built = 0;
    await fc.assert(
      fc.asyncProperty(path, body, async (at, text) => {
        const answer = await service.post(at, text);
        expectContract(answer, false);
        if (answer.status !== 200 || at !== "/ETH/swap") return;
        built++;
        const { transactions } = answer.json as { transactions: Array<{ to: string }> };
        expect(TARGETS).toEqual(expect.arrayContaining(transactions.map(({ to }) => to)));
      }),
      law("any body of a swap or a permit", 150).options,
    );
    if (MEETS_EVERY_KIND) expect(built).toBeGreaterThan(0);
  });

  it("as a path or a query is answered as the contract says", async () => {
    const part = fc.oneof(
      fc.constantFrom("tokens", "pools", "ETH", "BASE", "search", "price", "health", "ready"),
      fc.constantFrom("tokenList", "tokenDetails", "tokenPrice", "dexes", "quote", "docs", WETH),
      fc.constantFrom("TOKENS", "%74okens", "poo%6cs", "to;kens", "networks", "trades", "x;y"),
      fc.constantFrom("%", "%2", "%zz", "%00", "%2f", "..", ".", "%ff%fe", ":address", "*", ";"),
      fc.string({ maxLength: 20 }).map(encodeURIComponent),
    );
    const value = fc.oneof(
      fc.constantFrom("1", "0", "-1", "1e9", "x", "", "99999999999999999999", "0x10", "%00", "%"),
      fc.constantFrom(WETH, "-liquidity", "liquidity", "Uniswap%20V3", "1.5", "NaN", "Infinity"),
      fc.string({ maxLength: 20 }).map(encodeURIComponent),
    );
    const name = fc.oneof(
      fc.constantFrom("page", "limit", "sort", "symbol", "dex", "minLiquidity", "minVolume24h"),
      fc.constantFrom("token", "fee", "minLiquidityUsd", "chainId", "__proto__", "constructor"),
      fc.string({ maxLength: 10 }).map(encodeURIComponent),
    );
    const path = fc.array(part, { minLength: 1, maxLength: 4 });
    const query = fc.array(fc.tuple(name, value), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(path, query, async (parts, pairs) => {
        const search = pairs.map(([key, text]) => `${key}=${text}`).join("&");
        const address = `/${parts.join("/")}${search === "" ? "" : `?${search}`}`;
        // `fetch` normalises the path: it resolves dots before it sends it.
        const { pathname } = new URL(`${service.url}${address}`);
        const answer = await service.get(address);
        const isMarket = /^\/(tokens|pools|trades)(\/|$)/i.test(decoded(pathname));
        if (answer.status !== 503) expectContract(answer, isMarket);
      }),
      law("any path and query", 200).options,
    );
  });

  it("leaves the service alive and exact", async () => {
    const { status, json } = await service.post("/ETH/quote", VALID);
    expect(status).toBe(200);
    const { engine } = service.networks.primary.market!;
    const found = engine.quoteUnsafe({
      tokenIn: engine.graph.findToken(WETH)!,
      tokenOut: engine.graph.findToken(USDC)!,
      kind: "exactIn",
      amount: 10n ** 18n,
      maxHops: 3,
    });
    expect(found.found && String(found.amountOut)).toBe(json.amountOut);
  });
});
