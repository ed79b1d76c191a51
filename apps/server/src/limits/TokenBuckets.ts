/** What came of asking a bucket for tokens. */
export interface Taken {
  readonly isGranted: boolean;
  /** Whole tokens that are left. */
  readonly left: number;
  /** Until the bucket is full again; when not granted, until it holds what was asked. */
  readonly waitMs: number;
}

/**
 * Token buckets of one size, one for each name: each holds `burst` tokens at first, and gains
 * `perSecond` tokens a second until it is full. What costs more than a bucket holds takes a full
 * one, and the bucket owes the rest. But for what is owed, no more than perSecond × time + burst
 * are taken from one within any time.
 *
 * A bucket is one number, the time at which it will be full; one that is full needs none, so that
 * nothing has to run to fill them. Names that were not asked for while a whole bucket fills are
 * forgotten, which changes nothing. More than `namesMax` are forgotten before, the longest idle
 * first: their buckets are full again too early, which is what bounded memory costs.
 */
export class TokenBuckets {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #namesMax: number;
  /** When each will be full. What was touched since the last turnover is in `#newer`. */
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #turnoverMs = Number.NEGATIVE_INFINITY;
  /** When all of `#newer`, and of `#older`, will be full: what is owed may take long. */
  #newerFullMs = 0;
  #olderFullMs = 0;

  constructor(perSecond: number, burst: number, namesMax = NAMES_MAX) {
    this.#msPerToken = 1_000 / perSecond;
    this.#burst = burst;
    this.#namesMax = namesMax;
  }

  /** Names that are remembered. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /**
   * Takes so many tokens, or none when the bucket holds fewer; a full one is enough for anything.
   * `held` is what was taken for the same before: both are granted, and waited for, as one. Time is
   * given in milliseconds, and never runs back.
   */
  take(name: string, tokens: number, nowMs: number, held = 0): Taken {
    const missing = this.#missing(name, nowMs);
    const needed = Math.min(tokens + held, this.#burst);
    const isGranted = missing - held + needed <= this.#burst + ROUNDING;
    // Who is refused is remembered as well: or else it would only have to ask on.
    if (isGranted) return this.#leave(name, missing + tokens, nowMs);
    this.#leave(name, missing, nowMs);
    const waitMs = (missing + needed - this.#burst) * this.#msPerToken;
    return { isGranted, left: this.#wholeLeft(missing), waitMs };
  }

  /** Takes so many tokens if half of what a bucket holds is left; a full one is always enough. */
  takeSpare(name: string, tokens: number, nowMs: number): boolean {
    const missing = this.#missing(name, nowMs);
    const spare = this.#burst / 2;
    const isGranted = missing + Math.min(tokens, spare) <= spare + ROUNDING;
    if (isGranted) this.#leave(name, missing + tokens, nowMs);
    return isGranted;
  }

  /**
   * Takes so many tokens whether the bucket holds them or not, for what was done already; gives
   * some back where there are fewer than none.
   */
  settle(name: string, tokens: number, nowMs: number): Taken {
    return this.#leave(name, Math.max(0, this.#missing(name, nowMs) + tokens), nowMs);
  }

  #missing(name: string, nowMs: number): number {
    this.#turnOver(nowMs);
    const fullMs = this.#newer.get(name) ?? this.#older.get(name) ?? nowMs;
    return Math.max(0, fullMs - nowMs) / this.#msPerToken;
  }

  #leave(name: string, missing: number, nowMs: number): Taken {
    const waitMs = missing * this.#msPerToken;
    this.#newer.set(name, nowMs + waitMs);
    this.#newerFullMs = Math.max(this.#newerFullMs, nowMs + waitMs);
    return { isGranted: true, left: this.#wholeLeft(missing), waitMs };
  }

  #wholeLeft(missing: number): number {
    return Math.max(0, Math.floor(this.#burst - missing + ROUNDING));
  }

  /** What is in `#older` is forgotten once all of it is full. */
  #turnOver(nowMs: number): void {
    const isDue = nowMs - this.#turnoverMs >= this.#burst * this.#msPerToken;
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
/** In tokens: what floating-point times may be off. */
const ROUNDING = 1e-6;
