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
  #isTurn = false;
  /** How many fitted into the last turn that was cut short. */
  #fitting = Number.POSITIVE_INFINITY;

  constructor(load: LoadGuard) {
    this.#load = load;
  }

  /** A request arrives, whether it is added or not: the first one begins a turn. */
  arrived(): void {
    if (this.#isTurn) return;
    this.#isTurn = true;
    this.#load.turnBegins(performance.now());
    setImmediate(this.#answer);
  }

  /**
   * Whether another one is beyond hope to fit in, and need not even be read. Twice as many as fitted
   * before are let in: they may be quicker.
   */
  isFull(): boolean {
    return this.#load.isOverloaded && this.#waiting.length >= 2 * this.#fitting;
  }

  /** Adds one that has arrived: in this turn, or in one before with a body that took longer. */
  add(waiting: Waiting): void {
    this.arrived();
    this.#waiting.push(waiting);
  }

  readonly #answer = (): void => {
    const writes: Array<() => void> = [];
    const waiting = this.#waiting;
    const deadlineMs = this.#load.deadlineMs(performance.now());
    // Under more load than that, others get their turn in between.
    const countMax = Math.min(waiting.length, BATCH_MAX);
    let count = 0;
    let isLate = false;
    while (count < countMax && !isLate) {
      writes.push(waiting[count++]!.compute());
      isLate = performance.now() > deadlineMs;
    }
    for (const write of writes) write();
    this.#waiting = isLate ? [] : waiting.slice(count);
    if (isLate) {
      this.#fitting = count;
      for (let late = count; late < waiting.length; late++) waiting[late]!.shed();
    }
    if (this.#waiting.length > 0) {
      setImmediate(this.#answer);
    } else {
      this.#isTurn = false;
      this.#load.turnEnds(performance.now());
    }
  };
}

const BATCH_MAX = 128;
