import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Address,
  type OpenMarket,
  openMarket,
  type Quote,
  type QuoteRequest,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { Effect, Stream } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { quoteForSink } from "../market.ts";
import { runRounds, Series } from "../Series.ts";

const FILE = fileURLToPath(new URL("../../../../shared/data/splits/cp-4000.json", import.meta.url));
/** A part of the deepest pool's holding of the token. */
const LARGE_PART = 0.1;
/** The rounding error of a float ceiling. */
const ROUNDING = 1e-9;
const GAP_BPS = 1;
const ANY_NUMBER = Number.POSITIVE_INFINITY;

/** A query of the file, with the convex dual's bound of any routing. */
interface FixedQuery {
  readonly part: number;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: string;
  readonly ceiling: number;
}

interface Configuration {
  readonly name: string;
  readonly options: Pick<QuoteRequest, "gapBps" | "maxHops" | "maxSplits">;
  /** Has no gas limit, so no transaction may be able to execute it. */
  readonly isFree: boolean;
}

const CONFIGURATIONS: ReadonlyArray<Configuration> = [
  { name: "unlimited", options: { maxHops: 4, maxSplits: ANY_NUMBER }, isFree: true },
  { name: "64-paths", options: { maxHops: 4, maxSplits: 64 }, isFree: false },
  { name: "12-paths", options: { maxHops: 3, maxSplits: 12 }, isFree: false },
  { name: "1-path", options: { maxHops: 3, maxSplits: 1 }, isFree: false },
  { name: "gap-1bps", options: { maxHops: 4, gapBps: GAP_BPS }, isFree: true },
];

/**
 * 36 fixed queries of a fixed market of 4,000 constant-product pools: how close quotes come to the
 * most that any routing could give, how close their certificates say they are, and how long quotes
 * take with and without a certificate.
 */
export const measureFixedQueries = Effect.fnUntraced(function* (sizes: {
  /** Every so many queries are asked. */
  readonly queryStep: number;
  readonly trades: number;
  readonly warmUps: number;
  readonly rounds: number;
}): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const file = JSON.parse(readFileSync(FILE, "utf8")) as {
    readonly queries: ReadonlyArray<FixedQuery>;
  };
  const queries = file.queries.filter((_, index) => index % sizes.queryStep === 0);
  const limited = yield* openFile({});
  const free = yield* openFile({ gasLimit: ANY_NUMBER });
  const figures: Figure[] = [];
  const within = new Map<string, ReadonlySet<number>>();
  for (const { name, options, isFree } of CONFIGURATIONS) {
    const market = isFree ? free : limited;
    const requests = queries.map((query) => requestOf(market, query, options));
    const answers = yield* Effect.forEach(requests, (request, index) =>
      answerTo(market, request, queries[index]!),
    );
    within.set(name, new Set(answers.flatMap(({ gapBps }, at) => (gapBps <= GAP_BPS ? [at] : []))));
    const found = [...qualityOf(answers), ...timesOf(market, requests, sizes)];
    figures.push(...found.map((figure) => ({ ...figure, name: `${name}.${figure.name}` })));
  }
  // Any number of paths, when it is not asked to come close, says which queries can be met.
  const possible = [...within.get("unlimited")!];
  const isMet = (query: number) => within.get("gap-1bps")!.has(query);
  const met = possible.filter(isMet).length / possible.length;
  return [...figures, { name: "gap-1bps.met", value: met, unit: "of the possible queries" }];
});

const openFile = (options: { readonly gasLimit?: number }) =>
  marketFile(FILE).pipe(
    Effect.flatMap(({ blocks }) => Stream.runCollect(blocks)),
    Effect.map((blocks) => {
      const market = openMarket(1, curves, options);
      for (const block of blocks) market.writer.applyBlock(block);
      return market;
    }),
    Effect.catchTag("MarketSourceError", ({ detail }) =>
      Effect.fail(new BenchmarkError({ message: detail })),
    ),
  );

function requestOf(
  { graph }: OpenMarket,
  { tokenIn, tokenOut, amountIn }: FixedQuery,
  options: Configuration["options"],
): QuoteRequest {
  return {
    tokenIn: graph.findToken(tokenIn)!,
    tokenOut: graph.findToken(tokenOut)!,
    kind: "exactIn",
    amount: BigInt(amountIn),
    ...options,
  };
}

interface Rated {
  readonly query: FixedQuery;
  readonly quote: Quote;
  readonly ratio: number;
  readonly gapBps: number;
}

/** Fails for a query without an answer, and for an answer above the ceiling or its own bound. */
function answerTo(
  { router }: OpenMarket,
  request: QuoteRequest,
  query: FixedQuery,
): Effect.Effect<Rated, BenchmarkError> {
  const quote = router.quote({ ...request, certify: true });
  const fail = (found: string) =>
    Effect.fail(new BenchmarkError({ message: `${JSON.stringify(query)}: ${found}` }));
  if (!quote.found || quote.certificate === undefined) return fail("no answer, or no bound");
  const { bound, gapBps } = quote.certificate;
  const ratio = Number(quote.amountOut) / query.ceiling;
  if (ratio > 1 + ROUNDING) return fail(`${ratio} of the ceiling`);
  if (quote.amountOut > bound) return fail(`${quote.amountOut} above ${bound}`);
  return Effect.succeed({ query, quote, ratio, gapBps });
}

function qualityOf(answers: ReadonlyArray<Rated>): ReadonlyArray<Figure> {
  const ratios = answers.map(({ ratio }) => ratio);
  const large = answers.filter(({ query }) => query.part === LARGE_PART);
  const gaps = answers.map(({ gapBps }) => gapBps);
  const unit = "of the ceiling";
  return [
    { name: "quality", value: mean(ratios), unit },
    { name: "quality-10%", value: mean(large.map(({ ratio }) => ratio)), unit },
    { name: "quality-min", value: Math.min(...ratios), unit },
    { name: "gap", value: mean(gaps), unit: "bps" },
    { name: "gap-worst", value: Math.max(...gaps), unit: "bps" },
    {
      name: "gap-within",
      value: gaps.filter((gap) => gap <= GAP_BPS).length / gaps.length,
      unit: "of queries",
    },
  ];
}

function timesOf(
  market: OpenMarket,
  requests: ReadonlyArray<QuoteRequest>,
  sizes: { readonly warmUps: number; readonly rounds: number },
): ReadonlyArray<Figure> {
  const seriesOf = (items: ReadonlyArray<QuoteRequest>) =>
    new Series(items, (request) => quoteForSink(market, request));
  const plain = seriesOf(requests);
  const certified = seriesOf(requests.map((request) => ({ ...request, certify: true })));
  runRounds([plain, certified], sizes);
  return [
    { name: "p50", value: plain.rounds.p50, unit: "us" },
    { name: "p99", value: plain.rounds.p99, unit: "us" },
    { name: "certified", value: certified.rounds.p50, unit: "us" },
    { name: "certified.p99", value: certified.rounds.p99, unit: "us" },
    { name: "certified.ratio", value: certified.rounds.p50 / plain.rounds.p50, unit: "of without" },
  ];
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
