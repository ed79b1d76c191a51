import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "./BenchmarkError.ts";
import type { Figure } from "./benchmarks.ts";
import { drawTrend } from "./drawTrend.ts";
import { git } from "./git.ts";
import type { Machine } from "./machine.ts";

/** A full run, as it is kept. */
export interface Result {
  /** When the run ended: ISO 8601, UTC. */
  readonly date: string;
  readonly commit: string;
  /** The working tree was not that of the commit. */
  readonly dirty: boolean;
  readonly machine: Machine;
  readonly node: string;
  readonly figures: ReadonlyArray<Figure>;
}

const RESULTS = new URL("../results/", import.meta.url);
const TREND = new URL("route-search.svg", RESULTS);

/** Writes a run as `<UTC timestamp>-<short commit>.json`, redraws the trend; gives the file's path. */
export const keepResult = Effect.fnUntraced(function* (
  run: Pick<Result, "machine" | "node" | "figures">,
): Effect.fn.Return<string, BenchmarkError> {
  const commit = (yield* git(["rev-parse", "HEAD"])).trim();
  // Results themselves do not change what was measured.
  const changes = yield* git(["status", "--porcelain", "--", ".", ":!benchmarks/results"]);
  const date = new Date().toISOString();
  const result: Result = { date, commit, dirty: changes.trim() !== "", ...run };
  const name = `${date.slice(0, 19).replace(/[-:]/g, "")}Z-${commit.slice(0, 7)}.json`;
  const file = new URL(name, RESULTS);
  yield* attempt(async () => {
    await mkdir(RESULTS, { recursive: true });
    await writeFile(file, `${JSON.stringify(result, undefined, 2)}\n`);
    await writeFile(TREND, drawTrend(await readResults()));
  });
  return fileURLToPath(file);
});

/** All results, oldest first. */
async function readResults(): Promise<ReadonlyArray<Result>> {
  const names = (await readdir(RESULTS)).filter((name) => name.endsWith(".json"));
  const results = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, RESULTS), "utf8");
      try {
        return JSON.parse(text) as Result;
      } catch (cause) {
        throw new Error(`benchmarks/results/${name} is not JSON`, { cause });
      }
    }),
  );
  return results.sort((a, b) => (a.date < b.date ? -1 : 1));
}

function attempt(work: () => Promise<void>): Effect.Effect<void, BenchmarkError> {
  return Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new BenchmarkError({ message: cause instanceof Error ? cause.message : String(cause) }),
  });
}
