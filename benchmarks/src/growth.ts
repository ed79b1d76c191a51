import {
  type OpenMarket,
  openMarket,
  PIECE_STRIDE,
  type PoolGraph,
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import type { Figure } from "./Figure.ts";
import { LayeredSearch } from "./LayeredSearch.ts";
import { deepestHolding, quoteForSink } from "./market.ts";
import { SeededRandom } from "./SeededRandom.ts";
import { runRounds, Series } from "./Series.ts";
import { median } from "./statistics.ts";

const FULL = { poolCounts: [1_000, 4_000, 16_000, 64_000], pairs: 200, warmUps: 5, rounds: 21 };
const SMOKE = { poolCounts: [1_000, 4_000], pairs: 20, warmUps: 1, rounds: 2 };

const SEED = 20_261_120;
const HOPS = 3;
/** Generated markets list their hubs first. */
const HUB_COUNT = 5;
/** The input of a trade, as a part of the deepest pool's holding. */
const AMOUNT_DIVISORS = [10_000n, 1_000n, 100n];
const SWEEPS = 20;

type Sizes = typeof FULL;

/**
 * How latency grows with the market: between hubs, where most paths are, and between tokens drawn
 * at random. The same rounds also time one plain sweep over all edges.
 */
export const growth = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.sync(() => {
    const sizes = smoke ? SMOKE : FULL;
    return sizes.poolCounts.flatMap((poolCount) => measureMarket(poolCount, sizes));
  });

function measureMarket(poolCount: number, sizes: Sizes): ReadonlyArray<Figure> {
  const market = openMarket(1, curves);
  market.writer.applyBlock(generateMarketBlock({ seed: SEED, poolCount }));
  const layered = new LayeredSearch(market.graph);
  const quote = (request: QuoteRequest) => quoteForSink(market, request);
  const layeredQuote = ({ tokenIn, tokenOut, amount }: QuoteRequest) =>
    layered.quote(tokenIn, tokenOut, Number(amount), HOPS);
  const hubs = new Series(hubRequests(market), quote);
  const sweeps = new Series(
    Array.from({ length: SWEEPS }, (_, index) => 1e15 * (1 + index)),
    sweepOf(market.graph),
  );
  const random = new Series(randomRequests(market, sizes.pairs), quote);
  const plain = new Series(hubRequests(market), layeredQuote);
  runRounds([hubs, sweeps, random, plain], sizes);
  const ratio = median(hubs.rounds.p50s.map((p50, round) => p50 / sweeps.rounds.p50s[round]!));
  const name = `growth.${poolCount / 1_000}k`;
  return [
    { name: `${name}.hub-to-hub`, value: hubs.rounds.p50, unit: "us" },
    { name: `${name}.hub-to-hub.p99`, value: hubs.rounds.p99, unit: "us" },
    { name: `${name}.random`, value: random.rounds.p50, unit: "us" },
    { name: `${name}.random.p99`, value: random.rounds.p99, unit: "us" },
    { name: `${name}.layered`, value: plain.rounds.p50, unit: "us" },
    { name: `${name}.sweep`, value: sweeps.rounds.p50, unit: "us" },
    { name: `${name}.ratio`, value: ratio, unit: "of a sweep" },
  ];
}

/** One constant-product output in floats for each directed edge: the yardstick. */
function sweepOf(graph: PoolGraph): (amountIn: number) => number {
  const edgeCount = graph.slotCount;
  const reserves = new Float64Array(2 * edgeCount); // stride 2: in, with the fee in it, and out
  for (let edge = 0; edge < edgeCount; edge++) {
    reserves[2 * edge] = graph.slotOut[edge * PIECE_STRIDE]!;
    reserves[2 * edge + 1] = graph.slotOut[edge * PIECE_STRIDE + 1]!;
  }
  return (amountIn) => {
    let sum = 0;
    for (let at = 0; at < reserves.length; at += 2) {
      sum += (reserves[at + 1]! * amountIn) / (reserves[at]! + amountIn);
    }
    return sum;
  };
}

/** Between all hubs, in three sizes. */
export function hubRequests(market: OpenMarket): ReadonlyArray<QuoteRequest> {
  const hubs = Array.from({ length: HUB_COUNT }, (_, index) => index as TokenIndex);
  return hubs.flatMap((tokenIn) =>
    hubs
      .filter((tokenOut) => tokenOut !== tokenIn)
      .flatMap((tokenOut) =>
        AMOUNT_DIVISORS.map((divisor) => request(market, tokenIn, tokenOut, divisor)),
      ),
  );
}

/** Between tokens drawn at random. */
export function randomRequests(market: OpenMarket, count: number): ReadonlyArray<QuoteRequest> {
  const random = new SeededRandom(SEED);
  const { tokenCount } = market.graph;
  return Array.from({ length: count }, (_, index) => {
    const tokenIn = random.below(tokenCount);
    const others = random.below(tokenCount - 1);
    const tokenOut = others < tokenIn ? others : others + 1;
    const divisor = AMOUNT_DIVISORS[index % AMOUNT_DIVISORS.length]!;
    return request(market, tokenIn as TokenIndex, tokenOut as TokenIndex, divisor);
  });
}

function request(
  market: OpenMarket,
  tokenIn: TokenIndex,
  tokenOut: TokenIndex,
  divisor: bigint,
): QuoteRequest {
  const amount = deepestHolding(market, tokenIn) / divisor;
  return { tokenIn, tokenOut, kind: "exactIn", amount: amount > 0n ? amount : 1n, maxHops: HOPS };
}
