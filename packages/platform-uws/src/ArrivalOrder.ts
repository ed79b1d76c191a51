/** Waiting items in order of arrival. Items can be taken from both ends, and can leave. */
export class ArrivalOrder<A> {
  #entries: Array<Place<A>> = [];
  /** Index of the oldest item; those before it have been taken. */
  #first = 0;
  #length = 0;

  /** Items that still wait. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item that arrives now; times must not decrease. Returns its place, for `leave`. */
  add(value: A, arrivedMs: number): Place<A> {
    if (this.#entries.length - this.#first > 2 * this.#length + LEFT_MAX) this.#forgetLeft();
    const place: Place<A> = { value, arrivedMs };
    this.#entries.push(place);
    this.#length++;
    return place;
  }

  /** Removes the item at a place, if it still waits. */
  leave(place: Place<A>): void {
    this.#take(place);
  }

  takeOldest(): A | undefined {
    return this.takeOlderThan(Number.POSITIVE_INFINITY);
  }

  /** Takes the oldest item, if it arrived before that time. */
  takeOlderThan(ms: number): A | undefined {
    return this.hasBefore(ms) ? this.#take(this.#entries[this.#first]!) : undefined;
  }

  /** Whether any waiting item arrived before that time. */
  hasBefore(ms: number): boolean {
    for (; this.#first < this.#entries.length; this.#first++) {
      const { value, arrivedMs } = this.#entries[this.#first]!;
      if (value !== undefined) return arrivedMs < ms;
      if (this.#first >= TAKEN_MAX) this.#forgetTaken();
    }
    this.#entries = [];
    this.#first = 0;
    return false;
  }

  /** Takes the newest item, if it arrived at that time or later. */
  takeNewest(sinceMs: number): A | undefined {
    return this.hasSince(sinceMs) ? this.#take(this.#entries.pop()!) : undefined;
  }

  /** Whether any waiting item arrived at that time or later. */
  hasSince(ms: number): boolean {
    while (this.#entries.length > this.#first) {
      const { value, arrivedMs } = this.#entries.at(-1)!;
      if (value !== undefined) return arrivedMs >= ms;
      this.#entries.pop();
    }
    return false;
  }

  /** Removes the value; its place stays until it is cleaned up. */
  #take(place: Place<A>): A | undefined {
    const { value } = place;
    if (value === undefined) return undefined;
    place.value = undefined;
    this.#length--;
    return value;
  }

  #forgetTaken(): void {
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }

  /** Drops the places of items that left from the middle. */
  #forgetLeft(): void {
    this.#entries = this.#entries.filter(({ value }) => value !== undefined);
    this.#first = 0;
  }
}

/** The place of a waiting item. */
export interface Place<A> {
  readonly arrivedMs: number;
  /** Undefined once the item is taken or has left. */
  value: A | undefined;
}

/** Places of taken items that may be kept at the front. */
const TAKEN_MAX = 1_024;
/** Places of items that left from the middle that may be kept, beside one for each waiting item. */
const LEFT_MAX = 1_024;
