import { defineConfig } from "vitest/config";
import { LawReporter } from "./packages/testing/src/LawReporter.ts";
import { LongFilesFirst } from "./packages/testing/src/LongFilesFirst.ts";
import { TEST_EFFORT } from "./packages/testing/src/testEnvironment.ts";

const ALL = ["packages", "apps"]
  .map((folder) => `${folder}/*/test/**/*.test.ts`)
  .concat("benchmarks/test/**/*.test.ts", "test/**/*.test.ts");
/** What they measure is of the whole process: each has one for itself. */
const ALONE = [
  "apps/server/test/operations/openData.test.ts",
  "packages/market/test/candlesMemory.test.ts",
];
/** Suites that trade on a real EVM for long. */
const LIVE = [
  "test/following/live{Faults,Quotes,State}.test.ts",
  "test/execution/liveSwaps.test.ts",
];
/** Many seeds of the simulated chain; a long run has its own way to run more. */
const SIMULATOR = ["packages/{chain,feed}/test/simulator/*Seeds.test.ts"];

export default defineConfig({
  test: {
    // More effort is more cases in one test.
    testTimeout: 120_000 * Math.max(1, TEST_EFFORT),
    hookTimeout: 120_000,
    // Two cores, and what waits for a node or a process leaves its own to another.
    maxWorkers: 3,
    pool: "forks",
    execArgv: [
      // Laws make much that is soon garbage: young generations of 16 MB are collected too often.
      "--max-semi-space-size=64",
      ...["--import", new URL("withoutTypes.mjs", import.meta.url).href],
    ],
    // A worker runs many files, and loads what they share once: over a thousand modules.
    isolate: false,
    // Node runs TypeScript itself, as it does in production: nothing is transformed before.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: ["./packages/testing/src/Law.ts"],
    reporters: ["default", new LawReporter()],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      { extends: true, test: { name: "alone", include: ALONE, isolate: true } },
      { extends: true, test: { name: "live", include: LIVE } },
      { extends: true, test: { name: "simulator", include: SIMULATOR } },
      {
        extends: true,
        test: {
          name: "together",
          include: ALL,
          exclude: [...ALONE, ...LIVE, ...SIMULATOR, "**/node_modules/**"],
        },
      },
    ],
  },
});
