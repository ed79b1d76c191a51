import type { OpenMarket, QuoteRequest } from "@millrace/core";
import { Effect } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { Ceiling } from "../ceiling/Ceiling.ts";
import { constantProductPools } from "../ceiling/ConstantProductPool.ts";
import type { Figure } from "../Figure.ts";
import { quoteForSink } from "../market.ts";
import { runRounds, Series } from "../Series.ts";
import { measureFixedQueries } from "./fixedQueries.ts";
import { measureGains } from "./gains.ts";
import { measureMixedMarket } from "./mixedMarket.ts";
import { measureQuality, type RatedQuery, rateQueries } from "./quality.ts";
import {
  constantProductBlock,
  openBlock,
  type SizedBy,
  type SplitQuery,
  splitQueries,
  TRADE_SIZES,
} from "./queries.ts";

// Measuring the quality first, on the same queries, warms up.
const FULL = {
  ...{ poolCounts: [4_000, 16_000], mixedPoolCount: 16_000, pairs: 60 },
  ...{ queryStep: 1, trades: 2_500, warmUps: 0, rounds: 3 },
};
const SMOKE = {
  ...{ poolCounts: [1_000], mixedPoolCount: 1_000, pairs: 2 },
  // Queries of all three sizes.
  ...{ queryStep: 7, trades: 100, warmUps: 0, rounds: 1 },
};

interface Configuration {
  readonly name: string;
  readonly maxHops: number;
  readonly maxSplits: number;
  readonly gasLimit?: number;
  /** Fewer pairs and rounds, where a quote takes long. */
  readonly pairsMax?: number;
  readonly roundsMax?: number;
  readonly sizedBy?: SizedBy;
}

const CONFIGURATIONS: ReadonlyArray<Configuration> = [
  // The optimiser itself: no transaction could execute all of its paths.
  {
    name: "unlimited",
    maxHops: 4,
    maxSplits: Number.POSITIVE_INFINITY,
    gasLimit: Number.POSITIVE_INFINITY,
    pairsMax: 20,
    roundsMax: 1,
    sizedBy: "entered",
  },
  { name: "64-paths", maxHops: 4, maxSplits: 64 },
  { name: "12-paths", maxHops: 3, maxSplits: 12 },
  { name: "1-path", maxHops: 3, maxSplits: 1 },
];

/**
 * How close split quotes come to the most that any routing could give, on generated markets of
 * constant-product pools, and how long whole quotes take; then what splits gain on real trades.
 */
export const splits = Effect.fnUntraced(function* (
  smoke: boolean,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const sizes = smoke ? SMOKE : FULL;
  const figures: Figure[] = [];
  for (const poolCount of sizes.poolCounts) {
    for (const sizedBy of ["entered", "deepest"] as const) {
      const found = yield* measureMarket(poolCount, sizes, sizedBy);
      const name = `splits.${poolCount / 1_000}k${sizedBy === "deepest" ? "-of-deepest" : ""}`;
      figures.push(...found.map((figure) => inside(name, figure)));
    }
  }
  const fixed = yield* measureFixedQueries(sizes);
  figures.push(...fixed.map((figure) => inside("splits.fixed", figure)));
  const mixed = measureMixedMarket(sizes.mixedPoolCount, sizes);
  const mixedName = `splits.mixed-${sizes.mixedPoolCount / 1_000}k`;
  figures.push(...mixed.map((figure) => inside(mixedName, figure)));
  const gains = yield* measureGains(sizes);
  return [...figures, ...gains.map((figure) => inside("splits.universe-a", figure))];
});

const measureMarket = Effect.fnUntraced(function* (
  poolCount: number,
  sizes: typeof FULL,
  sizedBy: SizedBy,
) {
  const block = constantProductBlock(poolCount);
  const market = openBlock(block);
  const ceiling = new Ceiling(market.graph.tokenCount, constantProductPools(market));
  const queries = yield* rateQueries(ceiling, splitQueries(market, sizes.pairs, sizedBy));
  const figures: Figure[] = [];
  for (const configuration of CONFIGURATIONS) {
    if (configuration.sizedBy !== undefined && configuration.sizedBy !== sizedBy) continue;
    const { name, gasLimit, pairsMax = sizes.pairs, roundsMax = sizes.rounds } = configuration;
    const limited = gasLimit === undefined ? market : openBlock(block, gasLimit);
    const asked = queries.slice(0, pairsMax * TRADE_SIZES.length);
    const requestOf = (query: SplitQuery) => request(query, configuration);
    const quality = yield* measureQuality(limited, asked, requestOf);
    const rounds = Math.min(sizes.rounds, roundsMax);
    const latencies = timeQuotes(limited, asked, requestOf, { ...sizes, rounds });
    figures.push(...[...quality, ...latencies].map((figure) => inside(name, figure)));
  }
  return figures;
});

function timeQuotes(
  market: OpenMarket,
  queries: ReadonlyArray<RatedQuery>,
  requestOf: (query: SplitQuery) => QuoteRequest,
  sizes: typeof FULL,
): ReadonlyArray<Figure> {
  const series = new Series(queries.map(requestOf), (one) => quoteForSink(market, one));
  runRounds([series], sizes);
  return [
    { name: "p50", value: series.rounds.p50, unit: "us" },
    { name: "p99", value: series.rounds.p99, unit: "us" },
  ];
}

function request(
  { tokenIn, tokenOut, amount }: SplitQuery,
  { maxHops, maxSplits }: Configuration,
): QuoteRequest {
  return { tokenIn, tokenOut, kind: "exactIn", amount, maxHops, maxSplits };
}

function inside(name: string, figure: Figure): Figure {
  return { ...figure, name: `${name}.${figure.name}` };
}
