import { Effect } from "effect";
import { attempt, type BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { POOL_COUNTS, pairings, TRADE_SIZES } from "./libraries.ts";
import { type Game, playMatch } from "./match.ts";
import { openLibrary } from "./openLibrary.ts";
import { scoreOf } from "./score.ts";

const FULL = {
  poolCounts: POOL_COUNTS,
  seeds: [20_261_121, 20_261_122, 20_261_123],
  pairCount: 12,
  rounds: 15,
  budgetMs: 9_000,
};
const SMOKE: typeof FULL = {
  poolCounts: [60],
  seeds: [20_261_121],
  pairCount: 4,
  rounds: 2,
  budgetMs: 1_000,
};

/**
 * Other libraries' best trades and ours, on the same pools in the same process: their times, and
 * their true outputs.
 */
export const peers = Effect.fnUntraced(function* (
  smoke: boolean,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const sizes = smoke ? SMOKE : FULL;
  const figures: Figure[] = [];
  for (const { library, poolCount } of pairings(sizes.poolCounts)) {
    const open = openLibrary[library.name];
    const games = yield* attempt(() => playMatch(library, open, poolCount, sizes));
    const prefix = `peers.${library.name}.${poolCount}`;
    figures.push(...figuresOf(prefix, games));
    for (const { name } of TRADE_SIZES) {
      const ofSize = games.filter(({ size }) => size === name);
      figures.push(...figuresOf(`${prefix}.${name}`, ofSize));
    }
  }
  return figures;
});

/** Leaves out figures that no query was answered for. */
function figuresOf(prefix: string, games: ReadonlyArray<Game>): ReadonlyArray<Figure> {
  const score = scoreOf(games);
  const figures = [
    { name: "latency", value: score.peerMs, unit: "ms" },
    { name: "ours", value: score.oursUs, unit: "us" },
    { name: "speedup", value: score.speedup, unit: "times" },
    { name: "output-worse-count", value: score.worse, unit: "queries" },
    { name: "output-equal-count", value: score.equal, unit: "queries" },
    { name: "output-better-count", value: score.better, unit: "queries" },
    { name: "gain-bps", value: score.gainMedian, unit: "bp" },
    { name: "gain-bps-mean", value: score.gainMean, unit: "bp" },
    { name: "answered", value: score.bothAnswered / score.games, unit: "of queries" },
    { name: "ours-answered", value: score.oursAnswered / score.games, unit: "of queries" },
    { name: "queries", value: score.games, unit: "queries" },
    { name: "misclaimed-count", value: score.peerMisclaimed, unit: "queries" },
    { name: "ours-misclaimed-count", value: score.oursMisclaimed, unit: "queries" },
  ];
  return figures
    .filter(({ value }) => Number.isFinite(value))
    .map((figure) => ({ ...figure, name: `${prefix}.${figure.name}` }));
}
