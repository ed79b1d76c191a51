import { type HoldCause, holding } from "./holding.ts";

/** Milliseconds of a turn of the event loop that all background work of the thread has. */
const SLICE_MS = 1;

/**
 * Work that is never urgent, one unit at a time: as much at once as a slice allows, the rest in the
 * turns of the event loop that follow, a slice of each of which all such work shares. A unit is a
 * generator that yields often.
 */
export class Background {
  /** Those that are due, in the order of their turns. */
  static readonly #due = new Set<Background>();
  static #next: NodeJS.Immediate | undefined;

  readonly #cause: HoldCause;
  readonly #begin: () => Generator<void>;
  readonly #isWanted: () => boolean;
  #running: Generator<void> | undefined;
  #workCount = 0;

  /** `isWanted` says whether there is something to do. */
  constructor(cause: HoldCause, work: () => Generator<void>, isWanted: () => boolean) {
    this.#cause = cause;
    this.#begin = work;
    this.#isWanted = isWanted;
  }

  /** Grows whenever it works: between two equal counts nothing was changed. */
  get workCount(): number {
    return this.#workCount;
  }

  /** Works a slice now, unless one is due anyway, and goes on until nothing is wanted. */
  start(): void {
    if (Background.#due.has(this)) return;
    if (!this.#work(performance.now() + SLICE_MS)) this.startLater();
  }

  /** Goes on in the next turns of the event loop until nothing is wanted. */
  startLater(): void {
    Background.#due.add(this);
    Background.#next ??= setImmediate(Background.#slice);
  }

  /** Works until nothing is wanted. */
  finish(): void {
    this.stop();
    this.#work(Number.POSITIVE_INFINITY);
  }

  /** Leaves off; `start` and `finish` go on where it was. */
  stop(): void {
    Background.#due.delete(this);
    if (Background.#due.size > 0) return;
    clearImmediate(Background.#next);
    Background.#next = undefined;
  }

  static readonly #slice = (): void => {
    Background.#next = undefined;
    const deadlineMs = performance.now() + SLICE_MS;
    for (const background of Background.#due) {
      Background.#due.delete(background);
      try {
        // Who was not done has its next turn after the others.
        if (!background.#work(deadlineMs)) Background.#due.add(background);
      } finally {
        if (Background.#due.size > 0) Background.#next ??= setImmediate(Background.#slice);
      }
      if (performance.now() > deadlineMs) break;
    }
  };

  /** True when nothing is wanted any more. */
  #work(deadlineMs: number): boolean {
    return holding(this.#cause, () => {
      this.#workCount++;
      while (this.#running !== undefined || this.#isWanted()) {
        this.#running ??= this.#begin();
        while (!this.#running.next().done) if (performance.now() > deadlineMs) return false;
        this.#running = undefined;
      }
      return true;
    });
  }
}
