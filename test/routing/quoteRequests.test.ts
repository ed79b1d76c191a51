import { Engine, type QuoteRequest, QuoteRequestError, type QuoteResult } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generatedMarket } from "@millrace/replay";
import { law, oddValue, type RandomSource } from "@millrace/testing";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";

const FIELDS = ["tokenIn", "tokenOut", "kind", "amount", "maxHops", "maxSplits", "gasPrice"];
const FILTERS = ["onlyDexes", "dexSets", "withoutDexes", "withoutPools"];
const REASONS = ["NoRoute", "AmountTooSmall", "InsufficientLiquidity"];

/** A sound request, of which some parts are replaced by anything. */
function anyRequest(random: RandomSource, tokenCount: number, dexCount: number): unknown {
  if (random.chance(0.02)) return oddValue(random);
  const request: Record<string, unknown> = {
    tokenIn: random.integer(tokenCount),
    tokenOut: random.integer(tokenCount),
    kind: random.pick(["exactIn", "exactOut"]),
    amount: random.amount(128),
    maxHops: random.between(1, 4),
    ...(random.chance(0.2) && { maxSplits: random.between(1, 8) }),
    ...(random.chance(0.2) && { gasPrice: random.next() * 10 ** random.between(0, 20) }),
  };
  while (random.chance(0.4)) request[random.pick(FIELDS)] = oddValue(random);
  if (random.chance(0.3)) {
    const filter: Record<string, unknown> = {};
    const dexes = () => [random.integer(dexCount)];
    do {
      const sound = random.pick([dexes(), [dexes(), dexes()]]);
      filter[random.pick(FILTERS)] = random.chance(0.5) ? sound : oddValue(random);
    } while (random.chance(0.5));
    request["filter"] = random.chance(0.8) ? filter : oddValue(random);
  }
  return request;
}

/** Checks that an answer makes sense for its request. */
function expectSense(request: QuoteRequest, result: QuoteResult): void {
  if (!result.found) return expect(REASONS).toContain(result.reason);
  const { amountIn, amountOut, steps, gas, priceImpact } = result;
  expect(request.kind === "exactIn" ? amountIn : amountOut).toBe(request.amount);
  expect(amountIn > 0n && amountOut > 0n).toBe(true);
  // `===`, since -0 equals 0.
  expect(steps[0]!.tokenIn === request.tokenIn).toBe(true);
  expect(steps.at(-1)!.tokenOut === request.tokenOut).toBe(true);
  expect(gas > 0 && priceImpact >= 0 && priceImpact <= 1).toBe(true);
}

describe("whatever is passed as a request", () => {
  it("is answered with sense, or refused with a code", async () => {
    const drawn = law("any request is answered or refused", 8_400);
    const random = drawn.random();
    let refused = 0;
    const program = Effect.gen(function* () {
      const source = generatedMarket({ seed: 3, poolCount: 300 });
      const engine = yield* Engine.make({ source, curves });
      const before = engine.snapshot();
      const { tokenCount, dexes } = engine.graph;
      for (let index = 0; index < drawn.cases; index++) {
        const request = anyRequest(random, tokenCount, dexes.length) as QuoteRequest;
        try {
          expectSense(request, engine.quoteUnsafe(request));
        } catch (error) {
          if (!(error instanceof QuoteRequestError)) throw error;
          expect(error.code).toMatch(/^(INVALID_REQUEST|UNKNOWN_TOKEN)$/);
          refused++;
          const failure = yield* Effect.flip(engine.quote(request));
          expect(failure).toStrictEqual(error);
        }
      }
      // A refused request has left nothing behind.
      expect(Buffer.compare(engine.snapshot(), before)).toBe(0);
    });
    await Effect.runPromise(Effect.scoped(program));
    expect(refused).toBeGreaterThan(drawn.cases / 5);
    expect(refused).toBeLessThan((drawn.cases * 9) / 10);
  });
});
