import type { Head, Moment, Topic } from "./Topic.ts";

/** A topic whose value is worked out anew when the market has moved on. */
export abstract class EvaluatedTopic implements Topic {
  version = 0;
  readonly #head: Head;
  readonly #listeners = new Set<() => void>();
  /** Where it is in doubt: the moment that it is known to be true for. */
  #known: Moment;
  #isDoubtful = true;

  constructor(head: Head) {
    this.#head = head;
    this.#known = head.moment;
  }

  get moment(): Moment {
    return this.#isDoubtful ? this.#known : this.#head.moment;
  }

  /** The newest block may have changed the value, and it was not worked out since. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** What came after a moment may have changed the value. */
  doubt(before: Moment): void {
    if (!this.#isDoubtful) this.#known = before;
    this.#isDoubtful = true;
  }

  /** Works the value out on the newest block; where that throws, it stays in doubt. */
  evaluate(): void {
    const isChanged = this.revalue();
    this.settled(this.#head.moment, isChanged);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  abstract dataSince(version: number): string;

  /** Looks at the market; true when the value is another than before. */
  protected abstract revalue(): boolean;

  /** The value, which may be another now, is known to be true for a moment. */
  protected settled(moment: Moment, isChanged: boolean): void {
    this.#known = moment;
    this.#isDoubtful = moment !== this.#head.moment;
    if (!isChanged) return;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
