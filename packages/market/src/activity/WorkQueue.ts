import { Background } from "@millrace/core";

/** A unit of work: a generator that yields often. */
export type WorkItem = () => Generator<void>;

/** Runs items in order, one after the other, in the background. */
export class WorkQueue {
  #queue: WorkItem[] = [];
  /** Number of items in the queue that were started. */
  #begun = 0;
  readonly #background = new Background(
    "history",
    () => this.#take()(),
    () => this.#begun < this.#queue.length,
  );

  /** Adds items, and works one slice now, unless one is due anyway. */
  add(items: ReadonlyArray<WorkItem>): void {
    for (const item of items) this.#queue.push(item);
    this.#background.start();
  }

  /** Works until no item is left. */
  finish(): void {
    this.#background.finish();
  }

  /** Stops; `add` and `finish` go on from there. */
  stop(): void {
    this.#background.stop();
  }

  #take(): WorkItem {
    const item = this.#queue[this.#begun++]!;
    if (2 * this.#begun >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#begun);
      this.#begun = 0;
    }
    return item;
  }
}
