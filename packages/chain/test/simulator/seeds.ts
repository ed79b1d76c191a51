import { expect, it } from "vitest";
import { FAULT_KINDS, type FaultKind } from "./Faults.ts";
import { type Run, runSeed } from "./runSeed.ts";
import type { HeadMove } from "./SimulatedChain.ts";

/** Seeds that a file runs; fewer while one works on something. */
const COUNT = Number(process.env["SIMULATOR_SEEDS"] ?? 1_000);
/** With this set, only that seed runs; with SIMULATOR_TRACE=1 it prints what happened. */
const ONLY = process.env["SIMULATOR_SEED"];
/** Too few seeds show too little for their counts to mean anything. */
const COUNT_TELLING = 500;
/** After so many seeds have failed the rest is not run. */
const FAILURES_MAX = 10;

const HEAD_MOVES: ReadonlyArray<HeadMove> = [
  "mined",
  "reorganised",
  "deeplyReorganised",
  "sibling",
  "lower",
  "returned",
];

/** Runs seeds from `first` on, and sees to it that they were worth running. */
export function runSeeds(first: number): void {
  if (ONLY !== undefined) {
    it(`seed ${ONLY} ends with the graph at the head`, () => {
      console.log(runSeed(Number(ONLY)));
    });
    return;
  }
  const runs: Run[] = [];

  it(`seeds ${first} to ${first + COUNT - 1} end with the graph at the head, every block equal to one built from scratch`, () => {
    const failures: string[] = [];
    for (let seed = first; seed < first + COUNT && failures.length < FAILURES_MAX; seed++) {
      try {
        runs.push(runNamed(seed));
      } catch (failure) {
        failures.push((failure as Error).message);
      }
    }
    expect(failures.join("\n")).toBe("");
  }, 600_000);

  it.skipIf(COUNT < COUNT_TELLING)(
    "every fault has struck, and the head has moved in every way",
    () => {
      const struck = (kind: FaultKind) => sum(runs, (run) => run.struck.get(kind) ?? 0);
      const moved = (move: HeadMove) => sum(runs, (run) => run.moves.get(move) ?? 0);
      expect(FAULT_KINDS.filter((kind) => struck(kind) === 0)).toEqual([]);
      expect(HEAD_MOVES.filter((move) => moved(move) === 0)).toEqual([]);
    },
  );

  it.skipIf(COUNT < COUNT_TELLING)(
    "blocks were followed, taken back, begun anew and gone on with in numbers",
    () => {
      expect(sum(runs, ({ followed }) => followed)).toBeGreaterThan(5 * COUNT);
      expect(sum(runs, ({ orphaned }) => orphaned)).toBeGreaterThan(COUNT / 2);
      expect(sum(runs, ({ jumps }) => jumps)).toBeGreaterThan(COUNT);
      expect(sum(runs, ({ past }) => past)).toBeGreaterThan(5 * COUNT);
      expect(sum(runs, ({ kept }) => kept)).toBeGreaterThan(2 * COUNT);
    },
  );
}

/** The run of a seed; one that fails says how to run it alone. */
export function runNamed(seed: number): Run {
  try {
    return runSeed(seed);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const again = `SIMULATOR_SEED=${seed} npx vitest run packages/chain/test/simulator/firstSeeds`;
    throw new Error(`seed ${seed}: ${reason}\nalone: ${again}`, { cause });
  }
}

function sum(runs: ReadonlyArray<Run>, count: (run: Run) => number): number {
  return runs.reduce((total, run) => total + count(run), 0);
}
