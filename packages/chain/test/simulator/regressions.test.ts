import { describe, expect, it } from "vitest";
import { REGRESSIONS } from "./regressions.ts";
import { runSeed } from "./runSeed.ts";
import { runNamed } from "./seeds.ts";

describe("seeds that once failed", () => {
  for (const { seed, sentence } of REGRESSIONS) {
    it(`${seed}: ${sentence}`, () => {
      runNamed(seed);
    });
  }
});

describe("a run", () => {
  it("is the same again with the same seed, request by request", () => {
    for (const seed of [3, 11, 27, 58]) {
      expect(runSeed(seed).trace, `seed ${seed}`).toBe(runSeed(seed).trace);
    }
  });

  it("is another with another seed", () => {
    expect(runSeed(3).trace).not.toBe(runSeed(4).trace);
  });
});
