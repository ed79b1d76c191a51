/** When there is too much to do, and what may be refused then. */
export interface OverloadOptions {
  /**
   * Milliseconds that direct answers of one turn of the event loop are computed for while there is
   * more to do than can be done. Default 1.
   */
  readonly turnMs?: number;
  /** Milliseconds that a turn may take as a rule: bursts are served. Default 25. */
  readonly burstMs?: number;
  /** Paths, as sent, that are never refused; of requests that no direct route takes. */
  readonly isExempt?: (path: string) => boolean;
  /** Called for each request that is refused; must not throw. */
  readonly onShed?: () => void;
}

/**
 * Tells a burst from too much load, and how long a turn of the event loop may take. A turn begins
 * with the first request that is read in it, and ends when all its direct answers are written: what
 * arrives meanwhile waits for that. A burst makes some turns long; they may be, within bounds, since
 * all of it is answered soon. When for a while every turn was long, and nothing between them, then
 * requests come faster than they can be answered, and every wait that is granted to one is granted
 * to all that follow: turns are kept short, and who does not fit is refused at once, until for a
 * while all fit. (Controlled delay, after Nichols and Jacobson 2012, as Facebook's servers have it:
 * "Fail at Scale", 2015.)
 *
 * Times are milliseconds of one clock.
 */
export class LoadGuard {
  readonly #turnMs: number;
  readonly #burstMs: number;
  #beganMs = 0;
  #endedMs = Number.NEGATIVE_INFINITY;
  /** When the loop last had nothing to do, or a turn was not long. */
  #calmMs = Number.NEGATIVE_INFINITY;
  #shedMs = Number.NEGATIVE_INFINITY;
  #isOverloaded = false;

  constructor({ turnMs = TURN_MS, burstMs = BURST_MS }: OverloadOptions) {
    this.#turnMs = turnMs;
    this.#burstMs = burstMs;
  }

  /** There is more to do than can be done. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  turnBegins(nowMs: number): void {
    this.#beganMs = nowMs;
    if (nowMs - this.#endedMs > PAUSE_MS) this.#calmMs = nowMs;
  }

  turnEnds(nowMs: number): void {
    this.#endedMs = nowMs;
    if (nowMs - this.#beganMs <= LONG_MS) this.#calmMs = nowMs;
    if (this.#isOverloaded) {
      this.#isOverloaded = nowMs - this.#shedMs <= STANDING_MS;
      if (!this.#isOverloaded) this.#calmMs = nowMs;
    } else if (nowMs - this.#calmMs > STANDING_MS) {
      this.#isOverloaded = true;
      this.#shedMs = nowMs;
    }
  }

  /** A request is refused. */
  shed(nowMs: number): void {
    this.#shedMs = nowMs;
  }

  /** Whether a request that is read now, within a turn, comes too late to be computed at once. */
  isLate(nowMs: number): boolean {
    return nowMs - this.#beganMs > (this.#isOverloaded ? this.#turnMs : this.#burstMs);
  }

  /** Until when answers are computed that are begun now, at the end of a turn. */
  deadlineMs(nowMs: number): number {
    // Reading takes its time as well: something must always be answered.
    const soonestMs = nowMs + this.#turnMs;
    return this.#isOverloaded ? soonestMs : Math.max(soonestMs, this.#beganMs + this.#burstMs);
  }
}

const TURN_MS = 1;
const BURST_MS = 25;
/** A turn that answers sixty-four clients who wait for each other is shorter. */
const LONG_MS = 10;
/** Longer than a loop that has something to do takes from one turn to the next. */
const PAUSE_MS = 1;
/** What lasts so long is no burst. */
const STANDING_MS = 100;
