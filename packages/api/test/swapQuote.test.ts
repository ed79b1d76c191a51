import { law } from "@millrace/testing";
import { Schema } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blockLabel,
  dexLabel,
  encodeRouteExplanation,
  encodeSwapQuote,
  QuoteStepJson,
  type RouteExplanationJson,
  SwapQuote,
  stepLabel,
} from "../src/index.ts";

/** As the service has them: what is constant of a step is text already. */
const labelled = (steps: ReadonlyArray<QuoteStepJson>) =>
  steps.map(({ amountIn, amountOut, ...label }) => ({
    label: stepLabel(label),
    amountIn,
    amountOut,
  }));

function explanationText({ runnerUp, ...explanation }: RouteExplanationJson): string {
  if (runnerUp === undefined) return encodeRouteExplanation(explanation);
  return encodeRouteExplanation(explanation, { ...runnerUp, steps: labelled(runnerUp.routePlan) });
}

const encode = Schema.encodeUnknownSync(SwapQuote);

describe("the encoder of quotes", () => {
  it("a quote is written byte for byte as its schema encodes it", () => {
    const address = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/);
    const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
    const poolId = fc.stringMatching(/^0x[0-9a-f]{64}$/);
    const names = fc.record({ poolAddress: address, poolId }, { requiredKeys: ["poolAddress"] });
    const fields = fc.record({
      tokenA: address,
      tokenB: address,
      dexId: fc.string(),
      aToB: fc.constant(true),
      fee: fc.nat(1_000_000),
      zeroForOne: fc.boolean(),
      amountIn: amount,
      amountOut: amount,
    });
    const step = fc.tuple(names, fields).map(([pool, { tokenA, tokenB, dexId, ...rest }]) => ({
      ...{ tokenA, tokenB, dexId },
      ...pool,
      ...rest,
    }));
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
      executable: fc.boolean(),
      gasEstimate: fc.nat(),
      exactOutput: fc.boolean(),
      unverified: fc.array(address, { maxLength: 3 }),
      warnings: fc.array(
        fc.record({
          code: fc.constantFrom("TOKEN_TAXED", "TOKEN_UNSELLABLE", "TOKEN_UNBUYABLE"),
          token: address,
          // Words of a contract are among them.
          detail: fc.string({ unit: "binary" }),
        }),
        { maxLength: 2 },
      ),
      certificate: fc.option(
        fc.record({
          bound: amount,
          gapBps: fc.double({ min: 0, max: 1e9, noNaN: true }),
          hops: fc.nat(),
        }),
        { nil: undefined },
      ),
      explanation: fc.option(
        fc.record(
          {
            midPrice: fc.double({ noNaN: true, noDefaultInfinity: true }),
            totalBps: fc.nat(),
            feesBps: fc.nat(),
            curveBps: fc.nat(),
            steps: fc.array(
              fc
                .tuple(names, fc.nat(), fc.nat())
                .map(([pool, feeBps, curveBps]) => ({ ...pool, feeBps, curveBps })),
            ),
            runnerUp: fc.record({
              amountIn: amount,
              amountOut: amount,
              routePlan: fc.array(step, { maxLength: 2 }),
            }),
          },
          { requiredKeys: ["midPrice", "totalBps", "feesBps", "curveBps", "steps"] },
        ),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(
        quote,
        ({ exactOutput, unverified, warnings, certificate, explanation, ...rest }) => {
          const value: typeof SwapQuote.Type = {
            ...rest,
            gasEstimate: String(rest.gasEstimate),
            ...(exactOutput ? { exactOutput: true as const } : {}),
            ...(unverified.length > 0 ? { unverified } : {}),
            ...(warnings.length > 0 ? { warnings } : {}),
            ...(certificate === undefined ? {} : { certificate }),
            ...(explanation === undefined ? {} : { explanation }),
          };
          const text = encodeSwapQuote({
            ...rest,
            exactOutput,
            unverified,
            warnings,
            certificate,
            explanation: explanation === undefined ? undefined : explanationText(explanation),
            steps: labelled(rest.routePlan),
            dexLabel: dexLabel(rest),
            blockLabel: blockLabel(rest),
          });
          expect(text).toBe(JSON.stringify(encode(value)));
        },
      ),
      law("quotes as their schema encodes them", 400).options,
    );
  });

  it("the schema of a step names every field that a step has", () => {
    expect(Object.keys(QuoteStepJson.fields)).toEqual([
      "tokenA",
      "tokenB",
      "dexId",
      "poolAddress",
      "poolId",
      "aToB",
      "fee",
      "zeroForOne",
      "amountIn",
      "amountOut",
    ]);
  });
});
