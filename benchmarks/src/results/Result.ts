import type { Figure } from "../Figure.ts";
import type { Machine } from "./Machine.ts";

/** The figures of one commit on one machine: a file of `benchmarks/results`. */
export interface Result {
  /** The last commit that changed more than results and documents. */
  readonly commit: string;
  readonly machine: Machine;
  /** The version of Node, as `v22.1.0`. */
  readonly node: string;
  /** By the benchmark's name. */
  readonly runs: Readonly<Record<string, Run>>;
}

/** One benchmark, in full size. */
export interface Run {
  /** When it ended: ISO 8601, UTC. */
  readonly date: string;
  /** How long it took; the oldest results lack it. */
  readonly seconds?: number;
  readonly figures: ReadonlyArray<Figure>;
}

/** When the last of its benchmarks ended. */
export function dateOf({ runs }: Result): string {
  const dates = Object.values(runs).map(({ date }) => date);
  return dates.toSorted().at(-1) ?? "";
}

/** The given benchmarks that a result lacks. */
export function missingRuns(
  { runs }: Pick<Result, "runs">,
  names: Iterable<string>,
): ReadonlyArray<string> {
  return [...names].filter((name) => runs[name] === undefined);
}

/** The newest result that has all of the given benchmarks; without one, the newest. */
export function quotedResult(
  results: ReadonlyArray<Result>,
  names: ReadonlyArray<string>,
): Result | undefined {
  const complete = results.filter((result) => missingRuns(result, names).length === 0);
  const candidates = complete.length > 0 ? complete : results;
  return candidates.toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1)).at(-1);
}

/** The text of a file: one figure a line. */
export function formatResult(result: Result): string {
  const text = JSON.stringify(result, undefined, 2);
  return `${text.replace(/\{\s+("name": .*)\s+("value": .*)\s+("unit": .*)\s+\}/g, "{ $1 $2 $3 }")}\n`;
}
