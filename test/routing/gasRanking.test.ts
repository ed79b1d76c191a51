import { type Law, law, surely } from "@millrace/testing";
import { type PlainRequest, readMarket, requestsOn, tinyMarket } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tradesOf } from "../markets/recordedTrades.ts";
import { unevenGas } from "../markets/unevenGas.ts";
import { Judge } from "../reference/Judge.ts";

const REQUESTS = 8;

/** From a gas price that never matters to one beyond any amount. */
const anyPrice = fc.oneof(
  fc.double({ min: -14, max: 40, noNaN: true }).map((digits) => 10 ** digits),
  fc.double({ min: -7, max: 2, noNaN: true }).map((digits) => 10 ** digits),
  fc.constantFrom(0, Number.MIN_VALUE, 2 ** 256),
);

describe("with a price of gas a route is the best of all token-simple paths after its gas", () => {
  it.each([
    ["as families tell it", undefined],
    ["that differs with every pool and amount", unevenGas],
  ])("on thousands of tiny markets, for gas %s", (name, families) => {
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
      law(`the best path after gas ${name}: tiny markets`, 70).options,
    );
  });

  const market = readMarket("ethereum-2026-03/universe-a.json");

  describe.each([
    ["as families tell it", new Judge(market)],
    ["that differs with every pool and amount", new Judge(market, unevenGas)],
  ])("on universe a, for gas %s", (name, judge) => {
    it.each([
      ["exactIn", 3, 40],
      ["exactIn", 4, 12],
      ["exactIn", 2, 30],
      ["exactIn", 1, 20],
      ["exactOut", 3, 30],
      ["exactOut", 4, 10],
      ["exactOut", 2, 30],
    ] as const)("%s of at most %i hops", (kind, maxHops, count) => {
      const some = law(`the best path after gas ${name}: ${kind}, ${maxHops} hops`, count);
      const asked = requests(some, kind, maxHops);
      const unpriced = asked.map(({ gasPrice: _, ...request }) => request);
      const faults = asked.map((request) => judge.disagreement(request));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
      // The price must matter: many routes differ from those without it, and some have fewer pools.
      const shapes = (of: ReadonlyArray<PlainRequest>) => of.map((one) => judge.shape(one));
      const [after, before] = [shapes(asked), shapes(unpriced)];
      const changed = after.filter((shape, place) => shape !== before[place]);
      if (maxHops > 1) expect(changed.length).toBeGreaterThanOrEqual(surely(0.2 * asked.length));
    });
  });
});

/** Real trades and dust; a unit of gas costs from a 10^12th to more than a 10^5th of the answer. */
function requests(some: Law, kind: PlainRequest["kind"], maxHops: number): PlainRequest[] {
  const random = some.random();
  return tradesOf(some).map(([tokenIn, tokenOut, amountIn, amountOut], place) => {
    const [given, sought] = kind === "exactIn" ? [amountIn, amountOut] : [amountOut, amountIn];
    const part = place % 5 === 0 ? 10n ** BigInt(random.integer(given.length)) : 1n;
    const gasPrice = (Number(sought) / Number(part)) * 10 ** -(4 + random.integer(8_000) / 1_000);
    return { tokenIn, tokenOut, kind, amount: BigInt(given) / part || 1n, maxHops, gasPrice };
  });
}
