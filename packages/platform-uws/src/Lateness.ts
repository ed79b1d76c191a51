/**
 * Whether waiting requests can be answered in time, from how many there are and how long an answer
 * took of late.
 *
 * Late ends when nothing waits any more, and by trial once all that wait could be answered in time.
 * That may mean two things. Clients may wait for their answers and ask nothing until then, so order
 * of arrival would serve all of them in time. Or more is asked than can be answered, and the queue
 * would grow again. Only a trial tells the two apart. After each one that fails, the next comes
 * after twice the time.
 */
export class Lateness {
  readonly #limitMs: number;
  /** Time and number of recent answers; old ones count ever less. */
  #spentMs = 0;
  #count = 0;
  #isLate = false;
  /** Since when all that wait can be answered in time. */
  #inTimeSinceMs = Number.NEGATIVE_INFINITY;
  /** How long that must be so before a trial. */
  #trialAfterMs = 0;
  #givenUpBeforeMs = Number.NEGATIVE_INFINITY;

  /** `limitMs`: how long a request may wait, in milliseconds. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isLate(): boolean {
    return this.#isLate;
  }

  /** What arrived earlier is refused also while nothing is late; milliseconds. */
  get givenUpBeforeMs(): number {
    return this.#givenUpBeforeMs;
  }

  /** Mean time of one answer, with its reading and writing, in milliseconds; 0 before the first. */
  get answerMs(): number {
    return this.#count === 0 ? 0 : this.#spentMs / this.#count;
  }

  /**
   * Counts the answers of a turn and the time they took together. Means of single turns would not
   * do: where the system holds up a few turns, whose answers are few, all that wait would count as
   * late. What held up a turn for longer is not the answers' doing.
   */
  learn(turnMs: number, count: number): void {
    const spentMs = Math.min(turnMs, TURN_MS_MAX);
    const kept = Math.exp(-spentMs / MEAN_MS);
    this.#spentMs = kept * this.#spentMs + spentMs;
    this.#count = kept * this.#count + count;
  }

  /** To be called in each turn. `waiting`: requests. */
  update(nowMs: number, waiting: number): void {
    const waitMs = waiting * this.answerMs;
    if (!this.#isLate) {
      if (waitMs > this.#limitMs) this.#becomeLate(nowMs);
    } else if (waitMs > CALM_SHARE * this.#limitMs) {
      this.#inTimeSinceMs = nowMs;
    } else if (waiting === 0 || nowMs - this.#inTimeSinceMs >= this.#trialAfterMs) {
      this.#isLate = false;
      this.#inTimeSinceMs = nowMs;
      this.#givenUpBeforeMs = nowMs - GIVEN_UP * this.#limitMs;
    }
  }

  #becomeLate(nowMs: number): void {
    const isSoon = nowMs - this.#inTimeSinceMs < TRIAL * this.#limitMs;
    const trialAfterMs = isSoon ? 2 * this.#trialAfterMs : this.#limitMs;
    this.#trialAfterMs = Math.min(trialAfterMs, TRIAL_AFTER_MAX * this.#limitMs);
    this.#isLate = true;
    this.#inTimeSinceMs = nowMs;
  }
}

/** Answers of so long count for most of the mean. */
const MEAN_MS = 250;
/** No turn counts for longer. */
const TURN_MS_MAX = 50;
/** Below this share of the limit it ends, so that it does not change at every turn. */
const CALM_SHARE = 0.9;
/** In limits: a trial that ends sooner has failed. */
const TRIAL = 20;
const TRIAL_AFTER_MAX = 100;
/** In limits: a request that has waited for so long at a trial is refused. */
const GIVEN_UP = 2;
