import { mkdir, writeFile } from "node:fs/promises";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../benchmarks.ts";
import { formatMachine, thisMachine } from "../machine.ts";
import { CONTESTS } from "./contests.ts";
import { drawPeers } from "./drawPeers.ts";
import { type Match, playMatch } from "./match.ts";
import { TRADE_SIZES } from "./peerMarket.ts";
import { peersTable } from "./peersTable.ts";
import { scoreOf } from "./score.ts";

const FULL = {
  poolCounts: [400, 4_000],
  seeds: [20_261_121, 20_261_122, 20_261_123],
  pairCount: 12,
  rounds: 15,
  budgetMs: 9_000,
};
const SMOKE = { poolCounts: [60], seeds: [20_261_121], pairCount: 4, rounds: 2, budgetMs: 1_000 };

const RESULTS = new URL("../../results/", import.meta.url);

/**
 * Other libraries' best trades and ours, on the same pools in the same process: how long they take,
 * and what they truly give. A full run writes a table and a picture of it.
 */
export const peers = Effect.fnUntraced(function* (
  smoke: boolean,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const sizes = smoke ? SMOKE : FULL;
  const matches: Match[] = [];
  for (const poolCount of sizes.poolCounts) {
    for (const contest of CONTESTS.filter(({ poolCountMax }) => poolCount <= poolCountMax)) {
      matches.push(yield* attempt(() => playMatch(contest, poolCount, sizes)));
    }
  }
  if (!smoke) yield* attempt(() => keep(matches));
  return matches.flatMap(figuresOf);
});

async function keep(matches: ReadonlyArray<Match>): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${formatMachine(thisMachine(), process.version)}, ${day}`;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL("peers.md", RESULTS), peersTable(matches, machine));
  await writeFile(new URL("peers.svg", RESULTS), drawPeers(matches));
}

function figuresOf({ contest, poolCount, games }: Match): ReadonlyArray<Figure> {
  const prefix = `peers.${contest.name}.${poolCount}`;
  const score = scoreOf(games);
  return [
    { name: `${prefix}.latency`, value: score.peerMs, unit: "ms" },
    { name: `${prefix}.ours`, value: score.oursUs, unit: "us" },
    { name: `${prefix}.speedup`, value: score.speedup, unit: "times" },
    { name: `${prefix}.output-worse-count`, value: score.worse, unit: "queries" },
    { name: `${prefix}.output-better-count`, value: score.better, unit: "queries" },
    { name: `${prefix}.gain-bps`, value: score.gainMedian, unit: "bp" },
    { name: `${prefix}.gain-bps-mean`, value: score.gainMean, unit: "bp" },
    { name: `${prefix}.answered`, value: score.bothAnswered / score.games, unit: "of queries" },
    {
      name: `${prefix}.ours-answered`,
      value: score.oursAnswered / score.games,
      unit: "of queries",
    },
    { name: `${prefix}.queries`, value: score.games, unit: "queries" },
    { name: `${prefix}.misclaimed-count`, value: score.peerMisclaimed, unit: "queries" },
    { name: `${prefix}.ours-misclaimed-count`, value: score.oursMisclaimed, unit: "queries" },
    ...TRADE_SIZES.flatMap(({ name }) => {
      const ofSize = scoreOf(games.filter(({ size }) => size === name));
      return [
        { name: `${prefix}.${name}.latency`, value: ofSize.peerMs, unit: "ms" },
        { name: `${prefix}.${name}.ours`, value: ofSize.oursUs, unit: "us" },
        { name: `${prefix}.${name}.gain-bps-mean`, value: ofSize.gainMean, unit: "bp" },
      ];
    }),
  ];
}

function attempt<A>(work: () => Promise<A>): Effect.Effect<A, BenchmarkError> {
  return Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new BenchmarkError({ message: cause instanceof Error ? cause.message : String(cause) }),
  });
}
