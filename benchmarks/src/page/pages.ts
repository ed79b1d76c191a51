import { readFile, writeFile } from "node:fs/promises";
import type { Effect } from "effect";
import { attempt, BenchmarkError } from "../BenchmarkError.ts";
import { BENCHMARKS } from "../benchmarks.ts";
import { quotedResult, type Result } from "../results/Result.ts";
import { pruneResults, readResults } from "../results/results.ts";
import { drawGoodput } from "./drawGoodput.ts";
import { drawPeers } from "./drawPeers.ts";
import { drawTrend, TREND } from "./drawTrend.ts";
import { fillBlocks } from "./fillBlocks.ts";
import { Quote } from "./Quote.ts";
import { TABLES } from "./tables.ts";

const ROOT = new URL("../../../", import.meta.url);
/** Documents that quote figures. */
export const DOCUMENTS: ReadonlyArray<string> = ["README.md", "docs/performance.md"];

/** The text of each file that shows figures, by path, for a set of results. */
export async function drawPages(
  results: ReadonlyArray<Result>,
): Promise<ReadonlyMap<string, string>> {
  const benchmarks = [...BENCHMARKS.keys()];
  const result = quotedResult(results, benchmarks);
  if (result === undefined) throw new BenchmarkError({ message: "no results are kept" });
  const quote = new Quote(result, benchmarks);
  const pages = new Map<string, string>();
  for (const path of DOCUMENTS) {
    const document = await readFile(new URL(path, ROOT), "utf8");
    pages.set(
      path,
      fillBlocks(document, (name) => TABLES[name]?.(quote)),
    );
  }
  // Later results, of other commits, are no part of the page.
  const shown = results.slice(0, 1 + results.indexOf(result));
  pages.set("benchmarks/results/route-search.svg", drawTrend(shown));
  pages.set("benchmarks/results/peers.svg", drawPeers(quote));
  pages.set("benchmarks/results/goodput.svg", drawGoodput(quote));
  return pages;
}

/** Writes the files from the kept results, and prunes older results to what the trend shows. */
export const writePages: Effect.Effect<void, BenchmarkError> = attempt(async () => {
  const results = await readResults();
  for (const [path, text] of await drawPages(results)) await writeFile(new URL(path, ROOT), text);
  const quoted = quotedResult(results, [...BENCHMARKS.keys()])!;
  await pruneResults(quoted, TREND.benchmark, TREND.figures);
});
