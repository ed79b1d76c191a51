import { holding } from "@millrace/core";
import type { Flushable } from "./Topic.ts";

/** Length of a slice of writing, after which others get their turn. */
const SLICE_MS = 2;

/** Flushes readers with something to send: each once, those that wait the longest first. */
export class Flushing {
  readonly #report: (cause: unknown) => void;
  readonly #done: () => void;
  readonly #waiting = new Set<Flushable>();
  #next: NodeJS.Immediate | undefined;

  /** `done` is called whenever no reader waits any more. */
  constructor(report: (cause: unknown) => void, done: () => void) {
    this.#report = report;
    this.#done = done;
  }

  /** The reader is flushed after this slice of work, or soon, outside of any slice. */
  add(reader: Flushable): void {
    this.#waiting.add(reader);
    this.#next ??= setImmediate(this.run);
  }

  /** Flushes now, as many as a slice has time for. */
  readonly run = (): void => this.#flush(performance.now() + SLICE_MS);

  /** Flushes all readers before values change again: only slow readers miss a value. */
  finish(): void {
    if (this.#waiting.size > 0) this.#flush(Number.POSITIVE_INFINITY);
  }

  stop(): void {
    clearImmediate(this.#next);
    this.#waiting.clear();
  }

  #flush(endMs: number): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    holding("sending", () => this.#flushSome(endMs));
    if (this.#waiting.size > 0) this.#next ??= setImmediate(this.run);
    else this.#done();
  }

  #flushSome(endMs: number): void {
    for (const reader of this.#waiting) {
      this.#waiting.delete(reader);
      try {
        reader.flush();
      } catch (cause) {
        this.#report(cause);
      }
      if (performance.now() >= endMs) return;
    }
  }
}
