import { law } from "@millrace/testing";
import { Result, Schema } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeSwapRequest,
  decodeSwapRequestStrictly,
  NATIVE_TOKEN,
  SLIPPAGE_PARTS,
  SwapRequest,
} from "../src/index.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const POOL = "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc";
const STEP = { tokenA: WETH, tokenB: USDC, poolAddress: POOL };
const QUOTE = { tokenA: WETH, tokenB: USDC, amountIn: "1000", amountOut: "2", routePlan: [STEP] };
const VALID = { publicKey: WETH, quote: QUOTE };
const SIGNATURE = `0x${"ab".repeat(65)}`;
const PERMIT = { signature: SIGNATURE, amount: "1000", deadline: "1795195950", nonce: "0" };

const decode = Schema.decodeUnknownResult(SwapRequest);

/** By the schema, without what it ignores. */
function bySchema(body: unknown) {
  const request = Result.getOrUndefined(decode(body, { onExcessProperty: "error" }));
  if (request === undefined) return undefined;
  const { quote } = request;
  const step = ["tokenA", "tokenB", "poolAddress", "poolId", "aToB", "amountIn", "amountOut"];
  const kept = only(quote, [
    ...["tokenA", "tokenB", "amountIn", "amountOut", "exactOutput"],
    ...["isNativeIn", "isNativeOut"],
  ]);
  return {
    ...request,
    quote: { ...kept, routePlan: quote.routePlan.map((each) => only(each, step)) },
  };
}

/** What is wrong with a body, without the words. */
function issuesOf(body: unknown) {
  const result = decodeSwapRequestStrictly(body);
  if (Result.isSuccess(result)) return [];
  return result.failure.map(({ code, path }) => `${code} ${path.join(".")}`);
}

const QUOTE_PARTS = [
  ...["amountIn", "amountOut", "exactOutput", "isNativeIn", "isNativeOut", "routePlan"],
  ...["tokenA", "tokenB", "other"],
];

const only = (value: object, keys: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));

const quoted = (changes: object) => ({ ...VALID, quote: { ...QUOTE, ...changes } });

describe("a swap request", () => {
  it("has half a percent of slippage where it says nothing", () => {
    expect(decodeSwapRequest(VALID)).toEqual({ ...VALID, slippage: 0.5 });
  });

  it("is decoded by the fast decoder exactly as by the schema, valid or not", () => {
    const anything = fc.anything({ withNullPrototype: false });
    const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 20, arbitrary }, anything);
    const address = fc.constantFrom(WETH, USDC, POOL, NATIVE_TOKEN, NATIVE_TOKEN.toLowerCase());
    const amount = fc.oneof(
      fc.constantFrom("0", "1", "00", "-1", "1e3", String(2n ** 256n - 1n), String(2n ** 256n)),
      fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String),
    );
    const step = fc.record(
      {
        tokenA: mostly(address),
        tokenB: mostly(address),
        poolAddress: mostly(address),
        poolId: mostly(fc.constantFrom(`0x${"aB".repeat(32)}`, POOL)),
        aToB: mostly(fc.boolean()),
        amountIn: mostly(amount),
        amountOut: mostly(amount),
        dexId: anything,
      },
      { requiredKeys: ["tokenA", "tokenB", "poolAddress"] },
    );
    const quote = fc.record(
      {
        tokenA: mostly(address),
        tokenB: mostly(address),
        amountIn: mostly(amount),
        amountOut: mostly(amount),
        routePlan: mostly(
          fc.oneof(
            fc.array(step, { maxLength: 3 }),
            fc.constantFrom(Array(256).fill(STEP), Array(257).fill(STEP)),
          ),
        ),
        exactOutput: mostly(fc.boolean()),
        isNativeIn: mostly(fc.boolean()),
        isNativeOut: mostly(fc.boolean()),
        other: anything,
      },
      { requiredKeys: ["tokenA", "tokenB", "amountIn", "amountOut", "routePlan"] },
    );
    const fees = fc.record({ recipient: mostly(address), fee: mostly(fc.integer({ max: 1_001 })) });
    const permit = fc.record(
      {
        signature: mostly(fc.constantFrom(SIGNATURE, `${SIGNATURE}0`, SIGNATURE.slice(0, -1))),
        amount: mostly(amount),
        deadline: mostly(amount),
        nonce: mostly(amount),
        expiration: mostly(amount),
        other: anything,
      },
      { requiredKeys: ["signature", "amount", "deadline", "nonce"] },
    );
    const percent = fc.oneof(
      fc.integer({ min: -1, max: 510_000 }).map((parts) => parts / SLIPPAGE_PARTS),
      fc.double({ min: -1, max: 60 }),
      fc.constantFrom(50, 50.0001, 0, -0, 0.00001, 0.1 + 0.2, Number.NaN, "0.5", null),
    );
    const values = fc.record({
      publicKey: mostly(address),
      quote: mostly(quote),
      slippage: mostly(percent),
      partnerFees: mostly(fees),
      recipient: mostly(address),
      deadline: mostly(fc.integer({ min: -1 })),
      permit: mostly(permit),
      other: anything,
    });
    // A valid request with a few parts replaced: the border between the two answers.
    const parts = [...Object.keys(SwapRequest.fields), ...Object.keys(SwapRequest.fields), "other"];
    const body = fc
      .tuple(values, quote, fc.subarray(parts, { maxLength: 2 }), fc.subarray(QUOTE_PARTS))
      .map(([given, quoteGiven, keys, quoteKeys]) => ({
        ...quoted(only(quoteGiven, quoteKeys.slice(0, 2))),
        ...only(given, keys),
      }));
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: body }, anything), (value) => {
        const expected = bySchema(value);
        if (expected !== undefined) accepted++;
        expect(decodeSwapRequest(value)).toEqual(expected);
        expect(issuesOf(value).length > 0).toBe(expected === undefined);
      }),
      law("swap requests as their schema decodes them", 6_000).options,
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it("may hold a whole quote: of a quote and its steps unknown keys are ignored", () => {
    const step = { ...STEP, dexId: "X", fee: 1, zeroForOne: true };
    const body = quoted({ routePlan: [step], tokenPrice: "1", unverified: [], priceImpact: 0 });
    expect(decodeSwapRequest(body)).toEqual({ ...VALID, slippage: 0.5 });
    expect(issuesOf(body)).toEqual([]);
  });

  it("is refused for an unknown key anywhere else", () => {
    expect(issuesOf({ ...VALID, slipage: 1 })).toEqual(["unrecognized_key slipage"]);
    const fees = { recipient: WETH, fee: 30, bps: 1 };
    expect(issuesOf({ ...VALID, partnerFees: fees })).toEqual(["unrecognized_key partnerFees.bps"]);
    expect(issuesOf({ ...VALID, permit: { ...PERMIT, spender: WETH } })).toEqual([
      "unrecognized_key permit.spender",
    ]);
  });

  it("takes slippage from 0 to 50 percent with at most four decimals", () => {
    for (const slippage of [0, 50, 0.5, 0.0001, 49.9999, 12.3456, 0.3, 29.07]) {
      expect(decodeSwapRequest({ ...VALID, slippage })?.slippage).toBe(slippage);
    }
    expect(issuesOf({ ...VALID, slippage: 50.0001 })).toEqual(["too_big slippage"]);
    expect(issuesOf({ ...VALID, slippage: -0.1 })).toEqual(["too_small slippage"]);
    expect(issuesOf({ ...VALID, slippage: 0.00001 })).toEqual(["invalid_format slippage"]);
    expect(issuesOf({ ...VALID, slippage: "1" })).toEqual(["invalid_type slippage"]);
  });

  it("is taken apart issue by issue when it is wrong", () => {
    expect(issuesOf({ publicKey: WETH })).toEqual(["invalid_type quote"]);
    expect(issuesOf({ ...VALID, partnerFees: { recipient: "0x1", fee: 1_001 } })).toEqual([
      "invalid_format partnerFees.recipient",
      "too_big partnerFees.fee",
    ]);
    expect(issuesOf({ ...VALID, partnerFees: { recipient: WETH, fee: 0.5 } })).toEqual([
      "invalid_type partnerFees.fee",
    ]);
    expect(issuesOf({ ...VALID, permit: { ...PERMIT, signature: "0x12", nonce: 1 } })).toEqual([
      "invalid_format permit.signature",
      "invalid_type permit.nonce",
    ]);
    expect(issuesOf(quoted({ amountIn: "-1", routePlan: [STEP, { ...STEP, tokenB: 7 }] }))).toEqual(
      ["invalid_format quote.amountIn", "invalid_type quote.routePlan.1.tokenB"],
    );
    expect(issuesOf(quoted({ routePlan: Array(1_000).fill(STEP) }))).toEqual([
      "too_big quote.routePlan",
    ]);
    expect(issuesOf({ ...VALID, deadline: 1.5 })).toEqual(["invalid_type deadline"]);
    for (const body of [null, [], "x", 1]) expect(issuesOf(body)).toEqual(["invalid_type "]);
  });

  it("must not contradict itself about the native token", () => {
    expect(issuesOf(quoted({ isNativeIn: true }))).toEqual(["invalid_value quote.isNativeIn"]);
    const native = { tokenB: NATIVE_TOKEN.toLowerCase() };
    expect(issuesOf(quoted({ ...native, isNativeOut: false }))).toEqual([
      "invalid_value quote.isNativeOut",
    ]);
    expect(issuesOf(quoted({ ...native, isNativeOut: true, isNativeIn: false }))).toEqual([]);
    expect(issuesOf(quoted({ tokenB: WETH.toLowerCase() }))).toEqual([
      "invalid_value quote.tokenB",
    ]);
  });

  it("with ten thousand unknown keys is refused with a handful of short issues", () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => [`${index}${"k".repeat(99)}`, 1]);
    const many = Object.fromEntries(keys);
    for (const body of [
      { ...VALID, ...many },
      { ...VALID, permit: { ...PERMIT, ...many } },
    ]) {
      const result = decodeSwapRequestStrictly(body);
      const issues = Result.isFailure(result) ? result.failure : [];
      expect(issues.length).toBe(16);
      expect(JSON.stringify(issues).length).toBeLessThan(5_000);
    }
    expect(issuesOf(quoted({ routePlan: Array(9_999).fill({}) })).length).toBeLessThan(65);
  });

  it("cannot reach a prototype through its keys", () => {
    const text = JSON.stringify(VALID);
    const body: unknown = JSON.parse(`{"__proto__":{"recipient":"${USDC}"},${text.slice(1)}`);
    expect(decodeSwapRequest(body)).toBeUndefined();
    expect(issuesOf(body)).toEqual(["unrecognized_key __proto__"]);
    const inQuote = text.replace('"amountIn"', '"__proto__":{"exactOutput":true},"amountIn"');
    const request = decodeSwapRequest(JSON.parse(inQuote));
    expect(request?.quote.exactOutput).toBeUndefined();
    expect(({} as Record<string, unknown>)["exactOutput"]).toBeUndefined();
    const missing = JSON.parse(
      `{"publicKey":"${WETH}","quote":{"__proto__":${JSON.stringify(QUOTE)}}}`,
    );
    expect(decodeSwapRequest(missing)).toBeUndefined();
  });
});
