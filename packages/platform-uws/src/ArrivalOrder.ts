/** An item's place among those that wait. It may be in several orders at once. */
export interface Place {
  readonly arrivedMs: number;
  /** Set to false when the item is taken or leaves; tell each of its orders by `left`. */
  isWaiting: boolean;
}

/**
 * Waiting items in order of arrival: a circular buffer, which allocates nothing while its size
 * suffices. Items can leave from anywhere.
 */
export class ArrivalOrder<P extends Place> {
  /** Its length is a power of two. */
  #places = emptyPlaces<P>(PLACES_MIN);
  /** Places from the oldest to the newest, counted without end; their index is the remainder. */
  #first = 0;
  #end = 0;
  #length = 0;

  /** Items that still wait. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item that arrives now; times must not decrease. */
  add(place: P): void {
    if (this.#end - this.#first === this.#places.length) this.#makeRoom();
    this.#places[this.#end++ & (this.#places.length - 1)] = place;
    this.#length++;
  }

  /** To be called once for each item that no longer waits. */
  left(): void {
    this.#length--;
    if (this.#length === 0) this.#clear();
  }

  oldest(): P | undefined {
    if (this.#length === 0) return undefined;
    const mask = this.#places.length - 1;
    for (; ; this.#first++) {
      const place = this.#places[this.#first & mask]!;
      if (place.isWaiting) return place;
      this.#places[this.#first & mask] = undefined;
    }
  }

  newest(): P | undefined {
    if (this.#length === 0) return undefined;
    const mask = this.#places.length - 1;
    for (; ; this.#end--) {
      const place = this.#places[(this.#end - 1) & mask]!;
      if (place.isWaiting) return place;
      this.#places[(this.#end - 1) & mask] = undefined;
    }
  }

  #clear(): void {
    if (this.#places.length > PLACES_KEPT) {
      this.#places = emptyPlaces(PLACES_MIN);
    } else {
      const mask = this.#places.length - 1;
      for (let at = this.#first; at < this.#end; at++) this.#places[at & mask] = undefined;
    }
    this.#first = 0;
    this.#end = 0;
  }

  /** Forgets items that left from the middle; doubles the buffer if more than half still wait. */
  #makeRoom(): void {
    const size = this.#places.length;
    const places = emptyPlaces<P>(this.#length > size / 2 ? 2 * size : size);
    let count = 0;
    for (let at = this.#first; at < this.#end; at++) {
      const place = this.#places[at & (size - 1)]!;
      if (place.isWaiting) places[count++] = place;
    }
    this.#places = places;
    this.#first = 0;
    this.#end = count;
  }
}

const emptyPlaces = <P>(size: number): Array<P | undefined> => new Array(size).fill(undefined);

const PLACES_MIN = 16;
/** An empty buffer that is larger is given back. */
const PLACES_KEPT = 1_024;
