import type { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { TopicLines } from "./TopicLines.ts";

/**
 * Limits the evaluations that wait for worker threads or for their turn: requests of others wait in
 * the same queues, which are bounded.
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

  /** Takes a slot; false when there is none: the topic then waits for one. */
  take(topic: EvaluatedTopic): boolean {
    if (this.#taken >= this.#count) {
      this.#waiting.add(topic);
      return false;
    }
    this.#waiting.delete(topic);
    this.#taken++;
    return true;
  }

  /** Gives a slot back; returns the next topic that waits for one. */
  release(): EvaluatedTopic | undefined {
    this.#taken--;
    return this.#waiting.take();
  }

  /** Nobody wants the topic any more. */
  remove(topic: EvaluatedTopic): void {
    this.#waiting.delete(topic);
  }
}
