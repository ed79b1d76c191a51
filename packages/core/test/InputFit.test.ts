import { law } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { InputFit } from "../src/search/split/InputFit.ts";

/** The part of an input that a pool takes, by what it says itself; 1 or more where it fits. */
type Part = (tried: number) => number;

const ATTEMPTS_MAX = 200;

/** What is settled on after an input that does not fit. */
function settled(from: number, part: Part): number {
  const fit = new InputFit();
  fit.begin();
  let tried = from;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const taken = tried === 0 ? 1 : part(tried);
    const next = taken >= 1 ? fit.afterFit(tried) : fit.afterOverfill(tried, 0, taken);
    if (next === undefined) return tried;
    tried = next;
  }
  throw new Error(`not settled after ${ATTEMPTS_MAX} attempts`);
}

describe("the most input of a path that overfills no pool", () => {
  it("is cut once where the pool is the first of the path", () => {
    const cut = settled(50_000, (tried) => 1000 / tried);
    expect(cut).toBeLessThanOrEqual(1000);
    expect(cut).toBeGreaterThan(1000 * (1 - 1e-8));
  });

  it("is found to a hundredth behind a pool that is nearly drained", () => {
    // The drained pool gives 1,010 at most, and the next one takes 1,000.
    const given = (tried: number): number => (1010 * tried) / (1 + tried);
    const cut = settled(50_000, (tried) => 1000 / given(tried));
    expect(cut).toBeLessThanOrEqual(100);
    expect(cut).toBeGreaterThan(99);
  });

  it("is settled though what fitted does not fit again, as at the edge of a piece", () => {
    for (const [, random] of law("inputs that fit by chance", 10_000).sources()) {
      let left = random.between(0, 3);
      const fitsNow = (): boolean => left > 0 && random.chance(0.5) && left-- > 0;
      const cut = settled(50_000, () => (fitsNow() ? 1 : random.next()));
      expect(cut).toBeLessThanOrEqual(50_000);
    }
  });
});
