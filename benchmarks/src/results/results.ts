import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { attempt, type BenchmarkError } from "../BenchmarkError.ts";
import { git, ROOT } from "../git.ts";
import { type Machine, thisMachine } from "./Machine.ts";
import { dateOf, formatResult, type Result, type Run } from "./Result.ts";

/** The commit and the machine of a measurement. */
export interface Subject {
  readonly commit: string;
  readonly machine: Machine;
  readonly node: string;
}

const RESULTS = new URL("../../results/", import.meta.url);
/** Results and documents do not change what is measured. */
const MEASURED = [".", ":!benchmarks/results", ":!docs", ":!*.md"];

/** The commit that a run is kept under; undefined with uncommitted changes. */
export const measuredCommit: Effect.Effect<string | undefined, BenchmarkError> = Effect.gen(
  function* () {
    // A revision that `compare` checked out is no repository.
    if (!existsSync(join(ROOT, ".git"))) return undefined;
    const changes = yield* git(["status", "--porcelain", "--", ...MEASURED]);
    if (changes.trim() !== "") return undefined;
    return (yield* git(["log", "-1", "--format=%H", "--", ...MEASURED])).trim();
  },
);

/** A commit on this machine, with the Node that runs this. */
export function subjectOf(commit: string): Subject {
  return { commit, machine: thisMachine(), node: process.version };
}

/** The result of a subject; undefined while nothing of it is kept. */
export const findResult = (subject: Subject): Effect.Effect<Result | undefined, BenchmarkError> =>
  Effect.map(attempt(readFiles), (files) => fileOf(files, subject)?.result);

/** Adds a run to the result of a subject, in place of an earlier one of the same benchmark. */
export const keepRun = (
  subject: Subject,
  benchmark: string,
  run: Run,
): Effect.Effect<void, BenchmarkError> =>
  attempt(async () => {
    await mkdir(RESULTS, { recursive: true });
    const kept = fileOf(await readFiles(), subject);
    const stamp = run.date.slice(0, 19).replace(/[-:]/g, "");
    const name = kept?.name ?? `${stamp}Z-${subject.commit.slice(0, 7)}.json`;
    const runs = { ...kept?.result.runs, [benchmark]: run };
    await writeResult(name, { ...subject, runs });
  });

/** All results, oldest first. */
export async function readResults(): Promise<ReadonlyArray<Result>> {
  return (await readFiles()).map(({ result }) => result);
}

/** Prunes every result but `whole` to the given figures of one benchmark. */
export async function pruneResults(
  whole: Result,
  benchmark: string,
  figures: ReadonlyArray<string>,
): Promise<void> {
  for (const { name, result } of await readFiles()) {
    const run = result.runs[benchmark];
    if (isOf(result, whole) || dateOf(result) > dateOf(whole) || run === undefined) continue;
    const kept = run.figures.filter((figure) => figures.includes(figure.name));
    await writeResult(name, { ...result, runs: { [benchmark]: { ...run, figures: kept } } });
  }
}

interface ResultFile {
  readonly name: string;
  readonly result: Result;
}

/** Oldest first: their names begin with a time. */
async function readFiles(): Promise<ReadonlyArray<ResultFile>> {
  const names = (await readdir(RESULTS)).filter((name) => name.endsWith(".json")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, RESULTS), "utf8");
      try {
        return { name, result: JSON.parse(text) as Result };
      } catch (cause) {
        throw new Error(`benchmarks/results/${name} is not JSON`, { cause });
      }
    }),
  );
}

function writeResult(name: string, result: Result): Promise<void> {
  return writeFile(new URL(name, RESULTS), formatResult(result));
}

function fileOf(files: ReadonlyArray<ResultFile>, subject: Subject): ResultFile | undefined {
  return files.find(({ result }) => isOf(result, subject));
}

function isOf(a: Subject, b: Subject): boolean {
  const { cpu, cores, memoryBytes } = a.machine;
  return (
    a.commit === b.commit &&
    a.node === b.node &&
    cpu === b.machine.cpu &&
    cores === b.machine.cores &&
    memoryBytes === b.machine.memoryBytes
  );
}
