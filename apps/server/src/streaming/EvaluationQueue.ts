import { holding } from "@millrace/core";
import type { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { TopicLines } from "./TopicLines.ts";

/**
 * Recomputes topics, in slices. Clients take turns; of each client, the topic that waits the
 * longest goes first. A topic that is added while it waits is computed once; one that is no longer
 * stale at its turn is skipped. One that fails stays stale, and the others go on. Long ones are
 * computed in parts, in turn with others.
 */
export class EvaluationQueue {
  readonly #sliceMs: () => number;
  readonly #afterSlice: () => void;
  readonly #onFailure: (cause: unknown) => void;
  readonly #waiting = new TopicLines();
  #next: NodeJS.Immediate | undefined;

  /** `sliceMs` gives the length of a slice, after which others get their turn. */
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

  /** Runs the first slice now, each other one in a turn of the event loop. */
  run(): void {
    if (this.#next === undefined) this.#slice();
  }

  /** Runs all slices in turns of the event loop. */
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
        if (topic.isUnfinished) this.#waiting.add(topic);
      } catch (cause) {
        this.#onFailure(cause);
      }
      if (performance.now() >= endMs) return;
    }
  };
}
