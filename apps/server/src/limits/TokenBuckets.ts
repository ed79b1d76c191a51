import type { BucketTimes } from "./BucketTimes.ts";
import { LocalTimes } from "./LocalTimes.ts";

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
 * nothing has to run to fill them.
 */
export class TokenBuckets {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #times: BucketTimes;

  /** Times are of this thread, unless others share them. */
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
   * Takes so many tokens, or none when the bucket holds fewer; a full one is enough for anything.
   * `held` is what was taken for the same before: both are granted, and waited for, as one. Time is
   * given in milliseconds, and never runs back.
   */
  take(name: string, tokens: number, nowMs: number, held = 0): Taken {
    for (;;) {
      const fullMs = this.#times.get(name, nowMs);
      const missing = this.#missing(fullMs, nowMs);
      const needed = Math.min(tokens + held, this.#burst);
      const isGranted = missing - held + needed <= this.#burst + ROUNDING;
      // Who is refused is remembered as well: or else it would only have to ask on.
      const left = isGranted ? missing + tokens : missing;
      const waitMs = left * this.#msPerToken;
      if (!this.#times.replace(name, fullMs, nowMs + waitMs)) continue;
      if (isGranted) return { isGranted, left: this.#wholeLeft(left), waitMs };
      const untilMs = (missing + needed - this.#burst) * this.#msPerToken;
      return { isGranted, left: this.#wholeLeft(missing), waitMs: untilMs };
    }
  }

  /** Takes so many tokens if half of what a bucket holds is left; a full one is always enough. */
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
   * Takes so many tokens whether the bucket holds them or not, for what was done already; gives
   * some back where there are fewer than none.
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

/** In tokens: what floating-point times may be off. */
const ROUNDING = 1e-6;
