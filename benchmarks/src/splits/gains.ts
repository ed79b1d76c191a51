import type { OpenMarket, QuoteRequest } from "@millrace/core";
import { Effect } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { exactInRequests, openUniverse, quoteForSink, readTrades } from "../market.ts";
import { runRounds, Series } from "../Series.ts";

const HOPS = 3;
const SPLITS = 8;
const BPS = 10_000;

/** Classes of trades, by value in US dollars. */
const TRADE_VALUES = [
  { name: "below-1k-usd", end: 1_000 },
  { name: "1k-to-10k-usd", end: 10_000 },
  { name: "10k-to-100k-usd", end: 100_000 },
  { name: "from-100k-usd", end: Number.POSITIVE_INFINITY },
];

interface Sizes {
  readonly trades: number;
  readonly warmUps: number;
  readonly rounds: number;
}

/** The gain of splits over the best single path, on real trades and real pools. */
export const measureGains = Effect.fnUntraced(function* (
  sizes: Sizes,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const market = yield* openUniverse;
  const trades = readTrades(sizes.trades).flatMap((trade) =>
    exactInRequests(market, [trade], HOPS).map((single) => ({
      usd: trade.usd,
      single,
      split: { ...single, maxSplits: SPLITS },
    })),
  );
  const gains = trades.flatMap(({ usd, single, split }) => {
    const gainBps = gainOf(market, single, split);
    return gainBps === undefined ? [] : [{ usd, gainBps }];
  });
  const series = new Series(
    trades.map(({ split }) => split),
    (request) => quoteForSink(market, request),
  );
  runRounds([series], sizes);
  return [
    ...gainsByValue(gains),
    {
      name: "below-single-path",
      value: gains.filter(({ gainBps }) => gainBps < 0).length,
      unit: "quotes",
    },
    { name: "p50", value: series.rounds.p50, unit: "us" },
    { name: "p99", value: series.rounds.p99, unit: "us" },
  ];
});

/**
 * In basis points; undefined where neither finds anything. A lost answer counts as a total loss.
 */
function gainOf(
  { router }: OpenMarket,
  single: QuoteRequest,
  split: QuoteRequest,
): number | undefined {
  const one = router.quote(single);
  const several = router.quote(split);
  if (!one.found) return several.found ? 0 : undefined;
  if (!several.found) return -BPS;
  return (BPS * Number(several.amountOut - one.amountOut)) / Number(one.amountOut);
}

function gainsByValue(
  gains: ReadonlyArray<{ readonly usd: number; readonly gainBps: number }>,
): ReadonlyArray<Figure> {
  return TRADE_VALUES.flatMap(({ name, end }, index) => {
    const start = TRADE_VALUES[index - 1]?.end ?? 0;
    const found = gains.filter(({ usd }) => usd >= start && usd < end);
    if (found.length === 0) return [];
    const total = found.reduce((sum, { gainBps }) => sum + gainBps, 0);
    return [
      { name: `gain.${name}`, value: total / found.length, unit: "bps" },
      { name: `trades.${name}`, value: found.length, unit: "trades" },
    ];
  });
}
