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
 * `perSecond` tokens a second until it is full. Within any time, no more than perSecond × time + burst
 * are ever taken from one.
 *
 * A bucket is one number, the time at which it will be full; one that is full needs none, so that
 * nothing has to run to fill them. Names that were not asked for while a whole bucket fills are
 * forgotten, which changes nothing. More than `namesMax` are forgotten before, the longest idle first:
 * their buckets are full again too early, which is what bounded memory costs.
 */
export class TokenBuckets {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #namesMax: number;
  /** When each will be full. What was touched since the last turnover is in `#newer`. */
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #turnoverMs = Number.NEGATIVE_INFINITY;

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
   * Takes so many tokens, or none when the bucket holds fewer; a bucket holds at most `burst`, which
   * is then enough for anything. `held` is how many more than `tokens` the wait is to be for. Time
   * is given in milliseconds, and never runs back.
   */
  take(name: string, tokens: number, nowMs: number, held = 0): Taken {
    this.#turnOver(nowMs);
    const fullMs = Math.max(nowMs, this.#newer.get(name) ?? this.#older.get(name) ?? nowMs);
    const missing = (fullMs - nowMs) / this.#msPerToken;
    const asked = Math.min(tokens, this.#burst);
    const isGranted = missing + asked <= this.#burst + ROUNDING;
    // Who is refused is remembered as well: or else it would only have to ask on.
    this.#newer.set(name, isGranted ? fullMs + asked * this.#msPerToken : fullMs);
    if (!isGranted) {
      const needed = Math.min(asked + held, this.#burst);
      const waitMs = (missing + needed - this.#burst) * this.#msPerToken;
      return { isGranted, left: this.#wholeLeft(missing), waitMs };
    }
    const waitMs = (missing + asked) * this.#msPerToken;
    return { isGranted, left: this.#wholeLeft(missing + asked), waitMs };
  }

  #wholeLeft(missing: number): number {
    return Math.max(0, Math.floor(this.#burst - missing + ROUNDING));
  }

  /** What stays in `#older` for as long as a bucket takes to fill is full. */
  #turnOver(nowMs: number): void {
    const isFilled = nowMs - this.#turnoverMs >= this.#burst * this.#msPerToken;
    if (!isFilled && this.#newer.size < this.#namesMax / 2) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#turnoverMs = nowMs;
  }
}

/** About ten megabytes. */
const NAMES_MAX = 100_000;
/** In tokens: what floating-point times may be off. */
const ROUNDING = 1e-6;
