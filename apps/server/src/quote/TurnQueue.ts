import { Effect } from "effect";

/**
 * Work on the event loop that takes its time, though milliseconds at most: one piece a turn, so
 * that what else has arrived is answered in between.
 */
export class TurnQueue {
  readonly #waiting = new Set<() => void>();

  /** Pieces whose turn has not come yet. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Computes when its turn comes; never, if interrupted before. What it throws is a defect. */
  compute<A>(compute: () => A): Effect.Effect<A> {
    return Effect.callback((resume) => {
      const turn = () => resume(Effect.sync(compute));
      if (this.#waiting.size === 0) setImmediate(this.#next);
      this.#waiting.add(turn);
      return Effect.sync(() => this.#waiting.delete(turn));
    });
  }

  readonly #next = (): void => {
    for (const turn of this.#waiting) {
      this.#waiting.delete(turn);
      if (this.#waiting.size > 0) setImmediate(this.#next);
      turn();
      return;
    }
  };
}
