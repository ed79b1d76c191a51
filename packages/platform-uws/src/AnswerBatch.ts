import type { LoadGuard } from "./LoadGuard.ts";

/** What is to be done for a request: one of the two. Neither throws. */
interface Waiting {
  /** Computes an answer, and gives what writes it. */
  readonly compute: () => () => void;
  /** Refuses instead: there is too much to do. */
  readonly shed: () => void;
}

/**
 * The direct answers of one turn of the event loop: first all requests that have arrived are read,
 * then all answers are computed, then all are written. Network code between two computations
 * evicts what they work on from the processor's caches: in one go they take two thirds of the time.
 * What does not fit into the turn is refused.
 */
export class AnswerBatch {
  readonly #load: LoadGuard;
  #waiting: Waiting[] = [];
  /** Of this turn; 0 between two. */
  #requestCount = 0;
  /** How many fitted into the last turn that was cut short. */
  #fitting = Number.POSITIVE_INFINITY;

  constructor(load: LoadGuard) {
    this.#load = load;
  }

  /** A request arrives, whether it is added or not: the first one begins a turn. */
  arrived(): void {
    if (this.#requestCount++ > 0) return;
    this.#load.turnBegins(performance.now());
    setImmediate(this.#answer);
  }

  /** Whether the one that has just arrived comes too late to be computed at once. */
  isLate(): boolean {
    // Something must always be answered.
    return this.#requestCount > 1 && this.#load.isLate(performance.now());
  }

  /**
   * Whether it is beyond hope that it fits in, so that it need not even be read. Twice as many as
   * fitted before are let in: they may be quicker.
   */
  isFull(): boolean {
    return this.#waiting.length >= 2 * this.#fitting && this.#load.isOverloaded(performance.now());
  }

  /** Adds one that has arrived: in this turn, or in one before with a body that took longer. */
  add(waiting: Waiting): void {
    if (this.#requestCount === 0) this.arrived();
    this.#waiting.push(waiting);
  }

  readonly #answer = (): void => {
    const waiting = this.#waiting;
    const beganMs = performance.now();
    const isOverloaded = waiting.length > 1 && this.#load.isOverloaded(beganMs);
    const deadlineMs = beganMs + (isOverloaded ? this.#load.turnMs : BATCH_MS_MAX);
    // Under more load than that, others get their turn in between.
    const countMax = Math.min(waiting.length, BATCH_MAX);
    const writes: Array<() => void> = [];
    let count = 0;
    while (count < countMax && (count === 0 || performance.now() <= deadlineMs)) {
      writes.push(waiting[count++]!.compute());
    }
    for (const write of writes) write();
    this.#waiting = isOverloaded ? [] : waiting.slice(count);
    if (isOverloaded && count < waiting.length) {
      this.#fitting = count;
      for (let late = count; late < waiting.length; late++) waiting[late]!.shed();
    }
    if (this.#waiting.length > 0) {
      setImmediate(this.#answer);
    } else {
      this.#load.turnEnds(performance.now(), this.#requestCount);
      this.#requestCount = 0;
    }
  };
}

const BATCH_MAX = 128;
const BATCH_MS_MAX = 25;
