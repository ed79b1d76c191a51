/** Admits so many operations a second; those of one second may come at once. */
export class OperationPace {
  readonly #perSecond: number;
  #left: number;
  #filledMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#filledMs = nowMs;
  }

  /** Whether one more operation may pass, which is then counted. */
  takes(nowMs: number): boolean {
    const earned = ((nowMs - this.#filledMs) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + Math.max(0, earned));
    this.#filledMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
