/** What waits, in the order of its arrival: taken from both ends, and free to leave. */
export class ArrivalOrder<A> {
  #entries: Array<Place<A>> = [];
  /** Where the oldest one is: what is before it has been taken. */
  #first = 0;
  #length = 0;

  /** That still wait. */
  get length(): number {
    return this.#length;
  }

  /** Adds one that arrives now; times never go back. Gives its place, for `leave`. */
  add(value: A, arrivedMs: number): Place<A> {
    if (this.#entries.length - this.#first > 2 * this.#length + LEFT_MAX) this.#forgetLeft();
    const place: Place<A> = { value, arrivedMs };
    this.#entries.push(place);
    this.#length++;
    return place;
  }

  /** Takes the one at a place out, if it still waits. */
  leave(place: Place<A>): void {
    this.#take(place);
  }

  takeOldest(): A | undefined {
    return this.takeOlderThan(Number.POSITIVE_INFINITY);
  }

  /** The oldest one, if it arrived before that time. */
  takeOlderThan(ms: number): A | undefined {
    for (; this.#first < this.#entries.length; this.#first++) {
      const entry = this.#entries[this.#first]!;
      if (entry.value !== undefined && entry.arrivedMs >= ms) return undefined;
      const value = this.#take(entry);
      if (value !== undefined) return value;
      if (this.#first >= TAKEN_MAX) this.#forgetTaken();
    }
    this.#entries = [];
    this.#first = 0;
    return undefined;
  }

  /** The newest one, if it arrived at that time or later. */
  takeNewest(sinceMs: number): A | undefined {
    return this.hasSince(sinceMs) ? this.#take(this.#entries.pop()!) : undefined;
  }

  /** Whether any waits that arrived at that time or later. */
  hasSince(ms: number): boolean {
    while (this.#entries.length > this.#first) {
      const { value, arrivedMs } = this.#entries.at(-1)!;
      if (value !== undefined) return arrivedMs >= ms;
      this.#entries.pop();
    }
    return false;
  }

  /** Keeps nothing of what has left but its place. */
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

  /** Of what has left from between others. */
  #forgetLeft(): void {
    this.#entries = this.#entries.filter(({ value }) => value !== undefined);
    this.#first = 0;
  }
}

/** Where one waits. */
export interface Place<A> {
  readonly arrivedMs: number;
  /** Undefined once it is taken, or has left. */
  value: A | undefined;
}

/** Places kept of what was taken from the front. */
const TAKEN_MAX = 1_024;
/** And of what has left from between others, beside as many as wait. */
const LEFT_MAX = 1_024;
