import { law } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { FEED_FAULTS, type FeedRun, runFeedSeed } from "./runFeedSeed.ts";

/** A push has effort 0.2, and so runs a hundred. */
const SEEDS = 500;
/** With fewer seeds the counts mean nothing. */
const SEEDS_COUNTED = 50;
/** With this set, only that seed runs, and prints what happened. */
const ONLY = process.env["FEED_SEED"];

describe("servers of one feed among faults", () => {
  const runs: FeedRun[] = [];

  it("show only markets that are the chain's, and agree in the end", () => {
    const seeds = law("servers of one feed among faults", SEEDS);
    const first = ONLY === undefined ? seeds.seed : Number(ONLY);
    for (let index = 0; index < (ONLY === undefined ? seeds.cases : 1); index++) {
      runs.push(runFeedSeed((first + index) >>> 0));
    }
    if (ONLY !== undefined) console.log(runs[0]!.trace.join("\n"));
    const failed = runs.filter(({ problems }) => problems.length > 0);
    const words = failed.map(({ seed, problems }) => `FEED_SEED=${seed}: ${problems[0]}`);
    expect(words.slice(0, 10)).toEqual([]);
  }, 7_200_000);

  it("meet every fault, and each of them does something", ({ skip }) => {
    skip(runs.length < SEEDS_COUNTED);
    const sums = FEED_FAULTS.map((fault) => [fault, sum(runs, fault)] as const);
    expect(sums.filter(([, count]) => count === 0)).toEqual([]);
    const checked = runs.reduce((total, { checkedBlocks }) => total + checkedBlocks, 0);
    expect(checked).toBeGreaterThan(50 * runs.length);
  });

  it("do the same once more with the same seed", () => {
    const { seed, traceHash } = runs[0]!;
    expect(runFeedSeed(seed).traceHash).toBe(traceHash);
    if (runs.length > 1) expect(runs[1]!.traceHash).not.toBe(traceHash);
  });
});

const sum = (runs: ReadonlyArray<FeedRun>, fault: (typeof FEED_FAULTS)[number]): number =>
  runs.reduce((total, { struck }) => total + (struck.get(fault) ?? 0), 0);
