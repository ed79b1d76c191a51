import type { BucketTimes } from "./BucketTimes.ts";
import { LocalTimes } from "./LocalTimes.ts";

/** The result of taking tokens from a bucket. */
export interface Taken {
  readonly isGranted: boolean;
  /** Whole tokens that are left. */
  readonly left: number;
  /**
   * Milliseconds until the bucket is full again; when not granted, until it holds what was asked.
   */
  readonly waitMs: number;
}

/**
 * Token buckets of one size, one for each name: each holds `burst` tokens at first, and gains
 * `perSecond` tokens a second until it is full. A cost above `burst` takes a full bucket and leaves
 * a debt. Apart from debts, at most perSecond × time + burst tokens are taken from a bucket in any
 * span of time.
 *
 * A bucket is one number, the time at which it will be full. A full bucket needs no number, so
 * nothing has to run to fill buckets.
 */
export class TokenBuckets {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #times: BucketTimes;

  /** Without `times`, the buckets belong to this thread. */
  constructor(perSecond: number, burst: number, times?: BucketTimes) {
    this.#msPerToken = 1_000 / perSecond;
    this.#burst = burst;
    this.#times = times ?? new LocalTimes(burst * this.#msPerToken);
  }

  /** Names that are remembered. */
  get size(): number {
    return this.#times.size;
  }

  /**
   * Takes so many tokens, or none when the bucket holds fewer; a full bucket is enough for any
   * cost. `held` is what was taken for the same request before: both are granted, and waited for,
   * as one. `nowMs` never decreases.
   */
  take(name: string, tokens: number, nowMs: number, held = 0): Taken {
    for (;;) {
      const fullMs = this.#times.get(name, nowMs);
      const missing = this.#missing(fullMs, nowMs);
      const needed = Math.min(tokens + held, this.#burst);
      const isGranted = missing - held + needed <= this.#burst + ROUNDING;
      // A refused name is remembered as well: else its bucket would be forgotten while it asks on.
      const left = isGranted ? missing + tokens : missing;
      const waitMs = left * this.#msPerToken;
      if (!this.#times.replace(name, fullMs, nowMs + waitMs)) continue;
      if (isGranted) return { isGranted, left: this.#wholeLeft(left), waitMs };
      const untilMs = (missing + needed - this.#burst) * this.#msPerToken;
      return { isGranted, left: this.#wholeLeft(missing), waitMs: untilMs };
    }
  }

  /** Takes so many tokens if half of `burst` is left then; a full bucket is always enough. */
  takeSpare(name: string, tokens: number, nowMs: number): boolean {
    for (;;) {
      const fullMs = this.#times.get(name, nowMs);
      const missing = this.#missing(fullMs, nowMs);
      const spare = this.#burst / 2;
      if (missing + Math.min(tokens, spare) > spare + ROUNDING) return false;
      const nextMs = nowMs + (missing + tokens) * this.#msPerToken;
      if (this.#times.replace(name, fullMs, nextMs)) return true;
    }
  }

  /**
   * Takes so many tokens for finished work, whether the bucket holds them or not; a negative number
   * is given back.
   */
  settle(name: string, tokens: number, nowMs: number): Taken {
    for (;;) {
      const fullMs = this.#times.get(name, nowMs);
      const missing = Math.max(0, this.#missing(fullMs, nowMs) + tokens);
      const waitMs = missing * this.#msPerToken;
      if (!this.#times.replace(name, fullMs, nowMs + waitMs)) continue;
      return { isGranted: true, left: this.#wholeLeft(missing), waitMs };
    }
  }

  #missing(fullMs: number | undefined, nowMs: number): number {
    return fullMs === undefined ? 0 : Math.max(0, fullMs - nowMs) / this.#msPerToken;
  }

  #wholeLeft(missing: number): number {
    return Math.max(0, Math.floor(this.#burst - missing + ROUNDING));
  }
}

/** Tolerance for floating-point times, in tokens. */
const ROUNDING = 1e-6;
