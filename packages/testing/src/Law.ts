import { chai, TestRunner } from "vitest";
import { RandomSource } from "./RandomSource.ts";
import { TEST_EFFORT, TEST_SEED } from "./testEnvironment.ts";

// An assertion behind a proxy, which tells of misspelt properties, takes twice as long, and there
// are hundreds of thousands; the compiler tells of them as well. Loaded before each test file.
chai.config.useProxy = false;

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
    this.cases = budget(cases);
    this.seed = hash(TEST_SEED, name);
  }

  /** What fast-check's `assert` and `sample` take. */
  get options(): { readonly seed: number; readonly numRuns: number } {
    return { seed: this.seed | 0, numRuns: this.cases };
  }

  /** One source for all cases, drawn one after the other. */
  random(): RandomSource {
    return new RandomSource(this.seed);
  }

  /** The number of each case, and a source for it alone. */
  *sources(): Generator<readonly [number, RandomSource]> {
    for (let index = 0; index < this.cases; index++)
      yield [index, new RandomSource(hash(this.seed, String(index)))];
  }
}

/**
 * The law `name` with so many cases, times the effort of this run. It is called in the test that
 * runs the cases, so that the report counts what has run.
 */
export function law(name: string, cases: number): Law {
  const made = new Law(name, cases);
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error(`the law '${name}' is not run by a test`);
  test.meta.laws ??= [];
  test.meta.laws.push({ name, cases: made.cases });
  return made;
}

/** How many of something this run tries, where one with effort 1 tries `count`. */
export function budget(count: number): number {
  return Math.max(1, Math.round(count * TEST_EFFORT));
}

/**
 * What a count of random events comes to at least whose mean is `mean` or more, but for one run in
 * thirty thousand. Whether a law has met what it is about is asked with it, so that no seed fails.
 */
export function surely(mean: number): number {
  return Math.max(0, Math.floor(mean - 4 * Math.sqrt(mean)));
}

/** The same at most, of a mean of `mean` or less. */
export function surelyBelow(mean: number): number {
  return Math.ceil(mean + 4 * Math.sqrt(mean)) + 1;
}

/** FNV-1a over the text, begun at `start`, its bits spread. */
function hash(start: number, text: string): number {
  let state = (start ^ 0x811c9dc5) >>> 0;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
