import type { Head, HeadPosition, Topic } from "./Topic.ts";

const EVERYBODY = [""];

/** A topic whose value is recomputed when the market has moved on. */
export abstract class EvaluatedTopic implements Topic {
  version = 0;
  readonly #head: Head;
  readonly #listeners = new Set<() => void>();
  /** While stale: the position for which the value is known to hold. */
  #known: HeadPosition;
  #isStale = true;

  constructor(head: Head) {
    this.#head = head;
    this.#known = head.position;
  }

  get validAt(): HeadPosition {
    return this.#isStale ? this.#known : this.#head.position;
  }

  /** Whether the newest block may have changed the value since it was last computed. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Whether the last evaluation did only a part, and another one goes on. */
  get isUnfinished(): boolean {
    return false;
  }

  /** Marks the value stale: what came after a position may have changed it. */
  invalidate(before: HeadPosition): void {
    if (!this.#isStale) this.#known = before;
    this.#isStale = true;
  }

  /** Computes the value, or a part, on the newest block; where that throws, it stays stale. */
  evaluate(): void {
    const isChanged = this.revalue();
    this.settled(this.#head.position, isChanged);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The clients for whom the value is computed; one empty name where it is for everybody. */
  get clients(): Iterable<string> {
    return EVERYBODY;
  }

  abstract dataSince(version: number, isReorg?: boolean): string;

  /** Computes the value; true when it has changed. */
  protected abstract revalue(): boolean;

  /** The value, whether changed or not, is known to hold for a position. */
  protected settled(position: HeadPosition, isChanged: boolean): void {
    this.#known = position;
    this.#isStale = position !== this.#head.position;
    if (!isChanged) return;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
