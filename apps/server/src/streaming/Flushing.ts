import { holding } from "@millrace/core";
import type { Flushable } from "./Topic.ts";

/** A slice of writing, after which others get their turn. */
const SLICE_MS = 2;

/** Flushes readers who have something to be sent: each once, those that wait the longest first. */
export class Flushing {
  readonly #report: (cause: unknown) => void;
  readonly #done: () => void;
  readonly #waiting = new Set<Flushable>();
  #next: NodeJS.Immediate | undefined;

  /** `done` is called whenever nobody is left who waits. */
  constructor(report: (cause: unknown) => void, done: () => void) {
    this.#report = report;
    this.#done = done;
  }

  /** Will be flushed after this slice of work; or soon, for what comes outside of any. */
  add(reader: Flushable): void {
    this.#waiting.add(reader);
    this.#next ??= setImmediate(this.run);
  }

  /** Flushes now, as many as a slice has time for. */
  readonly run = (): void => this.#flush(performance.now() + SLICE_MS);

  /** Flushes all, before values change again: only who is slow himself is spared any of them. */
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
