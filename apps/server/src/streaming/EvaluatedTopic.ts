import type { BlockStamp } from "@millrace/core";
import type { Head, Topic } from "./Topic.ts";

/** A topic whose value is worked out anew when a round comes to it. */
export abstract class EvaluatedTopic implements Topic {
  version = 0;
  /** A round has yet to come to it: until then the value is known of an earlier block only. */
  isPending = false;
  readonly #head: Head;
  readonly #listeners = new Set<() => void>();
  #evaluatedAt: BlockStamp;

  constructor(head: Head) {
    this.#head = head;
    this.#evaluatedAt = head.stamp;
  }

  get stamp(): BlockStamp {
    return this.isPending ? this.#evaluatedAt : this.#head.stamp;
  }

  /** Works the value out on the newest block. */
  evaluate(): void {
    const { stamp } = this.#head;
    if (this.revalue()) this.changed(stamp);
    else this.#evaluatedAt = stamp;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  abstract dataSince(version: number): string;

  /** Looks at the market; true when the value is another than before. */
  protected abstract revalue(): boolean;

  protected changed(stamp: BlockStamp): void {
    this.#evaluatedAt = stamp;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
