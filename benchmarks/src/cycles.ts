import { Cycles, type MarketBlock, openMarket } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generatedMarket } from "@millrace/replay";
import { Effect, Stream } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { timeCalls } from "./clock.ts";
import type { Figure } from "./Figure.ts";
import { recordedBlocks } from "./market.ts";
import { runRounds } from "./Series.ts";
import { Rounds } from "./statistics.ts";

const FULL = { poolCounts: [4_000, 64_000], blocksPerRound: 10, warmUps: 2, rounds: 11 };
const SMOKE = { poolCounts: [1_000], blocksPerRound: 2, warmUps: 0, rounds: 1 };

const SEED = 20_261_120;
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/**
 * The cost of finding, after each block, the cycles of the token with the most pools, both followed
 * from the block before and sought anew. It is measured over the recorded blocks, again and again,
 * which have arbitrage, and over blocks of a generated market, which has next to none.
 */
export const cycles = Effect.fnUntraced(function* (
  smoke: boolean,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const sizes = smoke ? SMOKE : FULL;
  const [first, ...updates] = yield* recordedBlocks;
  const figures = measureMarket("universe-a", first!, () => updates, WETH, sizes);
  for (const poolCount of sizes.poolCounts) {
    const blockCount = 1 + sizes.blocksPerRound * (sizes.warmUps + sizes.rounds);
    const [market, ...traffic] = yield* generatedBlocks(poolCount, blockCount);
    const nextBlocks = () => traffic.splice(0, sizes.blocksPerRound);
    // Generated markets list the token with the most pools first.
    const hub = market!.tokens[0]!.address;
    figures.push(...measureMarket(`${poolCount / 1_000}k`, market!, nextBlocks, hub, sizes));
  }
  return figures;
});

function generatedBlocks(poolCount: number, count: number) {
  return generatedMarket({ seed: SEED, poolCount, blockEveryMs: 1 }).blocks.pipe(
    Stream.take(count),
    Stream.runCollect,
    Effect.orDie,
  );
}

function measureMarket(
  name: string,
  first: MarketBlock,
  nextBlocks: () => ReadonlyArray<MarketBlock>,
  hub: string,
  sizes: { readonly warmUps: number; readonly rounds: number },
): Figure[] {
  const market = openMarket(1, curves);
  market.writer.applyBlock(first);
  const token = market.graph.findToken(hub)!;
  const kept = new Cycles(market);
  const trials = [3, 4].flatMap((maxHops) => [
    new Trial(`${maxHops}-hops.followed`, () => kept.find(token, maxHops).length),
    new Trial(`${maxHops}-hops.anew`, () => new Cycles(market).find(token, maxHops).length),
  ]);
  const run = () => {
    for (const block of nextBlocks()) {
      market.writer.applyBlock(block);
      kept.applied();
      for (const trial of trials) trial.time();
    }
  };
  const measure = () => {
    for (const trial of trials) trial.begin();
    run();
    for (const trial of trials) trial.end();
  };
  runRounds([{ warmUp: run, measure }], sizes);
  return [
    { name: `cycles.${name}.found`, value: trials[2]!.found, unit: "cycles" },
    ...trials.flatMap(({ name: what, rounds }) => [
      { name: `cycles.${name}.${what}.p50`, value: rounds.p50 / 1_000, unit: "ms" },
      { name: `cycles.${name}.${what}.p99`, value: rounds.p99 / 1_000, unit: "ms" },
    ]),
  ];
}

/** One way of finding, timed once after each block. */
class Trial {
  readonly name: string;
  readonly rounds: Rounds = new Rounds();
  found = 0;
  readonly #find: () => number;
  readonly #sample = new Float64Array(1);
  #samples: number[] = [];

  constructor(name: string, find: () => number) {
    this.name = name;
    this.#find = find;
  }

  begin(): void {
    this.#samples = [];
  }

  time(): void {
    timeCalls([0], this.#sample, () => (this.found = this.#find()));
    this.#samples.push(this.#sample[0]!);
  }

  end(): void {
    this.rounds.add(Float64Array.from(this.#samples));
  }
}
