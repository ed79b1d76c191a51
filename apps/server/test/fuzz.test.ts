import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
} from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService(await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A }));
});
afterAll(() => service.stop());

const RUNS = Number(process.env["MILLRACE_FUZZ_RUNS"] ?? 1_000);

const CODES = new Map([
  [400, ["INVALID_REQUEST"]],
  [404, ["UNKNOWN_NETWORK", "UNKNOWN_TOKEN", "UNKNOWN_DEX", "NO_ROUTE", "NOT_FOUND"]],
  [405, ["METHOD_NOT_ALLOWED"]],
  [429, ["RATE_LIMITED"]],
  [413, ["PAYLOAD_TOO_LARGE"]],
  [422, ["AMOUNT_TOO_SMALL", "INSUFFICIENT_LIQUIDITY", "UNKNOWN_POOL"]],
]);

/** Every answer is a success or a failure in one of the two shapes of the contract. */
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

describe("whatever a client sends", () => {
  it("as a quote's body is answered as the contract says", async () => {
    const address = fc.constantFrom(WETH, USDC, POOL, NOWHERE, "0x", 7);
    const amount = fc.oneof(
      fc.constantFrom<unknown>("0", "1", 1, "-1", null),
      fc.bigInt({ min: 0n, max: 2n ** 130n }).map(String),
    );
    const assumption = fc.oneof(
      fc.record({ removePool: address }),
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
      fc.constantFrom("explain", "assume", "assume"),
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
      .array(assumption, { maxLength: 3 })
      .map((assume) => JSON.stringify({ ...VALID, assume }));
    const body = fc.oneof(
      mutated,
      mutated,
      cut,
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
      { numRuns: RUNS, seed: 4 },
    );
    expect(assumed).toBeGreaterThan(0);
  });

  it("as a path or a query is answered as the contract says", async () => {
    const part = fc.oneof(
      fc.constantFrom("tokens", "pools", "ETH", "BASE", "search", "price", "health", "ready"),
      fc.constantFrom("tokenList", "tokenDetails", "tokenPrice", "dexes", "quote", "docs", WETH),
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
        // What fetch makes of it is what arrives: dots are resolved before they are sent.
        const { pathname } = new URL(`${service.url}${address}`);
        const answer = await service.get(address);
        if (answer.status !== 503) expectContract(answer, /^\/(tokens|pools)(\/|$)/.test(pathname));
      }),
      { numRuns: RUNS, seed: 5 },
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
