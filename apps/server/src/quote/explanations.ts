import { encodeRouteExplanation, type RefusalExplanationJson } from "@millrace/api";
import type { Quote, RefusalLimit, RouteExplanation } from "@millrace/core";
import type { QuoteMarket } from "./QuoteMarket.ts";
import { labelledSteps } from "./writeQuote.ts";

/** The explanation of a quote's route as JSON text; its price is in whole tokens. */
export function routeExplanationText(
  { engine, labels, texts }: QuoteMarket,
  { steps: [first, ...others] }: Quote,
  { midPrice, totalBps, feesBps, curveBps, steps, runnerUp }: RouteExplanation,
): string {
  const { tokenDecimals } = engine.graph;
  const decimalsIn = tokenDecimals[first!.tokenIn]!;
  const decimalsOut = tokenDecimals[(others.at(-1) ?? first!).tokenOut]!;
  return encodeRouteExplanation(
    {
      midPrice: midPrice * 10 ** (decimalsIn - decimalsOut),
      totalBps,
      feesBps,
      curveBps,
      steps: steps.map(({ pool, feeBps, curveBps: ownBps }) => ({
        ...texts.names(pool),
        feeBps,
        curveBps: ownBps,
      })),
    },
    runnerUp && {
      amountIn: runnerUp.amountIn.toString(),
      amountOut: runnerUp.amountOut.toString(),
      steps: labelledSteps(labels, runnerUp, runnerUp.amountIn.toString()),
    },
  );
}

/** The limit that prevented a quote, in its JSON form. */
export function refusalExplanation(limit: RefusalLimit): RefusalExplanationJson {
  switch (limit.kind) {
    case "hops": {
      const { maxHops, neededHops } = limit;
      return { limit: "hops", maxHops, ...(neededHops !== undefined && { neededHops }) };
    }
    case "filter":
      return { limit: "filter", neededHops: limit.neededHops };
    case "leastAmount":
      return { limit: "leastAmount", amount: limit.amount.toString() };
    case "capacity":
      return { limit: "capacity", amount: limit.amount.toString() };
    case "gas":
      return { limit: "gas", gasLimit: limit.gasLimit, amount: limit.amount.toString() };
  }
}
