import { Result, Schema } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeQuoteRequest, decodeQuoteRequestStrictly, QuoteRequest } from "../src/index.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const VALID = { tokenA: WETH, tokenB: USDC, amountIn: "1000" };

const decode = Schema.decodeUnknownResult(QuoteRequest);
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
          fc.array(address, { maxLength: 3 }),
          fc.constantFrom(Array(100).fill(WETH), Array(101).fill(WETH)),
          anything,
        ),
        other: anything,
      },
      { requiredKeys: [] },
    );
    // A valid request with at most two fields replaced: the border between the two answers.
    const mostlyValid = fc
      .tuple(body, fc.subarray(Object.keys(QuoteRequest.fields), { maxLength: 2 }))
      .map(([values, keys]) => {
        const replaced = Object.entries(values).filter(([key]) => keys.includes(key));
        return { ...VALID, ...Object.fromEntries(replaced) };
      });
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(mostlyValid, body, anything), (value) => {
        const expected = bySchema(value);
        if (expected !== undefined) accepted++;
        expect(decodeQuoteRequest(value)).toEqual(expected);
      }),
      { numRuns: 20_000, seed: 1 },
    );
    expect(accepted).toBeGreaterThan(100);
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
    expect(issuesOf({ ...VALID, excludePools: ["0x1", WETH] })).toEqual([
      "invalid_format excludePools.0",
    ]);
    expect(issuesOf([])).toEqual(["invalid_type "]);
    expect(issuesOf(null)).toEqual(["invalid_type "]);
  });

  it("names options that are still to come, which ignoring would answer wrongly", () => {
    for (const option of ["gasPriceWei", "gasAware", "explain", "assume"]) {
      const result = decodeQuoteRequestStrictly({ ...VALID, [option]: true });
      expect(Result.isFailure(result) && result.failure).toEqual([
        {
          code: "unrecognized_key",
          path: [option],
          message: `The option "${option}" is not available yet`,
        },
      ]);
    }
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
