import type { EvaluatedTopic } from "./EvaluatedTopic.ts";

/** Topics to be recomputed after a delay, all that wait together. */
export class Retries {
  readonly #delayMs: number;
  readonly #again: (topics: ReadonlyArray<EvaluatedTopic>) => void;
  readonly #waiting = new Set<EvaluatedTopic>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(delayMs: number, again: (topics: ReadonlyArray<EvaluatedTopic>) => void) {
    this.#delayMs = delayMs;
    this.#again = again;
  }

  readonly add = (topic: EvaluatedTopic): void => {
    if (this.#isStopped) return;
    this.#waiting.add(topic);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const topics = [...this.#waiting];
      this.#waiting.clear();
      this.#again(topics);
    }, this.#delayMs);
  };

  /** Nobody wants the topic any more. */
  delete(topic: EvaluatedTopic): void {
    this.#waiting.delete(topic);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
