import type { BucketTimes } from "./BucketTimes.ts";

/**
 * The times of buckets that only one thread uses. A name that was not used while a whole bucket
 * fills is forgotten, which changes nothing. Beyond `namesMax`, the longest idle names are
 * forgotten earlier: their buckets are full too soon, which is the price of bounded memory.
 */
export class LocalTimes implements BucketTimes {
  readonly #fillMs: number;
  readonly #namesMax: number;
  /** When each bucket will be full. Names used since the last turnover are in `#newer`. */
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #turnoverMs = Number.NEGATIVE_INFINITY;
  /** When all of `#newer`, and of `#older`, will be full: a debt may take long. */
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

  /** Forgets `#older` once all of it is full, or once `#newer` takes half of the memory. */
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
