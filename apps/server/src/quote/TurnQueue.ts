import { holding } from "@millrace/core";
import { Effect } from "effect";
import { RoundRobin } from "../limits/RoundRobin.ts";

/**
 * Work on the event loop that takes milliseconds: one piece a turn, so that other requests are
 * answered in between. Clients take turns.
 */
export class TurnQueue {
  readonly #waiting = new RoundRobin<() => void>();
  #isNextDue = false;

  /** Pieces whose turn has not come yet. */
  get length(): number {
    return this.#waiting.length;
  }

  lengthOf(client: string): number {
    return this.#waiting.lengthOf(client);
  }

  /** Computes when its turn comes; never, if interrupted before. A throw is a defect. */
  compute<A>(client: string, compute: () => A): Effect.Effect<A> {
    return Effect.callback((resume) => {
      const turn = () => resume(Effect.sync(() => holding("search", compute)));
      this.#waiting.add(client, turn);
      this.#schedule();
      return Effect.sync(() => this.#waiting.delete(client, turn));
    });
  }

  #schedule(): void {
    if (this.#isNextDue || this.#waiting.length === 0) return;
    this.#isNextDue = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isNextDue = false;
    const turn = this.#waiting.take();
    this.#schedule();
    turn?.();
  };
}
