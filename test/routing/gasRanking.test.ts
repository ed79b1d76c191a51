import { RandomSource, readData } from "@millrace/testing";
import { type PlainRequest, readMarket, requestsOn, tinyMarket } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unevenGas } from "../markets/unevenGas.ts";
import { Judge } from "../reference/Judge.ts";

type Trade = readonly [tokenIn: string, tokenOut: string, amountIn: string, amountOut: string];

// The seed is fixed; MILLRACE_FUZZ multiplies the budget.
const BUDGET = Number(process.env["MILLRACE_FUZZ"] ?? 1);
const REQUESTS = 8;

const { trades } = readData<{ trades: ReadonlyArray<Trade> }>("ethereum-2026-03/workload-a.json");

/** From a price that never matters to one beyond any amount. */
const anyPrice = fc.oneof(
  fc.double({ min: -14, max: 40, noNaN: true }).map((digits) => 10 ** digits),
  fc.double({ min: -7, max: 2, noNaN: true }).map((digits) => 10 ** digits),
  fc.constantFrom(0, Number.MIN_VALUE, 2 ** 256),
);

describe("with a price of gas a route is the best of all token-simple paths after its gas", () => {
  it.each([
    ["as families tell it", undefined, 2031],
    ["that differs with every pool and amount", unevenGas, 2032],
  ])("on thousands of tiny markets, for gas %s", (_, families, seed) => {
    const cases = tinyMarket.chain((pools) => {
      const prices = fc.array(anyPrice, { minLength: REQUESTS, maxLength: REQUESTS });
      return fc.tuple(fc.constant(pools), requestsOn(pools, REQUESTS), prices);
    });
    fc.assert(
      fc.property(cases, ([pools, requests, prices]) => {
        const judge = new Judge({ chainId: 1, block: 1, pools }, families);
        for (const [place, request] of requests.entries()) {
          const priced = { ...request, gasPrice: prices[place]! };
          expect(judge.disagreement(priced)).toBe(undefined);
        }
      }),
      { seed, numRuns: 1_200 * BUDGET },
    );
  });

  const market = readMarket("ethereum-2026-03/universe-a.json");

  describe.each([
    ["as families tell it", new Judge(market)],
    ["that differs with every pool and amount", new Judge(market, unevenGas)],
  ])("on universe a, for gas %s", (_, judge) => {
    it.each([
      ["exactIn", 3, 300],
      ["exactIn", 4, 80],
      ["exactIn", 2, 100],
      ["exactIn", 1, 20],
      ["exactOut", 3, 200],
      ["exactOut", 4, 60],
      ["exactOut", 2, 100],
    ] as const)("%s of at most %i hops", (kind, maxHops, count) => {
      const asked = requests(count, kind, maxHops);
      const unpriced = asked.map(({ gasPrice: _, ...request }) => request);
      const faults = asked.map((request) => judge.disagreement(request));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
      // The price must matter: many another route than without, and some of fewer pools.
      const shapes = (some: ReadonlyArray<PlainRequest>) => some.map((one) => judge.shape(one));
      const [after, before] = [shapes(asked), shapes(unpriced)];
      const changed = after.filter((shape, place) => shape !== before[place]);
      if (maxHops > 1) expect(changed.length).toBeGreaterThan(0.2 * count);
    });
  });
});

/** Real trades and dust; a unit of gas costs from a 10^12th to more than a 10^5th of the answer. */
function requests(count: number, kind: PlainRequest["kind"], maxHops: number): PlainRequest[] {
  const random = new RandomSource(17);
  return Array.from({ length: count * BUDGET }, (_, place) => {
    const trade = trades[Math.floor((place * trades.length) / (count * BUDGET))]!;
    const [tokenIn, tokenOut, amountIn, amountOut] = trade;
    const [given, sought] = kind === "exactIn" ? [amountIn, amountOut] : [amountOut, amountIn];
    const part = place % 5 === 0 ? 10n ** BigInt(random.integer(given.length)) : 1n;
    const gasPrice = (Number(sought) / Number(part)) * 10 ** -(4 + random.integer(8_000) / 1_000);
    return { tokenIn, tokenOut, kind, amount: BigInt(given) / part || 1n, maxHops, gasPrice };
  });
}
