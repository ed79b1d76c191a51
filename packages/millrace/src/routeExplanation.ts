import type { PoolGraph, Quote, RouteExplanation } from "@millrace/core";
import type { QuoteExplanation } from "./FoundRoute.ts";
import { poolName, type RouteSteps } from "./RouteSteps.ts";

/** An explanation of a quote with pool names; its price is in whole tokens. */
export function routeExplanation(
  graph: PoolGraph,
  names: RouteSteps,
  { steps: [first, ...others] }: Quote,
  { midPrice, totalBps, feesBps, curveBps, steps, runnerUp }: RouteExplanation,
): QuoteExplanation {
  const decimalsIn = graph.tokenDecimals[first!.tokenIn]!;
  const decimalsOut = graph.tokenDecimals[(others.at(-1) ?? first!).tokenOut]!;
  return {
    midPrice: midPrice * 10 ** (decimalsIn - decimalsOut),
    ...{ totalBps, feesBps, curveBps },
    steps: steps.map(({ pool, feeBps, curveBps: ownBps }) => ({
      pool: poolName(graph, pool),
      ...{ feeBps, curveBps: ownBps },
    })),
    runnerUp: runnerUp && {
      amountIn: runnerUp.amountIn,
      amountOut: runnerUp.amountOut,
      steps: names.of(runnerUp.steps),
    },
  };
}

/** For the native token and its wrapped form. */
export const NOTHING_LOST: QuoteExplanation = {
  ...{ midPrice: 1, totalBps: 0, feesBps: 0, curveBps: 0, steps: [], runnerUp: undefined },
};
