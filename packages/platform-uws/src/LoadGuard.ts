/** When there is too much to do, and what may be refused then. */
export interface OverloadOptions {
  /**
   * Milliseconds that direct answers of one turn of the event loop are computed for while there is
   * more to do than can be done. Default 1.
   */
  readonly turnMs?: number;
  /** Milliseconds without calm after which that is so; Infinity: never. Default 100. */
  readonly standingMs?: number;
  /** Paths, as sent, that are never refused; of requests that no direct route takes. */
  readonly isExempt?: (path: string) => boolean;
  /** Called for each request that is refused; must not throw. */
  readonly onShed?: () => void;
}

/**
 * Distinguishes a burst from too much load. A turn of the event loop begins with the first request that is
 * read in it, and ends when all direct answers are written: what arrives meanwhile waits for that. A
 * burst makes some turns long; they may be, since all of it is answered soon. When for a while every
 * turn of more than one request was long, and nothing between them, then requests come faster than
 * they can be answered, and every wait that is granted to one is granted to all that follow: turns
 * are kept short, and who does not fit is refused at once, until for a while all fit. (Controlled
 * delay, after Nichols and Jacobson 2012, as Facebook's servers have it: "Fail at Scale", 2015.)
 *
 * Times are milliseconds of one clock.
 */
export class LoadGuard {
  /** That answers of one turn are computed for under overload. */
  readonly turnMs: number;
  readonly #standingMs: number;
  #beganMs = 0;
  #endedMs = Number.NEGATIVE_INFINITY;
  /** When the loop last had nothing to do, or a turn was not long. */
  #calmMs = 0;
  #shedMs = 0;
  #isOverloaded = false;

  constructor({ turnMs = TURN_MS, standingMs = STANDING_MS }: OverloadOptions) {
    this.turnMs = turnMs;
    this.#standingMs = standingMs;
  }

  turnBegins(nowMs: number): void {
    this.#beganMs = nowMs;
    if (nowMs - this.#endedMs > PAUSE_MS) this.#calmMs = nowMs;
  }

  turnEnds(nowMs: number, requestCount: number): void {
    this.#endedMs = nowMs;
    if (requestCount <= 1 || nowMs - this.#beganMs <= LONG_MS) this.#calmMs = nowMs;
    if (this.#isOverloaded && nowMs - this.#shedMs > this.#standingMs) {
      this.#isOverloaded = false;
      this.#calmMs = nowMs;
    }
  }

  /** A request is refused. */
  shed(nowMs: number): void {
    this.#shedMs = nowMs;
  }

  /** Whether there is more to do than can be done. To be asked within a turn of several requests. */
  isOverloaded(nowMs: number): boolean {
    if (!this.#isOverloaded && nowMs - this.#calmMs > this.#standingMs) {
      this.#isOverloaded = true;
      this.#shedMs = nowMs;
    }
    return this.#isOverloaded;
  }

  /** Whether a request comes too late to be computed at once; not to be asked for a turn's first. */
  isLate(nowMs: number): boolean {
    return this.isOverloaded(nowMs) && nowMs - this.#beganMs > this.turnMs;
  }
}

const TURN_MS = 1;
/** A turn that answers sixty-four clients who wait for each other is shorter. */
const LONG_MS = 10;
/** Longer than a loop that has something to do takes from one turn to the next. */
const PAUSE_MS = 1;
/** What lasts so long is no burst. */
const STANDING_MS = 100;
