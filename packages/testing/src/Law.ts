import { chai, TestRunner } from "vitest";
import { RandomSource } from "./RandomSource.ts";
import { TEST_EFFORT, TEST_SEED } from "./testEnvironment.ts";

// Assertions through a proxy report misspelt properties but take twice as long. There are hundreds
// of thousands, and the compiler finds those errors too. Loaded before each test file.
chai.config.useProxy = false;

declare module "vitest" {
  interface TaskMeta {
    /** The laws that the test ran, with the number of cases each. */
    laws?: Array<{ readonly name: string; readonly cases: number }>;
  }
}

/**
 * A property that must hold for every case, and the cases of this run. They depend only on
 * `MILLRACE_TEST_SEED` and the law's name: more effort adds cases, and the first ones stay the
 * same.
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

  /** Options for fast-check's `assert` and `sample`. */
  get options(): { readonly seed: number; readonly numRuns: number } {
    return { seed: this.seed | 0, numRuns: this.cases };
  }

  /** One source for all cases, drawn in sequence. */
  random(): RandomSource {
    return new RandomSource(this.seed);
  }

  /** The number of each case, with a source of its own. */
  *sources(): Generator<readonly [number, RandomSource]> {
    for (let index = 0; index < this.cases; index++)
      yield [index, new RandomSource(hash(this.seed, String(index)))];
  }
}

/**
 * The law `name`, with this many cases times the effort of the run. Call it in the test that runs
 * the cases, so that the report counts what has run.
 */
export function law(name: string, cases: number): Law {
  const made = new Law(name, cases);
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error(`the law '${name}' is not run by a test`);
  test.meta.laws ??= [];
  test.meta.laws.push({ name, cases: made.cases });
  return made;
}

/** How many cases this run tries, where a run with effort 1 tries `count`. */
export function budget(count: number): number {
  return Math.max(1, Math.round(count * TEST_EFFORT));
}

/**
 * A lower bound on a count of random events whose mean is at least `mean`; one run in thirty
 * thousand falls below it. Tests use it to check that a law met its interesting cases, so that no
 * seed fails.
 */
export function surely(mean: number): number {
  return Math.max(0, Math.floor(mean - 4 * Math.sqrt(mean)));
}

/** The corresponding upper bound, for a mean of at most `mean`. */
export function surelyBelow(mean: number): number {
  return Math.ceil(mean + 4 * Math.sqrt(mean)) + 1;
}

/** FNV-1a over the text, started from `start`, with a final mix of the bits. */
function hash(start: number, text: string): number {
  let state = (start ^ 0x811c9dc5) >>> 0;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
