import { ANYBODY, type Asker } from "./Asker.ts";
import { ClientLines, type PlaceInLine } from "./ClientLines.ts";
import { Lateness } from "./Lateness.ts";

/**
 * A request that waits for its turn: either computed and then written, or refused. None of its
 * functions throws.
 */
export interface WaitingAnswer {
  readonly compute: () => void;
  /** Writes the computed answer, once all answers of the turn are computed. */
  readonly write: () => void;
  /** Refuses the request, since there is too much to do. */
  readonly refuse: () => void;
}

/** The clock and scheduling of the event loop; tests replace them. */
export interface Turns {
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
  /** Calls once, after all input available now has been read. */
  readonly afterInput: (run: () => void) => void;
  /** Calls once, so many milliseconds from now. */
  readonly after: (ms: number, run: () => void) => void;
}

/**
 * Requests that wait for the event loop. In each turn, all requests that have arrived are read,
 * then answers are computed, then they are written. Network code between two computations would
 * evict their data from the processor's caches; computed in one go, answers take two thirds of the
 * time.
 *
 * As long as every wait would be within `waitMs`, requests are answered in order of arrival and
 * none is refused. Beyond that (see `Lateness`), first-come order would make all later requests
 * late too. So the newest are then answered first, which have hardly waited, and a request that has
 * waited for `waitMs` is refused. Refusing takes a fixed share of the time, so that answering keeps
 * its own; the other late requests wait on. Meanwhile their clients send nothing, where an instant
 * refusal would have them retry at once. (Adaptive LIFO with controlled delay: Maurer, "Fail at
 * Scale", ACM Queue 13(8), 2015.)
 *
 * Clients take turns in both orders: the second request of a client waits behind the first of every
 * other, unless one turn answers all. A client that asks although it was told to ask later is
 * answered last, within a fixed share of the time. Most of its answers are refusals, after which it
 * would ask again at once.
 */
export class AnswerQueue {
  readonly #waitMs: number;
  readonly #turns: Turns;
  readonly #waiting = new ClientLines<WaitingAnswer>();
  /** Requests of clients that were told to ask later. */
  readonly #early = new ClientLines<WaitingAnswer>();
  /** When the current turn began. */
  #beganMs: number | undefined;
  /**
   * Requests answered at once in this turn; how many of them were slow; when the last one began.
   */
  #atOnceCount = 0;
  #slowCount = 0;
  #atOnceMs: number | undefined;
  readonly #lateness: Lateness;
  /** Time that may be spent on refusing. */
  #refusingMs = 0;
  /** Time that may be spent on early clients, and when it was last updated. */
  #earlyMs = EARLY_MS_MAX;
  #earlyCountedMs = 0;
  #isToWake = false;

  /**
   * `waitMs`: the longest wait in milliseconds; when waits would be longer, some requests are
   * refused. Infinity refuses none. Default 100.
   */
  constructor(waitMs = WAIT_MS, turns: Turns = EVENT_LOOP) {
    this.#waitMs = waitMs;
    this.#turns = turns;
    this.#lateness = new Lateness(waitMs);
  }

  /** Waiting requests, without those of clients that were told to ask later. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether some requests cannot be answered in time. */
  get isLate(): boolean {
    return this.#lateness.isLate;
  }

  /** To be called when input arrives, even if it is not added: reading it is part of the turn. */
  arrived(): void {
    if (this.#atOnceMs !== undefined) this.#noteSlow(this.#atOnceMs);
    if (this.#beganMs !== undefined) return;
    this.#beganMs = this.#turns.nowMs();
    this.#turns.afterInput(this.#turn);
  }

  /**
   * Whether a request that has just arrived may be answered within its callback, which counts it.
   * True as long as there is little to do. Pipelined requests need this: the native library closes
   * a connection whose next request arrives before the last one is answered.
   */
  takesAtOnce({ isEarly }: Asker = ANYBODY): boolean {
    this.arrived();
    const { countAlways, slowAlways, turnMs } = AT_ONCE;
    const nowMs = this.#turns.nowMs();
    const isAlways = this.#atOnceCount < countAlways && this.#slowCount < slowAlways;
    const mostMs = isAlways ? this.#waitMs : turnMs;
    if (this.isLate || nowMs - this.#beganMs! > mostMs) return false;
    if (isEarly && !this.#takesEarlyAtOnce(nowMs)) return false;
    this.#atOnceCount++;
    this.#atOnceMs = nowMs;
    return true;
  }

  /** Adds a request that has arrived. Returns its place, for `leave`. */
  add(answer: WaitingAnswer, client: Asker = ANYBODY): PlaceInLine<WaitingAnswer> {
    this.arrived();
    const nowMs = this.#turns.nowMs();
    return client.isEarly
      ? this.#early.add(answer, client, nowMs)
      : this.#waiting.add(answer, client, nowMs, this.isLate);
  }

  /** Removes the request at a place. */
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
    if (count > 0) this.#lateness.learn(answeredMs - beganMs, count);
    if (this.isLate) this.#refuseSome(answeredMs, answeredMs - beganMs);
    if (this.#early.length > 0) this.#answerEarly();
    if (this.#waiting.length === 0) {
      this.#beganMs = undefined;
      this.#look();
      if (this.#early.length > 0) this.#wake();
    } else {
      this.#beganMs = this.#turns.nowMs();
      this.#turns.afterInput(this.#turn);
    }
  };

  /**
   * Counts the last answer given at once as slow if it took too long; called when the next request
   * arrives.
   */
  #noteSlow(sinceMs: number): void {
    this.#atOnceMs = undefined;
    if (this.#turns.nowMs() - sinceMs > AT_ONCE.slowMs) this.#slowCount++;
  }

  #look(): void {
    const wasLate = this.isLate;
    this.#lateness.update(this.#turns.nowMs(), this.#waiting.length);
    if (this.isLate && !wasLate) this.#refusingMs = 0;
  }

  #answerSome(): number {
    if (this.#waiting.length === 0) return 0;
    const { countMax, turnMs } = this.isLate ? LATE_TURN : TURN;
    const beganMs = this.#turns.nowMs();
    const deadlineMs = beganMs + turnMs;
    if (this.isLate) {
      return this.#answer(this.#waiting.newest(beganMs - this.#waitMs), countMax, deadlineMs);
    }
    if (!this.#giveUp(deadlineMs)) return 0;
    return this.#answer(this.#waiting.oldest(), countMax, deadlineMs);
  }

  /** Refuses what has waited for too long; whether that was all of it, before the deadline. */
  #giveUp(deadlineMs: number): boolean {
    for (;;) {
      const late = this.#waiting.takeOlderThan(this.#lateness.givenUpBeforeMs);
      if (late === undefined) return true;
      late.refuse();
      if (this.#turns.nowMs() > deadlineMs) return false;
    }
  }

  /** Answers up to `countMax` requests, or until the deadline; returns how many. */
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

  /** Time counts double: reading a refused request has taken about as long as refusing it. */
  #refuseSome(nowMs: number, turnMs: number): void {
    const earnedMs = this.#refusingMs + REFUSING_SHARE * turnMs;
    // When nothing can be answered in time, all of the turn is free for refusing.
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

  /** Time counts double: reading the request has taken about as long as answering it. */
  #answerEarly(): void {
    const beganMs = this.#turns.nowMs();
    this.#countEarly(beganMs);
    if (this.#earlyMs <= 0) return;
    this.#answer(this.#early.oldest(), EARLY_COUNT_MAX, beganMs + this.#earlyMs / 2);
    this.#earlyMs -= 2 * (this.#turns.nowMs() - beganMs);
  }

  /** The request's time is not known yet; the mean of an answer is charged. */
  #takesEarlyAtOnce(nowMs: number): boolean {
    this.#countEarly(nowMs);
    if (this.#earlyMs <= 0) return false;
    this.#earlyMs -= Math.max(this.#lateness.answerMs, EARLY_ANSWER_MS_MIN);
    return true;
  }

  /** Adds the share of time that has passed, whatever there is to do. */
  #countEarly(nowMs: number): void {
    const earnedMs = EARLY_SHARE * (nowMs - this.#earlyCountedMs);
    this.#earlyMs = Math.min(EARLY_MS_MAX, this.#earlyMs + earnedMs);
    this.#earlyCountedMs = nowMs;
  }

  /** With nothing else to do, the loop sleeps until there is time for early clients. */
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
/** Short, so that other work on the event loop, such as blocks, gets its turn in between. */
const TURN = { countMax: 128, turnMs: 4 };
/**
 * Limits on answers given while input is read, since other requests wait for the reading to end.
 * The first few are always allowed: the system may have paused the loop for longer than a turn.
 * Fewer of the slow ones are: one or two slow answers in a turn are normal, more come from a client
 * that asks for much.
 */
const AT_ONCE = { countAlways: 64, slowAlways: 16, slowMs: 0.25, turnMs: 4 };
/** Short, so that new arrivals soon count as the newest. */
const LATE_TURN = { countMax: 64, turnMs: 2 };
const REFUSING_SHARE = 0.05;
/** Caps what a long pause of the loop would earn. */
const REFUSING_MS_MAX = 1;
/** Share of the time for clients that were told to ask later. */
const EARLY_SHARE = 0.05;
/** Covers a client that had many requests on their way when it was told to ask later. */
const EARLY_MS_MAX = 1;
const EARLY_COUNT_MAX = 64;
/** Charged while the mean is not known yet. */
const EARLY_ANSWER_MS_MIN = 0.02;
/** Pause between two looks at early clients when there is nothing else to do. */
const EARLY_PAUSE_MS = 10;
