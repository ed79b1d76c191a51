import { ANYBODY, type Asker } from "./Asker.ts";
import { ClientLines, type PlaceInLine } from "./ClientLines.ts";

/**
 * A request that waits for its turn, and what may become of it: it is computed and then written, or
 * it is refused. None of them throws.
 */
export interface WaitingAnswer {
  readonly compute: () => void;
  /** Writes what was computed, once all of the turn are. */
  readonly write: () => void;
  /** There is too much to do. */
  readonly refuse: () => void;
}

/** Of the event loop; tests have their own. */
export interface Turns {
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number;
  /** Calls once, after all input that is there has been read. */
  readonly afterInput: (run: () => void) => void;
  /** Calls once, so many milliseconds from now. */
  readonly after: (ms: number, run: () => void) => void;
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
 *
 * Clients take turns in both orders: what one asks at once waits behind the first of all others.
 * Who asks although it was told to ask later is answered last, and within a fixed share of the
 * time: most of it are refusals, which would have it ask again at once.
 */
export class AnswerQueue {
  readonly #waitMs: number;
  readonly #turns: Turns;
  readonly #waiting = new ClientLines<WaitingAnswer>();
  /** Of those who were told to ask later. */
  readonly #early = new ClientLines<WaitingAnswer>();
  /** Of the turn that is under way. */
  #beganMs: number | undefined;
  /** Requests of the turn that were answered at once, slow ones of them, and when the last was. */
  #atOnceCount = 0;
  #slowCount = 0;
  #atOnceMs: number | undefined;
  /** That one answer takes, with its reading and writing, in the mean of the last turns. */
  #answerMs = 0;
  #isLate = false;
  /** That may be spent on refusing. */
  #refusingMs = 0;
  /** That may be spent on those who ask early, and until when that is counted. */
  #earlyMs = EARLY_MS_MAX;
  #earlyCountedMs = 0;
  #isToWake = false;

  /**
   * `waitMs`: milliseconds that all may wait; while they would wait longer, some are refused.
   * Infinity: nothing is ever refused. 100 by default.
   */
  constructor(waitMs = WAIT_MS, turns: Turns = EVENT_LOOP) {
    this.#waitMs = waitMs;
    this.#turns = turns;
  }

  /** Requests that wait, but for those of who was told to ask later. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether not all can be answered in time. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Input has arrived, whether it is added or not: reading it belongs to the turn. */
  arrived(): void {
    if (this.#atOnceMs !== undefined) this.#noteSlow(this.#atOnceMs);
    if (this.#beganMs !== undefined) return;
    this.#beganMs = this.#turns.nowMs();
    this.#turns.afterInput(this.#turn);
  }

  /**
   * Whether what has just arrived may be answered within its callback, as far as there is little to
   * do: it counts then. Requests that a client sends without waiting for answers (pipelining) need
   * that, since the native library closes connections whose next request finds one unanswered.
   */
  takesAtOnce({ isEarly }: Asker = ANYBODY): boolean {
    this.arrived();
    const { countAlways, slowAlways, turnMs } = AT_ONCE;
    const nowMs = this.#turns.nowMs();
    const isAlways = this.#atOnceCount < countAlways && this.#slowCount < slowAlways;
    const mostMs = isAlways ? this.#waitMs : turnMs;
    if (this.#isLate || nowMs - this.#beganMs! > mostMs) return false;
    if (isEarly && !this.#takesEarlyAtOnce(nowMs)) return false;
    this.#atOnceCount++;
    this.#atOnceMs = nowMs;
    return true;
  }

  /** Adds what has arrived; gives its place, for a client that leaves. */
  add(answer: WaitingAnswer, { name, isEarly }: Asker = ANYBODY): PlaceInLine<WaitingAnswer> {
    this.arrived();
    const nowMs = this.#turns.nowMs();
    return isEarly
      ? this.#early.add(answer, name, nowMs)
      : this.#waiting.add(answer, name, nowMs, this.#isLate);
  }

  /** Takes what waits at a place out again. */
  leave(place: PlaceInLine<WaitingAnswer>): void {
    place.lines.leave(place);
  }

  readonly #turn = (): void => {
    const beganMs = this.#beganMs!;
    this.#look();
    const count = this.#answerSome() + this.#atOnceCount;
    this.#atOnceCount = 0;
    this.#slowCount = 0;
    this.#atOnceMs = undefined;
    const answeredMs = this.#turns.nowMs();
    if (count > 0) this.#learn((answeredMs - beganMs) / count);
    if (this.#isLate) this.#refuseSome(answeredMs, answeredMs - beganMs);
    if (this.#early.length > 0) this.#answerEarly();
    if (this.#waiting.length === 0) {
      this.#beganMs = undefined;
      this.#isLate = false;
      if (this.#early.length > 0) this.#wake();
    } else {
      this.#beganMs = this.#turns.nowMs();
      this.#turns.afterInput(this.#turn);
    }
  };

  /** What was answered at once took until now, when the next request has arrived. */
  #noteSlow(sinceMs: number): void {
    this.#atOnceMs = undefined;
    if (this.#turns.nowMs() - sinceMs > AT_ONCE.slowMs) this.#slowCount++;
  }

  /** Both ways need some room between them, or it would change its mind at every turn. */
  #look(): void {
    const waitMs = this.#waiting.length * this.#answerMs;
    const isLate = waitMs > this.#waitMs * (this.#isLate ? CALM_SHARE : 1);
    if (isLate && !this.#isLate) this.#refusingMs = 0;
    this.#isLate = isLate;
  }

  #answerSome(): number {
    if (this.#waiting.length === 0) return 0;
    const { countMax, turnMs } = this.#isLate ? LATE_TURN : TURN;
    const beganMs = this.#turns.nowMs();
    const next = this.#isLate
      ? this.#waiting.newest(beganMs - this.#waitMs)
      : this.#waiting.oldest();
    return this.#answer(next, countMax, beganMs + turnMs);
  }

  /** So many, or until that time; gives how many. */
  #answer(waiting: Iterable<WaitingAnswer>, countMax: number, deadlineMs: number): number {
    const computed: WaitingAnswer[] = [];
    for (const next of waiting) {
      next.compute();
      computed.push(next);
      if (computed.length >= countMax || this.#turns.nowMs() > deadlineMs) break;
    }
    for (const each of computed) each.write();
    return computed.length;
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

  /** Reading it has taken about as long as answering does. */
  #answerEarly(): void {
    const beganMs = this.#turns.nowMs();
    this.#countEarly(beganMs);
    if (this.#earlyMs <= 0) return;
    this.#answer(this.#early.oldest(), EARLY_COUNT_MAX, beganMs + this.#earlyMs / 2);
    this.#earlyMs -= 2 * (this.#turns.nowMs() - beganMs);
  }

  /** Nobody knows yet how long it will take; it counts as what an answer takes. */
  #takesEarlyAtOnce(nowMs: number): boolean {
    this.#countEarly(nowMs);
    if (this.#earlyMs <= 0) return false;
    this.#earlyMs -= Math.max(this.#answerMs, EARLY_ANSWER_MS_MIN);
    return true;
  }

  /** Time earns a share of it, whatever there is to do. */
  #countEarly(nowMs: number): void {
    const earnedMs = EARLY_SHARE * (nowMs - this.#earlyCountedMs);
    this.#earlyMs = Math.min(EARLY_MS_MAX, this.#earlyMs + earnedMs);
    this.#earlyCountedMs = nowMs;
  }

  /** When the loop has nothing else to do, it sleeps until there is time for them. */
  #wake(): void {
    if (this.#isToWake) return;
    this.#isToWake = true;
    const ms = Math.max(0, -this.#earlyMs) / EARLY_SHARE + EARLY_PAUSE_MS;
    this.#turns.after(ms, () => {
      this.#isToWake = false;
      this.arrived();
    });
  }
}

const EVENT_LOOP: Turns = {
  nowMs: () => performance.now(),
  afterInput: (run) => void setImmediate(run),
  after: (ms, run) => void setTimeout(run, ms),
};
const WAIT_MS = 100;
/** Of the longest wait: what is calm again. */
const CALM_SHARE = 0.8;
/** What others do on the event loop, blocks for one, gets its turn in between. */
const TURN = { countMax: 128, turnMs: 4 };
/**
 * Of what is answered as it is read, since others wait for the end of that. A few always are: the
 * system may have given the loop no time for longer than a turn. Of those that took long, it is
 * fewer: that happens to one or two of a turn, and more are a client's that asks for much.
 */
const AT_ONCE = { countAlways: 64, slowAlways: 16, slowMs: 0.25, turnMs: 4 };
/** Short, so that what arrives is soon the newest. */
const LATE_TURN = { countMax: 64, turnMs: 2 };
const REFUSING_SHARE = 0.05;
/** Of a loop that was held up for long. */
const REFUSING_MS_MAX = 1;
/** Of the time, for those who were told to ask later. */
const EARLY_SHARE = 0.05;
/** A burst of them, as it comes from who asked for many things at once when it was told. */
const EARLY_MS_MAX = 1;
const EARLY_COUNT_MAX = 64;
/** Where it is not known yet. */
const EARLY_ANSWER_MS_MIN = 0.02;
/** Between two looks at them where there is nothing else to do. */
const EARLY_PAUSE_MS = 10;
/** Of a turn, in the mean. */
const WEIGHT = 0.1;
const OUTLIER = 4;
