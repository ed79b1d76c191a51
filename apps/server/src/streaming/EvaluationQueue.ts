import { holding } from "@millrace/core";
import type { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { TopicLines } from "./TopicLines.ts";

/**
 * Works topics out anew, in slices. Clients take turns, and those of each that wait the longest go
 * first. A topic that is added while
 * it waits is worked out once; one that is not stale any more when its turn comes, not at all. One
 * that fails stays stale, and the others go on.
 */
export class EvaluationQueue {
  readonly #sliceMs: () => number;
  readonly #afterSlice: () => void;
  readonly #onFailure: (cause: unknown) => void;
  readonly #waiting = new TopicLines();
  #next: NodeJS.Immediate | undefined;

  /** A slice takes so many milliseconds, after which others get their turn. */
  constructor(sliceMs: () => number, afterSlice: () => void, onFailure: (cause: unknown) => void) {
    this.#sliceMs = sliceMs;
    this.#afterSlice = afterSlice;
    this.#onFailure = onFailure;
  }

  /** Topics that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  add(topic: EvaluatedTopic): void {
    this.#waiting.add(topic);
  }

  /** Nobody wants the topic any more. */
  remove(topic: EvaluatedTopic): void {
    this.#waiting.delete(topic);
  }

  /** The first slice now, the others each in a turn of the event loop. */
  run(): void {
    if (this.#next === undefined) this.#slice();
  }

  /** All in turns of the event loop. */
  runLater(): void {
    this.#next ??= setImmediate(this.#slice);
  }

  stop(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    this.#waiting.clear();
  }

  readonly #slice = (): void => {
    this.#next = undefined;
    holding("evaluation", this.#evaluateSome);
    if (this.#waiting.length > 0) this.#next = setImmediate(this.#slice);
    this.#afterSlice();
  };

  readonly #evaluateSome = (): void => {
    const endMs = performance.now() + this.#sliceMs();
    for (let topic = this.#waiting.take(); topic !== undefined; topic = this.#waiting.take()) {
      if (!topic.isStale) continue;
      try {
        topic.evaluate();
      } catch (cause) {
        this.#onFailure(cause);
      }
      if (performance.now() >= endMs) return;
    }
  };
}
