/** Milliseconds that a slice may take before it lets other work through. */
const SLICE_MS = 1;

/**
 * Work that is never urgent, one unit at a time: as much at once as a slice allows, the rest a
 * slice in each turn of the event loop. A unit is a generator that yields often.
 */
export class Background {
  readonly #begin: () => Generator<void>;
  readonly #isWanted: () => boolean;
  #running: Generator<void> | undefined;
  #scheduled: NodeJS.Immediate | undefined;
  #workCount = 0;

  /** `isWanted` says whether there is something to do. */
  constructor(work: () => Generator<void>, isWanted: () => boolean) {
    this.#begin = work;
    this.#isWanted = isWanted;
  }

  /** Grows whenever it works: between two equal counts nothing was changed. */
  get workCount(): number {
    return this.#workCount;
  }

  /** Nothing is wanted, or under way. */
  get isIdle(): boolean {
    return this.#running === undefined && !this.#isWanted();
  }

  /** Works a slice now, unless one is due anyway, and goes on until nothing is wanted. */
  start(): void {
    if (this.#scheduled === undefined) this.#slice();
  }

  /** Goes on in the next turns of the event loop until nothing is wanted. */
  startLater(): void {
    this.#scheduled ??= setImmediate(() => this.#slice());
  }

  /** Works until nothing is wanted. */
  finish(): void {
    this.stop();
    this.#work(Number.POSITIVE_INFINITY);
  }

  /** Leaves off; `start` and `finish` go on where it was. */
  stop(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }

  #slice(): void {
    const isDone = this.#work(performance.now() + SLICE_MS);
    this.#scheduled = undefined;
    if (!isDone) this.startLater();
  }

  /** True when nothing is wanted any more. */
  #work(deadlineMs: number): boolean {
    this.#workCount++;
    while (this.#running !== undefined || this.#isWanted()) {
      this.#running ??= this.#begin();
      while (!this.#running.next().done) if (performance.now() > deadlineMs) return false;
      this.#running = undefined;
    }
    return true;
  }
}

/** What a generator gives in the end, worked out at once. */
export function runToEnd<A>(work: Generator<void, A>): A {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
