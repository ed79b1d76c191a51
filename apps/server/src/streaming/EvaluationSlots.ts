import type { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { TopicLines } from "./TopicLines.ts";

/**
 * Evaluations that may be under way at once. Those that worker threads search, or that wait for
 * their turn, are few at a time: requests of others wait in the same queues, which have an end.
 */
export class EvaluationSlots {
  readonly #count: number;
  readonly #waiting = new TopicLines();
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Slots that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot; false when there is none: then the topic waits for one. */
  take(topic: EvaluatedTopic): boolean {
    if (this.#taken >= this.#count) {
      this.#waiting.add(topic);
      return false;
    }
    this.#waiting.delete(topic);
    this.#taken++;
    return true;
  }

  /** Gives a slot back; returns the topic whose turn it is. */
  release(): EvaluatedTopic | undefined {
    this.#taken--;
    return this.#waiting.take();
  }

  /** Nobody wants the topic any more. */
  remove(topic: EvaluatedTopic): void {
    this.#waiting.delete(topic);
  }
}
