/**
 * Limits how many operations go out in a second. After a second without any, so many may go out at
 * once.
 */
export class Pace {
  readonly #capacity: number;
  #left: number;
  #filledMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#capacity = perSecond;
    this.#left = perSecond;
    this.#filledMs = nowMs;
  }

  /**
   * Takes one operation and gives 0 if it may go now; otherwise gives the milliseconds until it
   * may.
   */
  take(nowMs: number): number {
    const earnedPerMs = (this.#capacity * MARGIN) / 1_000;
    const earned = Math.max(0, nowMs - this.#filledMs) * earnedPerMs;
    this.#left = Math.min(this.#capacity, this.#left + earned);
    this.#filledMs = nowMs;
    if (this.#left < 1) return Math.ceil((1 - this.#left) / earnedPerMs);
    this.#left -= 1;
    return 0;
  }
}

/** Somewhat slower than allowed: clocks differ. */
const MARGIN = 0.9;
