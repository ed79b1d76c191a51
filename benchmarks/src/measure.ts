import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { BENCHMARKS } from "./benchmarks.ts";
import { runChild } from "./children.ts";
import type { MeasureCommand } from "./command.ts";
import { formatFigure, parseFigures } from "./Figure.ts";
import { writePages } from "./page/pages.ts";
import { formatMachine, thisMachine } from "./results/Machine.ts";
import { missingRuns, type Run } from "./results/Result.ts";
import { findResult, keepRun, measuredCommit, type Subject, subjectOf } from "./results/results.ts";

/**
 * Runs benchmarks one after the other, each in a fresh process, and prints the figures last.
 * Figures of full sizes and a clean commit are kept as each benchmark ends: in a run of all
 * benchmarks, with `--missing`, and in a run of some if a result of the same commit and machine
 * exists. The documents are written anew after the last one.
 */
export const measure = Effect.fnUntraced(function* (
  command: MeasureCommand,
): Effect.fn.Return<void, BenchmarkError> {
  process.stdout.write(`${formatMachine(thisMachine(), process.version)}\n`);
  const subject = command.smoke ? undefined : yield* subjectToKeep(command);
  const measureAndKeep = Effect.fnUntraced(function* (name: string) {
    process.stderr.write(`${name} ...\n`);
    const run = yield* measureOne(name, command);
    if (subject !== undefined) yield* keepRun(subject, name, run);
    return run.figures;
  });
  const names = yield* namesOf(command, subject);
  // The figures of a smoke run mean nothing, so its benchmarks may disturb each other.
  const concurrency = command.smoke ? 3 : 1;
  const figures = (yield* Effect.forEach(names, measureAndKeep, { concurrency })).flat();
  if (subject !== undefined) {
    const missing = missingRuns((yield* findResult(subject)) ?? { runs: {} }, BENCHMARKS.keys());
    if (missing.length === 0) yield* writePages;
    else process.stderr.write(`kept; the result still lacks ${missing.join(", ")}\n`);
  }
  process.stdout.write(figures.map((figure) => `${formatFigure(figure)}\n`).join(""));
});

/** The commit and machine to keep the figures under; undefined where they are only printed. */
const subjectToKeep = Effect.fnUntraced(function* ({ names, missing }: MeasureCommand) {
  const commit = yield* measuredCommit;
  const subject = commit === undefined ? undefined : subjectOf(commit);
  if (subject === undefined) {
    process.stderr.write("not kept: there are changes that are not committed\n");
    return undefined;
  }
  if (names.length === 0 || missing) return subject;
  return (yield* findResult(subject)) === undefined ? undefined : subject;
});

const namesOf = Effect.fnUntraced(function* (
  { names, missing }: MeasureCommand,
  subject: Subject | undefined,
) {
  const all = names.length === 0 ? [...BENCHMARKS.keys()] : names;
  const result = subject === undefined ? undefined : yield* findResult(subject);
  return missing && result !== undefined ? missingRuns(result, all) : all;
});

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
/** As in `run.mjs`: by itself, Node would strip the types of all files at every start. */
const WITHOUT_TYPES = new URL("../../withoutTypes.mjs", import.meta.url).href;

function measureOne(
  name: string,
  { smoke, minutes }: MeasureCommand,
): Effect.Effect<Run, BenchmarkError> {
  const { nodeOptions } = BENCHMARKS.get(name)!;
  const args = [
    "--disable-warning=ExperimentalWarning",
    "--import",
    WITHOUT_TYPES,
    ...nodeOptions,
    CHILD,
    name,
    ...(smoke ? ["--smoke"] : []),
    ...(minutes === undefined ? [] : [`--minutes=${minutes}`]),
  ];
  return Effect.suspend(() => {
    const start = performance.now();
    return Effect.map(runChild(process.execPath, args), (output) => ({
      date: new Date().toISOString(),
      seconds: Math.round((performance.now() - start) / 1_000),
      figures: parseFigures(output),
    }));
  });
}
