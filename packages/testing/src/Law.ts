import { TestRunner } from "vitest";
import { RandomSource } from "./RandomSource.ts";
import { TEST_EFFORT, TEST_SEED } from "./testEnvironment.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The laws that the test ran, and of how many cases each. */
    laws?: Array<{ readonly name: string; readonly cases: number }>;
  }
}

/**
 * A property that has to hold of every case, and the cases that this run draws. They depend on
 * nothing but `MILLRACE_TEST_SEED` and the law's name: with more effort there are more of them, and
 * the first ones stay the same.
 */
export class Law {
  readonly name: string;
  readonly cases: number;
  /** 32 bits. */
  readonly seed: number;

  constructor(name: string, cases: number) {
    this.name = name;
    this.cases = cases;
    this.seed = hash(TEST_SEED, name);
  }

  /** What fast-check's `assert` and `sample` take. */
  get options(): { readonly seed: number; readonly numRuns: number } {
    return { seed: this.seed | 0, numRuns: this.cases };
  }

  /** The seed of case `index` alone. */
  caseSeed(index: number): number {
    return hash(this.seed, String(index));
  }

  /** One source for all cases, drawn one after the other. */
  random(): RandomSource {
    return new RandomSource(this.seed);
  }

  /** A source for each case. */
  *[Symbol.iterator](): Generator<RandomSource> {
    for (let index = 0; index < this.cases; index++) yield new RandomSource(this.caseSeed(index));
  }
}

/**
 * The law `name` with `casesOfPush` cases, times the effort of this run. It is called in the test
 * that runs the cases, so that the report counts what has run.
 */
export function law(name: string, casesOfPush: number): Law {
  const made = new Law(name, Math.max(1, Math.round(casesOfPush * TEST_EFFORT)));
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error(`the law '${name}' is not run by a test`);
  test.meta.laws ??= [];
  test.meta.laws.push({ name, cases: made.cases });
  return made;
}

/** FNV-1a over the text, begun at `start`, its bits spread. */
function hash(start: number, text: string): number {
  let state = (start ^ 0x811c9dc5) >>> 0;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
