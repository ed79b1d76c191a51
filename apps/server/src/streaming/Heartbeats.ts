/** Length of a slice of beats, after which others get their turn. */
const SLICE_MS = 2;

/**
 * Calls `beat` for each member every `everyMs` after it was added, in slices, however many were
 * added at once.
 */
export class Heartbeats<A> {
  readonly #everyMs: number;
  readonly #beat: (one: A) => void;
  /** When the next beat is due; ascending, since each beat moves its member to the end. */
  readonly #dueMs = new Map<A, number>();
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;

  constructor(everyMs: number, beat: (one: A) => void) {
    this.#everyMs = everyMs;
    this.#beat = beat;
  }

  add(one: A): void {
    this.#dueMs.set(one, performance.now() + this.#everyMs);
    if (this.#next === undefined) this.#timer ??= setTimeout(this.#slice, this.#everyMs);
  }

  delete(one: A): void {
    this.#dueMs.delete(one);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#next);
    this.#dueMs.clear();
  }

  readonly #slice = (): void => {
    this.#timer = undefined;
    this.#next = undefined;
    const endMs = performance.now() + SLICE_MS;
    for (const [one, dueMs] of this.#dueMs) {
      const nowMs = performance.now();
      if (dueMs > nowMs) {
        this.#timer = setTimeout(this.#slice, Math.ceil(dueMs - nowMs));
        return;
      }
      if (nowMs >= endMs) {
        this.#next = setImmediate(this.#slice);
        return;
      }
      this.#dueMs.delete(one);
      this.#dueMs.set(one, nowMs + this.#everyMs);
      this.#beat(one);
    }
  };
}
