import { Schema } from "effect";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  blockLabel,
  dexLabel,
  encodeSwapQuote,
  QuoteStep,
  SwapQuote,
  stepLabel,
} from "../src/index.ts";

const encode = Schema.encodeUnknownSync(SwapQuote);

it("a quote is written byte for byte as its schema encodes it", () => {
  const address = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/);
  const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
  const step = fc.record({
    tokenA: address,
    tokenB: address,
    dexId: fc.string(),
    poolAddress: address,
    aToB: fc.constant(true),
    fee: fc.nat(1_000_000),
    zeroForOne: fc.boolean(),
    amountIn: amount,
    amountOut: amount,
  });
  const quote = fc.record({
    tokenA: address,
    tokenB: address,
    amountIn: amount,
    amountOut: amount,
    tokenPrice: fc.constantFrom("1", "0.000012", "2141.64094628080341"),
    routePlan: fc.array(step, { maxLength: 4 }),
    dexId: fc.string(),
    dexFactory: address,
    isNativeIn: fc.boolean(),
    isNativeOut: fc.boolean(),
    blockNumber: fc.nat().map(String),
    blockHash: fc.stringMatching(/^0x[0-9a-f]{64}$/),
    timestamp: fc.nat(),
    priceImpact: fc.double({ noNaN: true, noDefaultInfinity: true }),
    exactOutput: fc.boolean(),
    unverified: fc.array(address, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(quote, ({ exactOutput, unverified, ...rest }) => {
      const value: typeof SwapQuote.Type = {
        ...rest,
        ...(exactOutput ? { exactOutput: true as const } : {}),
        ...(unverified.length > 0 ? { unverified } : {}),
      };
      const text = encodeSwapQuote({
        ...rest,
        exactOutput,
        unverified,
        steps: rest.routePlan.map(({ amountIn, amountOut, ...label }) => ({
          label: stepLabel(label),
          amountIn,
          amountOut,
        })),
        dexLabel: dexLabel(rest),
        blockLabel: blockLabel(rest),
      });
      expect(text).toBe(JSON.stringify(encode(value)));
    }),
    { numRuns: 5_000, seed: 2 },
  );
});

it("the schema of a step names every field that a step has", () => {
  expect(Object.keys(QuoteStep.fields)).toEqual([
    "tokenA",
    "tokenB",
    "dexId",
    "poolAddress",
    "aToB",
    "fee",
    "zeroForOne",
    "amountIn",
    "amountOut",
  ]);
});
