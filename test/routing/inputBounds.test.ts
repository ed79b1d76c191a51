import { pathsOf, recomputeRoute } from "@millrace/core";
import { law, MEETS_EVERY_KIND } from "@millrace/testing";
import { askedInputs, engineMarket, requestsOn, tinyMarket } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const REQUESTS = 12;

/** Splits a single path into two parts; the second finds the pools as the first left them. */
function parts(amount: bigint, paths: number): bigint[] {
  return paths > 1 || amount < 2n ? [amount] : [amount / 2n, amount - amount / 2n];
}

describe("the bounds of the inputs of an exact output", () => {
  it("are never below what contracts ask that work inputs back, dust and shared pools included", () => {
    let bounded = 0;
    let above = 0;
    let shared = 0;
    const { options } = law("inputs of exact outputs are bounded", 150);
    const marketAndRequests = tinyMarket.chain((pools) =>
      fc.tuple(fc.constant(pools), requestsOn(pools, REQUESTS), fc.constantFrom(1, 2, 4)),
    );
    const holds = fc.property(marketAndRequests, ([pools, requests, maxSplits]) => {
      const market = engineMarket({ chainId: 1, block: 1, pools });
      const { graph, router } = market;
      for (const { tokenIn, tokenOut, amount, maxHops } of requests) {
        const quote = router.quote({
          ...{ tokenIn: graph.findToken(tokenIn)!, tokenOut: graph.findToken(tokenOut)! },
          ...{ kind: "exactOut", amount, maxHops, maxSplits },
        });
        if (!quote.found) continue;
        const paths = pathsOf(quote);
        const route = recomputeRoute(market, {
          kind: "exactOut",
          paths: paths.flatMap((hops) =>
            parts(hops.at(-1)!.amountOut, paths.length).map((part) => ({ amount: part, hops })),
          ),
        });
        if (!route.filled || route.inputBounds === undefined) continue;
        const asked = askedInputs(
          route.paths.map((steps) => ({
            amountIn: steps[0]!.amountIn,
            amountOut: steps.at(-1)!.amountOut,
            inputs: steps.map(({ amountIn }) => amountIn),
            hops: steps.map((step) => ({
              pool: pools.find(({ address }) => address === graph.poolAddress(step.pool))!,
              tokenIn: graph.tokenAddress(step.tokenIn),
              tokenOut: graph.tokenAddress(step.tokenOut),
            })),
          })),
          0n,
        );
        expect(asked).toBeDefined();
        const bound = route.inputBounds.reduce((sum, amountIn) => sum + amountIn, 0n);
        expect(bound).toBeGreaterThanOrEqual(asked!);
        bounded++;
        if (asked! > route.amountIn) above++;
        const used = route.paths.flat().map(({ pool }) => pool);
        if (new Set(used).size < used.length) shared++;
      }
    });
    fc.assert(holds, options);
    expect(bounded).toBeGreaterThan(options.numRuns);
    expect(above).toBeGreaterThan(options.numRuns / 10);
    if (MEETS_EVERY_KIND) expect(shared).toBeGreaterThan(0);
  });
});
