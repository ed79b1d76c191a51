import type { OpenMarket, PoolIndex, QuoteRequest } from "@millrace/core";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { clockOverheadNs } from "./clock.ts";
import type { Figure } from "./Figure.ts";
import { facadeQuotes } from "./facadeQuotes.ts";
import { watchHeap } from "./heap.ts";
import { LayeredSearch } from "./LayeredSearch.ts";
import { exactInRequests, openUniverse, quoteForSink, readTrades, type Trade } from "./market.ts";
import { runRounds, Series } from "./Series.ts";
import { median } from "./statistics.ts";

const FULL = { trades: 2_500, warmUps: 4, rounds: 21, heapQuotes: 1_000_000 };
const SMOKE = { trades: 200, warmUps: 1, rounds: 2, heapQuotes: 10_000 };

/** The depth of search that the service defaults to. */
const HOPS = 3;

/**
 * Whole quotes (search and exact pass) of real trades on real pools, one by one on one core; and
 * the plain layered search of the same trades, in the same rounds.
 */
export const routeSearch = Effect.fnUntraced(function* (
  smoke: boolean,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const sizes = smoke ? SMOKE : FULL;
  const market = yield* openUniverse;
  const trades = readTrades(sizes.trades);
  const requests = exactInRequests(market, trades, HOPS);
  const latencies = timeQuotes(market, trades, sizes);
  const heap = yield* watchHeap(sizes.heapQuotes, (index) =>
    quoteForSink(market, requests[index % requests.length]!),
  );
  const facade = yield* facadeQuotes(sizes);
  const answered = requests.filter((request) => market.router.quote(request).found).length;
  return [
    { name: "route-search.pools", value: livePools(market), unit: "pools" },
    ...latencies,
    ...facade,
    { name: "route-search.answered", value: answered / requests.length, unit: "of requests" },
    { name: "route-search.clock", value: clockOverheadNs(), unit: "ns" },
    ...heap.map((figure) => ({ ...figure, name: `route-search.${figure.name}` })),
  ];
});

function livePools({ graph }: OpenMarket): number {
  let count = 0;
  for (let pool = 0; pool < graph.poolCount; pool++) if (graph.isLive(pool as PoolIndex)) count++;
  return count;
}

function timeQuotes(
  market: OpenMarket,
  trades: ReadonlyArray<Trade>,
  sizes: typeof FULL,
): ReadonlyArray<Figure> {
  const layered = new LayeredSearch(market.graph);
  const quote = (request: QuoteRequest) => quoteForSink(market, request);
  const layeredQuote = ({ tokenIn, tokenOut, amount }: QuoteRequest) =>
    layered.quote(tokenIn, tokenOut, Number(amount), HOPS);
  const requests = exactInRequests(market, trades, HOPS);
  const whole = new Series(requests, quote);
  const plain = new Series(requests, layeredQuote);
  const named: ReadonlyArray<readonly [string, Series<QuoteRequest>]> = [
    ["universe-a", whole],
    ["layered", plain],
    ["exact-out", new Series(exactOutRequests(market, requests), quote)],
    ...[1, 2, 4].map(
      (hops) => [`${hops}-hops`, new Series(exactInRequests(market, trades, hops), quote)] as const,
    ),
  ];
  runRounds(
    named.map(([, series]) => series),
    sizes,
  );
  const ratios = whole.rounds.p50s.map((p50, round) => p50 / plain.rounds.p50s[round]!);
  return [
    ...named.flatMap(([name, { rounds }]) => [
      { name: `route-search.${name}.p50`, value: rounds.p50, unit: "us" },
      { name: `route-search.${name}.p99`, value: rounds.p99, unit: "us" },
    ]),
    { name: "route-search.ratio", value: median(ratios), unit: "of layered" },
  ];
}

/** Asks for exactly the output that each request would get; leaves out requests without one. */
function exactOutRequests(
  { router }: OpenMarket,
  requests: ReadonlyArray<QuoteRequest>,
): ReadonlyArray<QuoteRequest> {
  return requests.flatMap((request) => {
    const result = router.quote(request);
    return result.found ? [{ ...request, kind: "exactOut", amount: result.amountOut }] : [];
  });
}
