import { defineConfig } from "vitest/config";
import { LawReporter } from "./packages/testing/src/LawReporter.ts";

export default defineConfig({
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "benchmarks/test/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: one file at a time on each.
    maxWorkers: 2,
    pool: "forks",
    reporters: ["default", new LawReporter()],
  },
});
