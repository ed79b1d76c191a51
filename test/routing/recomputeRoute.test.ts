import {
  type OpenMarket,
  openMarket,
  type PlannedRoute,
  pathsOf,
  type Quote,
  type QuoteRequest,
  recomputeRoute,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, MEETS_EVERY_KIND, type RandomSource, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";

const REQUESTS = 150;

function generated(seed: number, chainId: 1 | 8453): OpenMarket {
  const market = openMarket(chainId, curves);
  market.writer.applyBlock(generateMarketBlock({ seed, poolCount: 600, chainId }));
  return market;
}

/** A quote's pools and the amounts of its paths' fixed side, and nothing else of it. */
function planOf(quote: Quote, kind: PlannedRoute["kind"]): PlannedRoute {
  return {
    kind,
    paths: pathsOf(quote).map((steps) => ({
      amount: kind === "exactIn" ? steps[0]!.amountIn : steps.at(-1)!.amountOut,
      hops: steps.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn, tokenOut })),
    })),
  };
}

describe("a recomputed route", () => {
  for (const chainId of [1, 8453] as const) {
    for (const maxSplits of [1, 2, 8]) {
      it(`is the quote again, of chain ${chainId}, over at most ${maxSplits} paths`, () => {
        const market = generated(7, chainId);
        const name = `recomputed routes: chain ${chainId}, ${maxSplits} paths`;
        const requests = law(name, REQUESTS);
        const random = requests.random();
        let found = 0;
        let again = 0;
        for (let count = 0; count < requests.cases; count++) {
          const request = draw(market, random, maxSplits);
          const quote = market.router.quote(request);
          if (!quote.found) continue;
          found++;
          const isAgain = new Set(quote.steps.map(({ pool }) => pool)).size < quote.steps.length;
          if (isAgain) again++;
          const route = recomputeRoute(market, planOf(quote, request.kind));
          const { steps, amountIn, amountOut, gas, stamp } = quote;
          expect(route).toMatchObject({ filled: true, amountIn, amountOut, gas, stamp });
          expect(route.filled && route.paths.flat()).toEqual(steps);
          // Gas depends on a pool's state at the time of its use.
          if (!isAgain) expect(route).toMatchObject({ typicalGas: typicalGas(market, quote) });
        }
        expect(found).toBeGreaterThanOrEqual(surely(requests.cases / 2));
        if (maxSplits > 1 && MEETS_EVERY_KIND) expect(again).toBeGreaterThan(0);
      });
    }
  }

  it("leaves the market as it was", () => {
    const market = generated(11, 1);
    const random = law("recomputed routes: change nothing", 30).random();
    const before = market.snapshot();
    for (let count = 0; count < 30; count++) {
      const request = draw(market, random, 8);
      const quote = market.router.quote(request);
      if (quote.found) recomputeRoute(market, planOf(quote, request.kind));
    }
    expect(Buffer.compare(market.snapshot(), before)).toBe(0);
  });
});

/** Any two tokens, the first often a hub; amounts of all sizes. */
function draw({ graph }: OpenMarket, random: RandomSource, maxSplits: number): QuoteRequest {
  const tokens = Array.from({ length: graph.tokenCount }, (_, token) => token as TokenIndex);
  const isHub = (token: TokenIndex) => graph.slotEnd[token]! - graph.slotStart[token]! > 8;
  const hubs = tokens.filter(isHub);
  const tokenIn = random.pick(hubs);
  const tokenOut = random.pick(tokens.filter((token) => token !== tokenIn));
  const kind = random.integer(3) === 0 ? "exactOut" : "exactIn";
  const decimals = graph.tokenDecimals[kind === "exactIn" ? tokenIn : tokenOut]!;
  const amount = 1n + random.bigint(10n ** BigInt(decimals + random.integer(6)));
  return { tokenIn, tokenOut, kind, amount, maxHops: 1 + random.integer(4), maxSplits };
}

function typicalGas({ families, graph }: OpenMarket, { steps }: Quote): number {
  return steps.reduce((sum, { pool, tokenIn, tokenOut, amountIn }) => {
    const family = families[graph.poolCurve[pool]!]!;
    const own = graph.poolPosition(pool, tokenIn);
    return sum + family.typicalGas(pool, own, graph.poolPosition(pool, tokenOut), amountIn);
  }, 0);
}
