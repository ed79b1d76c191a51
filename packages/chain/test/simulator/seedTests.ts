import { law } from "@millrace/testing";
import { expect, it } from "vitest";
import { FAULT_KINDS, type FaultKind } from "./Faults.ts";
import { type Run, runSeed } from "./runSeed.ts";
import type { HeadMove } from "./SimulatedChain.ts";
import { runSeeds } from "./seeds.ts";

/** Seeds that a file runs on a push. */
const SEEDS_OF_PUSH = 60;
/** With this set, only that seed runs; with SIMULATOR_TRACE=1 it prints what happened. */
const ONLY = process.env["SIMULATOR_SEED"];
/** With fewer seeds the counts mean nothing. */
const SEEDS_COUNTED = 60;
/** The rarest fault strikes once in some hundred seeds. */
const SEEDS_OF_ALL_FAULTS = 1_500;
const FAILURES_MAX = 10;

const HEAD_MOVES: ReadonlyArray<HeadMove> = [
  "mined",
  "reorganised",
  "deeplyReorganised",
  "sibling",
  "lower",
  "returned",
];

/** Runs the seeds of one file, and checks that they covered enough. */
export function testSeeds(fileName: string): void {
  if (ONLY !== undefined) {
    it(`seed ${ONLY} ends with the graph at the head`, () => {
      console.log(runSeed(Number(ONLY)));
    });
    return;
  }
  let runs: ReadonlyArray<Run> = [];

  it("ends with the graph at the head, every block equal to one built from scratch", async () => {
    const seeds = law(`a chain source among faults (${fileName})`, SEEDS_OF_PUSH);
    const counted = { first: seeds.seed, count: seeds.cases, failuresMax: FAILURES_MAX };
    const { runs: ended, failures } = await runSeeds(counted);
    runs = ended;
    expect(failures.join("\n")).toBe("");
  }, 7_200_000);

  it("meets every fault, and a head that moves in every way", ({ skip }) => {
    skip(runs.length < SEEDS_OF_ALL_FAULTS);
    const struck = (kind: FaultKind) => sum(runs, (run) => run.struck.get(kind) ?? 0);
    const moved = (move: HeadMove) => sum(runs, (run) => run.moves.get(move) ?? 0);
    expect(FAULT_KINDS.filter((kind) => struck(kind) === 0)).toEqual([]);
    expect(HEAD_MOVES.filter((move) => moved(move) === 0)).toEqual([]);
  });

  it("follows and reverts blocks, starts anew, and goes on from an earlier life, all often", ({
    skip,
  }) => {
    skip(runs.length < SEEDS_COUNTED);
    const count = runs.length;
    expect(sum(runs, ({ followed }) => followed)).toBeGreaterThan(5 * count);
    expect(sum(runs, ({ orphaned }) => orphaned)).toBeGreaterThan(count / 2);
    expect(sum(runs, ({ jumps }) => jumps)).toBeGreaterThan(count);
    expect(sum(runs, ({ past }) => past)).toBeGreaterThan(5 * count);
    expect(sum(runs, ({ kept }) => kept)).toBeGreaterThan(2 * count);
    expect(sum(runs, ({ quotes }) => quotes)).toBeGreaterThan(count);
    expect(sum(runs, ({ liars }) => liars)).toBeGreaterThan(0);
  });
}

function sum(runs: ReadonlyArray<Run>, count: (run: Run) => number): number {
  return runs.reduce((total, run) => total + count(run), 0);
}
