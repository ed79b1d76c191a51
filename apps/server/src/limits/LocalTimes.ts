import type { BucketTimes } from "./BucketTimes.ts";

/**
 * The times of buckets that one thread alone takes from. Names that were not asked for while a
 * whole bucket fills are forgotten, which changes nothing. More than `namesMax` are forgotten
 * before, the longest idle first: their buckets are full again too early, which is what bounded
 * memory costs.
 */
export class LocalTimes implements BucketTimes {
  readonly #fillMs: number;
  readonly #namesMax: number;
  /** When each will be full. What was touched since the last turnover is in `#newer`. */
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #turnoverMs = Number.NEGATIVE_INFINITY;
  /** When all of `#newer`, and of `#older`, will be full: what is owed may take long. */
  #newerFullMs = 0;
  #olderFullMs = 0;

  /** An empty bucket is full after `fillMs`. */
  constructor(fillMs: number, namesMax = NAMES_MAX) {
    this.#fillMs = fillMs;
    this.#namesMax = namesMax;
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(name: string, nowMs: number): number | undefined {
    this.#turnOver(nowMs);
    return this.#newer.get(name) ?? this.#older.get(name);
  }

  replace(name: string, _before: number | undefined, fullMs: number): boolean {
    this.#newer.set(name, fullMs);
    this.#newerFullMs = Math.max(this.#newerFullMs, fullMs);
    return true;
  }

  /** What is in `#older` is forgotten once all of it is full. */
  #turnOver(nowMs: number): void {
    const isDue = nowMs - this.#turnoverMs >= this.#fillMs;
    const isFilled = isDue && nowMs >= this.#olderFullMs;
    if (!isFilled && this.#newer.size < this.#namesMax / 2) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#olderFullMs = this.#newerFullMs;
    this.#newerFullMs = 0;
    this.#turnoverMs = nowMs;
  }
}

/** About ten megabytes. */
const NAMES_MAX = 100_000;
