import { netOf, openOverlay, type PoolIndex } from "@millrace/core";
import { law, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  anyRequest,
  manyTokenMarket,
  sensiblePools,
  wildPools,
} from "../markets/manyTokenMarket.ts";
import { disagreement } from "../reference/bruteFamilies.ts";

const NO_GAS_LIMIT = { gasLimit: Number.POSITIVE_INFINITY };
const REQUESTS = 3;

describe("on tiny markets of pools with three to eight tokens", () => {
  it.each([
    ["that could be anything", wildPools],
    ["whose prices agree", sensiblePools],
  ])(
    "%s, the route is the best of all paths that visit no token and no pool twice",
    (name, draw) => {
      const markets = law(`the best path through pools of many tokens ${name}`, 60);
      let found = 0;
      let long = 0;
      for (const [index, random] of markets.sources()) {
        const tokenCount = random.between(3, 8);
        const market = manyTokenMarket(tokenCount, draw(random, tokenCount), NO_GAS_LIMIT);
        for (let count = 0; count < REQUESTS; count++) {
          // Brute force would check tens of thousands of paths of four pools with eight tokens.
          const maxHops = random.between(1, tokenCount > 6 ? 3 : 4);
          const request = anyRequest(random, tokenCount, maxHops);
          const place = `market ${index}, request ${count}`;
          expect(disagreement(market, request), place).toBe(undefined);
          const result = market.router.quote(request);
          if (!result.found) continue;
          found++;
          if (result.steps.length > 1) long++;
        }
      }
      expect(found).toBeGreaterThanOrEqual(surely(markets.cases));
      expect(long).toBeGreaterThanOrEqual(surely(markets.cases / 20));
    },
  );

  it("so is one without some pools, and one on top of a swap through another pair of its pool", () => {
    for (const [index, random] of law("pools of many tokens, filtered and swapped", 50).sources()) {
      const tokenCount = random.between(3, 6);
      const pools = sensiblePools(random, tokenCount);
      const market = manyTokenMarket(tokenCount, pools, NO_GAS_LIMIT);
      const { graph } = market;
      const request = anyRequest(random, tokenCount, 3);
      const without = random.integer(graph.poolCount) as PoolIndex;
      const filtered = { ...request, filter: { withoutPools: [without] } };
      const isAllowed = (pool: PoolIndex) => pool !== without;
      expect(disagreement(market, filtered, isAllowed), `market ${index}`).toBe(undefined);

      const earlier = market.router.quote({ ...request, kind: "exactIn" });
      if (!earlier.found) continue;
      const swaps = earlier.steps.map(({ pool, tokenIn, tokenOut, amountIn }) => ({
        kind: "swapped" as const,
        ...{ pool, tokenIn, tokenOut, amountIn },
      }));
      const overlay = openOverlay(market, swaps);
      if (overlay.refused) throw new Error(`market ${index}: ${overlay.reason}`);
      const swapped = manyTokenMarket(tokenCount, pools, NO_GAS_LIMIT);
      for (const { pool, tokenIn, tokenOut, amountIn } of earlier.steps) {
        const family = swapped.families[graph.poolCurve[pool]!]!;
        const [from, to] = [graph.poolPosition(pool, tokenIn), graph.poolPosition(pool, tokenOut)];
        swapped.writer.applySwap(family.swapExactIn(pool, from, to, amountIn)!);
      }
      for (let count = 0; count < REQUESTS; count++) {
        const next = anyRequest(random, tokenCount, 3);
        expect(disagreement(swapped, next), `market ${index}, swapped`).toBe(undefined);
        const [assumed, real] = [overlay.quoteUnsafe(next), swapped.router.quote(next)];
        expect(assumed.found && netOf(next, assumed)).toBe(real.found && netOf(next, real));
      }
    }
  });
});
