import { budget, law, surely } from "@millrace/testing";
import { Result, Schema } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeQuoteRequest, decodeQuoteRequestStrictly, QuoteRequestJson } from "../src/index.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const POOL_ID = `0x${"21C67e77068De97969Ba93D4AaB21826"}${"d33CA12BB9f565D8496E8FDA8A82cA27"}`;
const VALID = { tokenA: WETH, tokenB: USDC, amountIn: "1000" };

const decode = Schema.decodeUnknownResult(QuoteRequestJson);
const bySchema = (body: unknown) =>
  Result.getOrUndefined(decode(body, { onExcessProperty: "error" }));

/** What is wrong with a body, without the words. */
function issuesOf(body: unknown) {
  const result = decodeQuoteRequestStrictly(body);
  if (Result.isSuccess(result)) return [];
  return result.failure.map(({ code, path }) => `${code} ${path.join(".")}`);
}

describe("a quote request", () => {
  it("gets the defaults of the contract", () => {
    expect(decodeQuoteRequest(VALID)).toEqual({
      ...VALID,
      dexId: "ALL",
      maxHops: 3,
      maxSplits: 1,
    });
  });

  it("is decoded by the fast decoder exactly as by the schema, valid or not", () => {
    const address = fc.oneof(
      fc.constantFrom(WETH, USDC, USDC.toUpperCase(), `0X${USDC.slice(2)}`, `${USDC}0`),
      fc.stringMatching(/^0x[0-9a-fA-F]{39,41}$/),
    );
    const poolName = fc.oneof(
      address,
      fc.constantFrom(POOL_ID, POOL_ID.toUpperCase(), `${POOL_ID}0`, POOL_ID.slice(0, -1)),
      fc.stringMatching(/^0x[0-9a-fA-F]{63,65}$/),
    );
    const amount = fc.oneof(
      fc.constantFrom("0", "1", "00", "01", "-1", "1e3", " 1", "1 ", "", "+5", "0x10", "1.0"),
      fc.bigInt({ min: 0n, max: 2n ** 256n + 2n }).map(String),
      fc.constantFrom(String(2n ** 256n - 1n), String(2n ** 256n), "9".repeat(78), "1".repeat(79)),
    );
    const count = fc.oneof(
      fc.integer({ min: -1, max: 70 }),
      fc.constantFrom(1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "3", null),
    );
    const anything = fc.anything({ withNullPrototype: false });
    const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 30, arbitrary }, anything);
    const step = fc.record(
      {
        poolAddress: mostly(fc.constant(WETH)),
        poolId: mostly(fc.constantFrom(POOL_ID, WETH)),
        tokenA: mostly(fc.constant(USDC)),
        tokenB: mostly(fc.constant(WETH)),
        amountIn: mostly(amount),
        aToB: mostly(fc.boolean()),
        dexId: anything,
        fee: anything,
        zeroForOne: anything,
        amountOut: anything,
        other: anything,
      },
      { requiredKeys: ["poolAddress", "tokenA", "tokenB"] },
    );
    const plainStep = { poolAddress: WETH, tokenA: WETH, tokenB: USDC, amountIn: "5" };
    const assumption = fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom<object>({ removePool: WETH }, { routePlan: [] }) },
      { weight: 20, arbitrary: fc.constant({ pool: WETH, reserves: ["1", "2"] }) },
      { weight: 20, arbitrary: fc.constant({ routePlan: [plainStep] }) },
      fc.constantFrom(256, 257).map((count) => ({ routePlan: Array(count).fill(plainStep) })),
      {
        weight: 40,
        arbitrary: fc.record(
          {
            removePool: mostly(poolName),
            pool: mostly(poolName),
            reserves: mostly(fc.array(amount, { minLength: 1, maxLength: 3 })),
            routePlan: mostly(fc.array(mostly(step), { maxLength: 3 })),
            other: anything,
          },
          { requiredKeys: [] },
        ),
      },
    );
    const body = fc.record(
      {
        tokenA: fc.oneof({ weight: 9, arbitrary: address }, anything),
        tokenB: fc.oneof({ weight: 9, arbitrary: address }, anything),
        amountIn: fc.oneof({ weight: 9, arbitrary: amount }, anything),
        amountOut: fc.oneof({ weight: 9, arbitrary: amount }, anything),
        dexId: fc.oneof(fc.constantFrom("ALL", "UNISWAP_V3", "x".repeat(65)), anything),
        maxHops: count,
        maxSplits: count,
        excludeDexIds: fc.oneof(fc.array(fc.string(), { maxLength: 3 }), anything),
        excludePools: fc.oneof(
          fc.array(poolName, { maxLength: 3 }),
          fc.constantFrom(Array(100).fill(WETH), Array(101).fill(WETH)),
          anything,
        ),
        gasPriceWei: fc.oneof(amount, fc.constantFrom("9".repeat(28), "9".repeat(29)), anything),
        gasAware: fc.oneof(fc.boolean(), anything),
        gapBps: fc.oneof(fc.constantFrom(0.01, 1, 1000, 0.009, 1000.1, 0, "1"), count, anything),
        explain: fc.oneof(fc.boolean(), anything),
        assume: fc.oneof(
          fc.array(assumption, { maxLength: 2 }),
          fc.constantFrom(
            Array(32).fill({ removePool: WETH }),
            Array(33).fill({ removePool: WETH }),
          ),
          anything,
        ),
        other: anything,
      },
      { requiredKeys: [] },
    );
    // A valid request with at most three fields replaced: the border between the two answers.
    const mostlyValid = fc
      .tuple(body, fc.subarray(Object.keys(QuoteRequestJson.fields), { maxLength: 3 }))
      .map(([values, keys]) => {
        const replaced = Object.entries(values).filter(([key]) => keys.includes(key));
        return { ...VALID, ...Object.fromEntries(replaced) };
      });
    const assuming = fc.array(assumption, { maxLength: 2 }).map((assume) => ({ ...VALID, assume }));
    let accepted = 0;
    let assumed = 0;
    fc.assert(
      fc.property(fc.oneof(mostlyValid, assuming, body, anything), (value) => {
        const expected = bySchema(value);
        if (expected !== undefined) accepted++;
        if ((expected?.assume?.length ?? 0) > 0) assumed++;
        expect(decodeQuoteRequest(value)).toEqual(expected);
      }),
      law("quote requests as their schema decodes them", 6_000).options,
    );
    for (const count of [accepted, assumed]) {
      expect(count).toBeGreaterThanOrEqual(surely(budget(6_000) / 16));
    }
  });

  it("is taken apart issue by issue when it is wrong", () => {
    expect(issuesOf({ ...VALID, amountOut: "5" })).toEqual(["invalid_value amountIn"]);
    expect(issuesOf({ tokenA: WETH, tokenB: USDC })).toEqual(["invalid_value amountIn"]);
    expect(issuesOf({ ...VALID, tokenB: WETH.toLowerCase() })).toEqual(["invalid_value tokenB"]);
    expect(issuesOf({ ...VALID, maxHops: 5, maxSplits: 0 })).toEqual([
      "too_big maxHops",
      "too_small maxSplits",
    ]);
    expect(issuesOf({ ...VALID, amountIn: String(2n ** 256n) })).toEqual(["too_big amountIn"]);
    expect(issuesOf({ ...VALID, amountIn: 1000 })).toEqual(["invalid_type amountIn"]);
    expect(issuesOf({ ...VALID, excludePools: ["0x1", WETH, POOL_ID] })).toEqual([
      "invalid_format excludePools.0",
    ]);
    expect(issuesOf([])).toEqual(["invalid_type "]);
    expect(issuesOf(null)).toEqual(["invalid_type "]);
  });

  it("is told which of its assumptions is wrong, and where", () => {
    const assuming = (...assume: unknown[]) => issuesOf({ ...VALID, assume });
    const pool = WETH;
    expect(assuming({ removePool: pool }, { pool, reserves: ["1", "x"] })).toEqual([
      "invalid_format assume.1.reserves.1",
    ]);
    expect(assuming({ pool, reserves: ["1", "2", "3"] })).toEqual([]);
    expect(assuming({ pool, reserves: Array(9).fill("1") })).toEqual(["too_big assume.0.reserves"]);
    expect(assuming({ pool, reserves: ["1"] })).toEqual(["too_small assume.0.reserves"]);
    for (const half of [{}, { pool }, { reserves: ["1", "2"] }, { removePool: pool, pool }]) {
      expect(assuming(half)).toEqual(["invalid_value assume.0"]);
    }
    expect(assuming({ removePool: pool, routePlan: [] })).toEqual(["invalid_value assume.0"]);
    expect(assuming({ addPool: pool })).toEqual(["unrecognized_key assume.0.addPool"]);
    const step = { poolAddress: pool, tokenA: WETH, tokenB: USDC, amountIn: "1" };
    expect(
      assuming({ routePlan: [{ ...step, aToB: 1, amountIn: 1, poolAddress: "x", hook: 0 }] }),
    ).toEqual([
      "unrecognized_key assume.0.routePlan.0.hook",
      "invalid_format assume.0.routePlan.0.poolAddress",
      "invalid_type assume.0.routePlan.0.amountIn",
      "invalid_type assume.0.routePlan.0.aToB",
    ]);
    const many = (count: number) => ({ routePlan: Array(count).fill(step) });
    expect(assuming(many(200), many(56))).toEqual([]);
    expect(assuming(many(200), many(57))).toEqual(["too_big assume"]);
    expect(assuming(...Array(33).fill({ removePool: pool }))).toEqual(["too_big assume"]);
    expect(issuesOf({ ...VALID, assume: { removePool: pool } })).toEqual(["invalid_type assume"]);
  });

  it("takes fewer paths with what the event loop has to answer", () => {
    expect(issuesOf({ ...VALID, explain: true, maxSplits: 9 })).toEqual(["too_big maxSplits"]);
    expect(issuesOf({ ...VALID, assume: [{ removePool: WETH }], maxSplits: 64 })).toEqual([
      "too_big maxSplits",
    ]);
    expect(issuesOf({ ...VALID, explain: true, maxSplits: 8 })).toEqual([]);
    expect(issuesOf({ ...VALID, explain: false, assume: [], maxSplits: 64 })).toEqual([]);
  });

  it("is ranked net of gas at one price: its own or the network's", () => {
    expect(issuesOf({ ...VALID, gasPriceWei: "10000000000" })).toEqual([]);
    expect(issuesOf({ ...VALID, gasPriceWei: "0", gasAware: false })).toEqual([]);
    expect(issuesOf({ ...VALID, gasAware: true })).toEqual([]);
    expect(issuesOf({ ...VALID, gasPriceWei: "1", gasAware: true })).toEqual([
      "invalid_value gasAware",
    ]);
    for (const gasPriceWei of ["01", "-1", "1.5", "1e9", "", "0x1", "9".repeat(29)]) {
      expect(issuesOf({ ...VALID, gasPriceWei })).toEqual(["invalid_format gasPriceWei"]);
    }
    expect(issuesOf({ ...VALID, gasPriceWei: 5, gasAware: "yes" })).toEqual([
      "invalid_type gasPriceWei",
      "invalid_type gasAware",
    ]);
  });

  it("with ten thousand unknown keys is refused with a handful of short issues", () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => [`${index}${"k".repeat(99)}`, 1]);
    const result = decodeQuoteRequestStrictly({ ...VALID, ...Object.fromEntries(keys) });
    const issues = Result.isFailure(result) ? result.failure : [];
    expect(issues.length).toBe(16);
    expect(JSON.stringify(issues).length).toBeLessThan(5_000);
  });

  it("cannot reach a prototype through its keys", () => {
    const body: unknown = JSON.parse(
      `{"tokenA":"${WETH}","tokenB":"${USDC}","amountIn":"1","__proto__":{"polluted":1}}`,
    );
    expect(decodeQuoteRequest(body)).toBeUndefined();
    expect(issuesOf(body)).toEqual(["unrecognized_key __proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(issuesOf(JSON.parse('{"constructor":1,"toString":2}'))).toContain(
      "unrecognized_key constructor",
    );
  });
});
