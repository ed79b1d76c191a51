import type { Head, HeadPosition, Topic } from "./Topic.ts";

const EVERYBODY = [""];

/** A topic whose value is worked out anew when the market has moved on. */
export abstract class EvaluatedTopic implements Topic {
  version = 0;
  readonly #head: Head;
  readonly #listeners = new Set<() => void>();
  /** Where it is stale: the position that the value is known to be true for. */
  #known: HeadPosition;
  #isStale = true;

  constructor(head: Head) {
    this.#head = head;
    this.#known = head.position;
  }

  get validAt(): HeadPosition {
    return this.#isStale ? this.#known : this.#head.position;
  }

  /** The newest block may have changed the value, and it was not worked out since. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** What came after a position may have changed the value. */
  invalidate(before: HeadPosition): void {
    if (!this.#isStale) this.#known = before;
    this.#isStale = true;
  }

  /** Works the value out on the newest block; where that throws, it stays stale. */
  evaluate(): void {
    const isChanged = this.revalue();
    this.settled(this.#head.position, isChanged);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For whom the value is worked out; nobody's where it is everybody's. */
  get clients(): Iterable<string> {
    return EVERYBODY;
  }

  abstract dataSince(version: number, isReorg?: boolean): string;

  /** Looks at the market; true when the value is another than before. */
  protected abstract revalue(): boolean;

  /** The value, which may be another now, is known to be true for a position. */
  protected settled(position: HeadPosition, isChanged: boolean): void {
    this.#known = position;
    this.#isStale = position !== this.#head.position;
    if (!isChanged) return;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
