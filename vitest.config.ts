import { defineConfig } from "vitest/config";
import { LawReporter } from "./packages/testing/src/LawReporter.ts";

const ALL = ["packages", "apps"]
  .map((folder) => `${folder}/*/test/**/*.test.ts`)
  .concat("benchmarks/test/**/*.test.ts", "test/**/*.test.ts");
/** Tests of functions and objects: one worker runs many files, and loads what they share once. */
const PURE = [
  "packages/{api,client,core,execution,market,protocols,testing}/test/**/*.test.ts",
  "packages/chain/test/{follow,history,reading,snapshot}/**/*.test.ts",
  "test/{protocols,routing,splits}/**/*.test.ts",
];
/** Suites that trade on a real EVM for minutes. */
const LIVE = [
  "test/following/live{Faults,Quotes,State}.test.ts",
  "test/execution/liveSwaps.test.ts",
];
/** Many seeds of the simulated chain; a long run has its own way to run more. */
const SIMULATOR = ["packages/chain/test/simulator/*Seeds.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: one file at a time on each.
    maxWorkers: 2,
    pool: "forks",
    reporters: ["default", new LawReporter()],
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      { extends: true, test: { name: "live", include: LIVE } },
      { extends: true, test: { name: "simulator", include: SIMULATOR } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALL,
          exclude: [...PURE, ...LIVE, ...SIMULATOR, "**/node_modules/**"],
        },
      },
    ],
  },
});
