import { type HoldCause, holding } from "./holding.ts";

/** Milliseconds per turn of the event loop for all background work of the thread together. */
const SLICE_MS = 0.5;
/** A turn that takes less, without a slice, found nothing else to do. */
const QUIET_TURN_MS = 0.025;
/**
 * While there is always something else to do, it gets so much time between two slices. A slice that
 * took long owes no more: the system may have paused it.
 */
const OTHERS_MS = 3 * SLICE_MS;
/** Work is not put off for longer, however much there was to do beside it. */
const REST_MS_MAX = 5_000;

/** How a background works; see `Background`. */
export interface BackgroundOptions {
  /**
   * After a unit of work, it rests for so many times as long as other work of the loop took
   * meanwhile. Default 0.
   */
  readonly rest?: number;
}

/**
 * Work that is never urgent. It does as much at once as a slice allows, and the rest in the
 * following turns of the event loop. All background work of the thread shares one slice per turn,
 * and leaves out turns that have something else to do, up to a share of the time. A unit of work is
 * a generator that yields often. Some rest after each unit.
 */
export class Background {
  /** Instances with work left, in the order of their turns. */
  static readonly #due = new Set<Background>();
  static #next: NodeJS.Immediate | undefined;
  /** When the last slice ended, or was left out. */
  static #lookedMs = 0;
  /** Time that other work of the loop still gets before the next slice. */
  static #owedMs = 0;
  /** Time that other work of the loop has taken while there was background work. */
  static #othersMs = 0;

  readonly #cause: HoldCause;
  readonly #begin: () => Generator<void>;
  readonly #isWanted: () => boolean;
  readonly #rest: number;
  #running: Generator<void> | undefined;
  /** `Background.#othersMs` when the running unit began. */
  #othersBeforeMs = 0;
  #restsUntilMs = 0;
  #rested: NodeJS.Timeout | undefined;
  #workCount = 0;

  /** `isWanted` says whether there is something to do. */
  constructor(
    cause: HoldCause,
    work: () => Generator<void>,
    isWanted: () => boolean,
    { rest = 0 }: BackgroundOptions = {},
  ) {
    this.#cause = cause;
    this.#begin = work;
    this.#isWanted = isWanted;
    this.#rest = rest;
  }

  /** Grows whenever it works: between two equal counts, it changed nothing. */
  get workCount(): number {
    return this.#workCount;
  }

  /**
   * Works one slice now, unless a turn is already due or it rests, and goes on until no work is
   * wanted.
   */
  start(): void {
    if (Background.#due.has(this)) return;
    if (!this.#work(performance.now() + SLICE_MS)) this.startLater();
  }

  /** Goes on in the next turns of the event loop until no work is wanted. */
  startLater(): void {
    Background.#due.add(this);
    if (Background.#next !== undefined) return;
    Background.#passOver();
    Background.#next = setImmediate(Background.#slice);
  }

  /** Works until no more is wanted. */
  finish(): void {
    this.stop();
    this.#work(Number.POSITIVE_INFINITY);
  }

  /** Stops; `start` and `finish` continue from there. */
  stop(): void {
    clearTimeout(this.#rested);
    this.#rested = undefined;
    Background.#due.delete(this);
    if (Background.#due.size > 0) return;
    clearImmediate(Background.#next);
    Background.#next = undefined;
  }

  static readonly #slice = (): void => {
    Background.#next = undefined;
    const beganMs = performance.now();
    if (Background.#leavesOut(beganMs)) {
      Background.#next = setImmediate(Background.#slice);
      return;
    }
    const deadlineMs = beganMs + SLICE_MS;
    for (const background of Background.#due) {
      Background.#due.delete(background);
      try {
        // Unfinished work has its next turn after the others.
        if (!background.#work(deadlineMs)) Background.#due.add(background);
      } finally {
        if (Background.#due.size > 0) Background.#next ??= setImmediate(Background.#slice);
      }
      if (performance.now() > deadlineMs) break;
    }
    Background.#lookedMs = performance.now();
    Background.#owedMs = OTHERS_MS;
  };

  /** Time in which nothing was due counts for nobody: the loop may have slept. */
  static #passOver(): void {
    const nowMs = performance.now();
    Background.#owedMs -= nowMs - Background.#lookedMs;
    Background.#lookedMs = nowMs;
  }

  /** Whether other work of the loop goes first in this turn. */
  static #leavesOut(nowMs: number): boolean {
    const othersMs = nowMs - Background.#lookedMs;
    Background.#lookedMs = nowMs;
    const isQuiet = othersMs < QUIET_TURN_MS;
    if (!isQuiet) Background.#othersMs += othersMs;
    Background.#owedMs = isQuiet ? 0 : Background.#owedMs - othersMs;
    return Background.#owedMs > 0;
  }

  /** True when no more work is wanted now. */
  #work(deadlineMs: number): boolean {
    return holding(this.#cause, () => {
      this.#workCount++;
      while (this.#running !== undefined || this.#isWanted()) {
        if (this.#running === undefined) {
          if (deadlineMs < Number.POSITIVE_INFINITY && this.#rests()) return true;
          this.#running = this.#begin();
          this.#othersBeforeMs = Background.#othersMs;
        }
        while (!this.#running.next().done) if (performance.now() > deadlineMs) return false;
        this.#running = undefined;
        const restMs = this.#rest * (Background.#othersMs - this.#othersBeforeMs);
        this.#restsUntilMs = performance.now() + Math.min(restMs, REST_MS_MAX);
      }
      return true;
    });
  }

  /** Whether the next unit of work has to wait; then it is begun when its time comes. */
  #rests(): boolean {
    const restMs = this.#restsUntilMs - performance.now();
    if (restMs <= 0) return false;
    this.#rested ??= setTimeout(() => {
      this.#rested = undefined;
      this.startLater();
    }, restMs);
    return true;
  }
}
