import { type OpenMarket, openMarket, type PoolIndex, type TokenPosition } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock, sharedFamilies } from "@millrace/replay";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import type { Figure } from "./Figure.ts";
import { hubRequests, randomRequests } from "./growth.ts";
import { quoteForSink } from "./market.ts";
import { SeededRandom } from "./SeededRandom.ts";
import { runRounds, Series } from "./Series.ts";

const FULL = { poolCount: 4_000, pairs: 400, quotes: 1_000, warmUps: 5, rounds: 21 };
const SMOKE = { poolCount: 1_000, pairs: 20, quotes: 50, warmUps: 1, rounds: 2 };

const SEED = 20_261_123;
/** Share of pools of the other families; the rest are of Uniswap V2's and V3's. */
const SHARE_OF_FURTHER = 0.75;
/** The least and the greatest input of a swap of one pool, as a part of the pool's holding. */
const PART_LEAST = 1e-6;
const PART_MOST = 0.05;
const STEPS = 1_000;

/** A swap of one pool. */
interface PoolQuestion {
  readonly pool: PoolIndex;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
  readonly amountIn: bigint;
}

/** Whole quotes in a market of many families, and exact quotes of single pools of each curve. */
export const allFamilies = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.sync(() => {
    const sizes = smoke ? SMOKE : FULL;
    const { poolCount, pairs, quotes } = sizes;
    const share = SHARE_OF_FURTHER / sharedFamilies.length;
    const familyShares = Object.fromEntries(sharedFamilies.map((name) => [name, share]));
    const market = openMarket(1, curves);
    market.writer.applyBlock(generateMarketBlock({ seed: SEED, poolCount, familyShares }));
    const whole = (request: Parameters<typeof quoteForSink>[1]) => quoteForSink(market, request);
    const hubs = new Series(hubRequests(market), whole);
    const random = new Series(randomRequests(market, pairs), whole);
    const ofCurves = curves.flatMap(({ name }, curve) => {
      const questions = questionsOf(market, curve, quotes);
      if (questions.length === 0) return [];
      return [{ name, series: new Series(questions, poolQuote(market, curve)) }];
    });
    runRounds([hubs, random, ...ofCurves.map(({ series }) => series)], sizes);
    const figures = (name: string, { rounds }: Pick<Series<unknown>, "rounds">) => [
      { name: `all-families.${name}`, value: rounds.p50, unit: "us" },
      { name: `all-families.${name}.p99`, value: rounds.p99, unit: "us" },
    ];
    return [
      ...figures(`${poolCount / 1_000}k.hubs`, hubs),
      ...figures(`${poolCount / 1_000}k.random`, random),
      ...ofCurves.flatMap(({ name, series }) => figures(`pool.${name}`, series)),
    ];
  });

function poolQuote(market: OpenMarket, curve: number) {
  const family = market.families[curve]!;
  return ({ pool, positionIn, positionOut, amountIn }: PoolQuestion) =>
    Number(family.quoteExactIn(pool, positionIn, positionOut, amountIn));
}

/** Swaps in all directions of a curve's pools; sizes are drawn evenly by their logarithm. */
function questionsOf(
  { graph, families }: OpenMarket,
  curve: number,
  count: number,
): ReadonlyArray<PoolQuestion> {
  const pools: PoolIndex[] = [];
  for (let pool = 0; pool < graph.poolCount; pool++) {
    if (graph.poolCurve[pool] === curve) pools.push(pool as PoolIndex);
  }
  if (pools.length === 0) return [];
  const random = new SeededRandom(SEED);
  return Array.from({ length: count }, (_, at) => {
    const pool = pools[at % pools.length]!;
    const tokenCount = graph.poolTokenCount[pool]!;
    const positionIn = random.below(tokenCount);
    const positionOut = (positionIn + 1 + random.below(tokenCount - 1)) % tokenCount;
    const part = PART_LEAST * (PART_MOST / PART_LEAST) ** (random.below(STEPS) / STEPS);
    const held = Number(families[curve]!.tokenAmounts(pool)[positionIn]!);
    return { pool, positionIn, positionOut, amountIn: BigInt(Math.ceil(held * part)) || 1n };
  });
}
