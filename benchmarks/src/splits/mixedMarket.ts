import type { QuoteRequest } from "@millrace/core";
import type { Figure } from "../Figure.ts";
import { quoteForSink } from "../market.ts";
import { openMixed } from "../mixedFamilies.ts";
import { runRounds, Series } from "../Series.ts";
import { median, quantile } from "../statistics.ts";
import { splitQueries } from "./queries.ts";

const CONFIGURATIONS = [
  { name: "12-paths", maxHops: 3, maxSplits: 12 },
  { name: "64-paths", maxHops: 4, maxSplits: 64 },
];

/**
 * How long splits take in a market with pools of many families. No ceiling is known for it: only
 * the certificates say how far quotes are at most from the best routing.
 */
export function measureMixedMarket(
  poolCount: number,
  sizes: { readonly pairs: number; readonly warmUps: number; readonly rounds: number },
): ReadonlyArray<Figure> {
  const market = openMixed(poolCount);
  const queries = splitQueries(market, sizes.pairs, "deepest");
  return CONFIGURATIONS.flatMap(({ name, maxHops, maxSplits }): ReadonlyArray<Figure> => {
    const requests = queries.map(
      ({ tokenIn, tokenOut, amount }): QuoteRequest => ({
        ...{ tokenIn, tokenOut, amount, kind: "exactIn", maxHops, maxSplits },
      }),
    );
    const gaps = requests.flatMap((request) => {
      const quote = market.router.quote({ ...request, certify: true });
      return quote.found && quote.certificate !== undefined ? [quote.certificate.gapBps] : [];
    });
    const series = new Series(requests, (request) => quoteForSink(market, request));
    runRounds([series], sizes);
    return [
      { name: `${name}.p50`, value: series.rounds.p50, unit: "us" },
      { name: `${name}.p99`, value: series.rounds.p99, unit: "us" },
      { name: `${name}.certified`, value: gaps.length / requests.length, unit: "of queries" },
      { name: `${name}.gap`, value: median(gaps), unit: "bps" },
      { name: `${name}.gap.p90`, value: quantile(gaps, 0.9), unit: "bps" },
    ];
  });
}
