import { ArrivalOrder, type Place } from "./ArrivalOrder.ts";

/** Whose line it is. */
interface Client {
  /** Read while an item of the client waits. */
  readonly name: string;
}

/**
 * A line of waiting items for each client. Clients take turns: one item of each, then the next of
 * each, however long a client's line is.
 *
 * Where nothing else waits, new items are taken in order of arrival. Only what one reading leaves
 * is put in lines: reading the name of a client takes longer than all else here.
 */
export class ClientLines<A> {
  /** By client; empty lines are kept for a while, since most clients ask again soon. */
  readonly #lines = new Map<string, Line<A>>();
  /** The lines where items wait, in the order of their turns: a ring that begins and ends here. */
  readonly #turns = new Line<A>("");
  #turnsLength = 0;
  /** All items, in lines or not. */
  readonly #all = new ArrivalOrder<PlaceInLine<A>>();
  /** Items that are in no line yet, and some that no longer wait, in order of arrival. */
  #fresh: Array<PlaceInLine<A>> = [];

  /** Items that wait. */
  get length(): number {
    return this.#all.length;
  }

  /**
   * Adds an item that has just arrived. Returns its place, for `leave`. `isFirst`: its client
   * becomes the newest, even if other items in its line have waited for long.
   */
  add(value: A, client: Client, arrivedMs: number, isFirst = false): PlaceInLine<A> {
    const place: PlaceInLine<A> = {
      lines: this,
      client,
      isFirst,
      line: undefined,
      value,
      arrivedMs,
      isWaiting: true,
    };
    this.#fresh.push(place);
    this.#all.add(place);
    return place;
  }

  /** Removes the item at a place, if it still waits. */
  leave(place: PlaceInLine<A>): void {
    if (!place.isWaiting) return;
    place.isWaiting = false;
    // Its place may be kept for long, and would keep the value.
    place.value = undefined;
    this.#all.left();
    const { line } = place;
    if (line === undefined) return;
    line.places.left();
    if (line.places.length > 0) return;
    line.unlink();
    this.#turnsLength--;
  }

  /** Takes the oldest item of each line in turn, or, where all items are new, the oldest of all. */
  *oldest(): Iterable<A> {
    try {
      while (this.#turnsLength === 0 && this.#all.length > 0) yield this.#take(this.#all.oldest()!);
    } finally {
      // Also where the reader stops.
      this.#lineUp();
    }
    while (this.#turnsLength > 0) {
      const line = this.#turns.next;
      const place = line.places.oldest()!;
      this.#moveLast(line);
      yield this.#take(place);
    }
  }

  /**
   * Takes the newest item of each line in turn, if it arrived at that time or later. The client
   * that asked last comes first.
   */
  *newest(sinceMs: number): Iterable<A> {
    this.#lineUp();
    let lines: Array<Line<A>> = [];
    for (let line = this.#turns.previous; line !== this.#turns; line = line.previous) {
      lines.push(line);
    }
    while (lines.length > 0) {
      const served: Array<Line<A>> = [];
      for (const line of lines) {
        const place = line.places.newest();
        if (place === undefined || place.arrivedMs < sinceMs) continue;
        served.push(line);
        yield this.#take(place);
      }
      lines = served;
    }
  }

  /** Takes the oldest item of all lines, if it arrived before that time. */
  takeOlderThan(ms: number): A | undefined {
    const place = this.#all.oldest();
    return place !== undefined && place.arrivedMs < ms ? this.#take(place) : undefined;
  }

  /** Whether any waiting item arrived at that time or later. */
  hasSince(ms: number): boolean {
    const place = this.#all.newest();
    return place !== undefined && place.arrivedMs >= ms;
  }

  /** Takes an item that waits. */
  #take(place: PlaceInLine<A>): A {
    const value = place.value!;
    this.leave(place);
    return value;
  }

  /** Puts the new items in the lines of their clients. */
  #lineUp(): void {
    for (const place of this.#fresh) {
      if (!place.isWaiting) continue;
      const { name } = place.client;
      const line = this.#lines.get(name) ?? this.#open(name);
      if (line.places.length === 0) this.#turnLast(line);
      else if (place.isFirst) this.#moveLast(line);
      line.places.add(place);
      place.line = line;
    }
    this.#fresh = [];
  }

  #open(client: string): Line<A> {
    if (this.#lines.size - this.#turnsLength >= EMPTY_MAX) this.#forgetEmpty();
    const line = new Line<A>(client);
    this.#lines.set(client, line);
    return line;
  }

  #forgetEmpty(): void {
    for (const line of this.#lines.values()) {
      if (line.places.length === 0) this.#lines.delete(line.client);
    }
  }

  #turnLast(line: Line<A>): void {
    line.linkBefore(this.#turns);
    this.#turnsLength++;
  }

  #moveLast(line: Line<A>): void {
    line.unlink();
    line.linkBefore(this.#turns);
  }
}

/** The line of a client: a link of a ring, alone or with others. */
class Line<A> {
  readonly client: string;
  readonly places = new ArrivalOrder<PlaceInLine<A>>();
  previous: Line<A> = this;
  next: Line<A> = this;

  constructor(client: string) {
    this.client = client;
  }

  linkBefore(next: Line<A>): void {
    this.next = next;
    this.previous = next.previous;
    next.previous.next = this;
    next.previous = this;
  }

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }
}

/** The place of a waiting item. */
export interface PlaceInLine<A> extends Place {
  readonly lines: ClientLines<A>;
  readonly client: Client;
  readonly isFirst: boolean;
  /** Undefined while it is in no line. */
  line: Line<A> | undefined;
  /** Undefined once the item is taken or has left. */
  value: A | undefined;
}

/** Empty lines that are kept. */
const EMPTY_MAX = 1_024;
