import { ArrivalOrder } from "./ArrivalOrder.ts";

/** A request that waits for its turn, and what may become of it: one of the two. Neither throws. */
export interface WaitingAnswer {
  /** Computes an answer, and gives what writes it. */
  readonly compute: () => () => void;
  /** Refuses instead: there is too much to do. */
  readonly refuse: () => void;
}

/** Of the event loop; tests have their own. */
export interface Turns {
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number;
  /** Calls once, after all input that is there has been read. */
  readonly afterInput: (run: () => void) => void;
}

/**
 * Requests that wait for the event loop. In a turn all that have arrived are read, then answers are
 * computed, then they are written: network code between two computations evicts what they work on
 * from the processor's caches, and in one go they take two thirds of the time.
 *
 * As long as everybody's wait would be within `waitMs`, requests are answered in the order of their
 * arrival, and none is refused. When more wait than that, the wait that is granted to one is
 * granted to all that follow, and soon nobody has an answer in time. From then on the newest are
 * answered first, which have hardly waited; who has waited for `waitMs` is refused. Refusing takes
 * a fixed share of the time, so that it never takes what answering needs: the others wait on. They
 * ask for nothing meanwhile, where an instant refusal would have them ask again at once. (Adaptive
 * LIFO with controlled delay: Maurer, "Fail at Scale", ACM Queue 13(8), 2015.)
 */
export class AnswerQueue {
  readonly #waitMs: number;
  readonly #turns: Turns;
  readonly #waiting = new ArrivalOrder<WaitingAnswer>();
  /** Of the turn that is under way. */
  #beganMs: number | undefined;
  /** Requests of the turn that were answered at once. */
  #atOnceCount = 0;
  /** That one answer takes, with its reading and writing, in the mean of the last turns. */
  #answerMs = 0;
  #isLate = false;
  /** That may be spent on refusing. */
  #refusingMs = 0;

  /**
   * `waitMs`: milliseconds that all may wait; while they would wait longer, some are refused.
   * Infinity: nothing is ever refused. 100 by default.
   */
  constructor(waitMs = WAIT_MS, turns: Turns = EVENT_LOOP) {
    this.#waitMs = waitMs;
    this.#turns = turns;
  }

  /** Requests that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether not all can be answered in time. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Input has arrived, whether it is added or not: reading it belongs to the turn. */
  arrived(): void {
    if (this.#beganMs !== undefined) return;
    this.#beganMs = this.#turns.nowMs();
    this.#turns.afterInput(this.#turn);
  }

  /**
   * Whether what has just arrived may be answered within its callback, as far as there is little to
   * do: it counts then. Requests that a client sends without waiting for answers (pipelining) need
   * that, since the native library closes connections whose next request finds one unanswered.
   */
  takesAtOnce(): boolean {
    this.arrived();
    const { countAlways, turnMs } = AT_ONCE;
    const mostMs = this.#atOnceCount < countAlways ? this.#waitMs : turnMs;
    const isSoon = this.#turns.nowMs() - this.#beganMs! <= mostMs;
    if (this.#isLate || !isSoon) return false;
    this.#atOnceCount++;
    return true;
  }

  /** Adds what has arrived; gives what takes it out again, for a client that leaves. */
  add(answer: WaitingAnswer): () => void {
    this.arrived();
    return this.#waiting.add(answer, this.#turns.nowMs());
  }

  readonly #turn = (): void => {
    const beganMs = this.#beganMs!;
    this.#look();
    const count = this.#answerSome() + this.#atOnceCount;
    this.#atOnceCount = 0;
    const answeredMs = this.#turns.nowMs();
    if (count > 0) this.#learn((answeredMs - beganMs) / count);
    if (this.#isLate) this.#refuseSome(answeredMs, answeredMs - beganMs);
    if (this.#waiting.length === 0) {
      this.#beganMs = undefined;
      this.#isLate = false;
    } else {
      this.#beganMs = this.#turns.nowMs();
      this.#turns.afterInput(this.#turn);
    }
  };

  /** Both ways need some room between them, or it would change its mind at every turn. */
  #look(): void {
    const waitMs = this.#waiting.length * this.#answerMs;
    const isLate = waitMs > this.#waitMs * (this.#isLate ? CALM_SHARE : 1);
    if (isLate && !this.#isLate) this.#refusingMs = 0;
    this.#isLate = isLate;
  }

  #answerSome(): number {
    const { countMax, turnMs } = this.#isLate ? LATE_TURN : TURN;
    const beganMs = this.#turns.nowMs();
    const deadlineMs = beganMs + turnMs;
    const writes: Array<() => void> = [];
    const sinceMs = beganMs - this.#waitMs;
    while (writes.length < countMax) {
      const next = this.#isLate ? this.#waiting.takeNewest(sinceMs) : this.#waiting.takeOldest();
      if (next === undefined) break;
      writes.push(next.compute());
      if (this.#turns.nowMs() > deadlineMs) break;
    }
    for (const write of writes) write();
    return writes.length;
  }

  /** One turn in which the loop was held up by something else says little. */
  #learn(answerMs: number): void {
    if (this.#answerMs === 0) this.#answerMs = answerMs;
    const known = this.#answerMs;
    this.#answerMs += WEIGHT * (Math.min(answerMs, OUTLIER * known) - known);
  }

  /** Reading what is refused has taken about as long as refusing does. */
  #refuseSome(nowMs: number, turnMs: number): void {
    const earnedMs = this.#refusingMs + REFUSING_SHARE * turnMs;
    // With nothing to answer, all of the time is there.
    const isIdle = !this.#waiting.hasSince(nowMs - this.#waitMs);
    this.#refusingMs = isIdle ? LATE_TURN.turnMs : Math.min(earnedMs, REFUSING_MS_MAX);
    let beganMs = nowMs;
    while (this.#refusingMs > 0) {
      const late = this.#waiting.takeOlderThan(nowMs - this.#waitMs);
      if (late === undefined) return;
      late.refuse();
      const endedMs = this.#turns.nowMs();
      this.#refusingMs -= 2 * (endedMs - beganMs);
      beganMs = endedMs;
    }
  }
}

const EVENT_LOOP: Turns = {
  nowMs: () => performance.now(),
  afterInput: (run) => void setImmediate(run),
};
const WAIT_MS = 100;
/** Of the longest wait: what is calm again. */
const CALM_SHARE = 0.8;
/** What others do on the event loop, blocks for one, gets its turn in between. */
const TURN = { countMax: 128, turnMs: 4 };
/**
 * Of what is answered as it is read, since others wait for the end of that. A few always are: the
 * system may have given the loop no time for longer than a turn.
 */
const AT_ONCE = { countAlways: 64, turnMs: 4 };
/** Short, so that what arrives is soon the newest. */
const LATE_TURN = { countMax: 64, turnMs: 2 };
const REFUSING_SHARE = 0.05;
/** Of a loop that was held up for long. */
const REFUSING_MS_MAX = 1;
/** Of a turn, in the mean. */
const WEIGHT = 0.1;
const OUTLIER = 4;
