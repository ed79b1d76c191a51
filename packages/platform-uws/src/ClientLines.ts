import { ArrivalOrder, type Place } from "./ArrivalOrder.ts";

/**
 * A line of waiting items for each client. Clients take turns: one item of each, then the next of
 * each, however long a client's line is.
 */
export class ClientLines<A> {
  /** Lines by client, in the order of their turns. None is empty. */
  readonly #lines = new Map<string, Line<A>>();
  /** The items of all lines. */
  readonly #all = new ArrivalOrder<PlaceInLine<A>>();
  /** Kept from call to call: a new iterator would start again with clients that had their turn. */
  #turns = this.#lines.values();

  /** Items in all lines. */
  get length(): number {
    return this.#all.length;
  }

  /**
   * Adds an item that has just arrived. Returns its place, for `leave`. `isFirst`: its client
   * becomes the newest, even if other items in its line have waited for long.
   */
  add(value: A, client: string, arrivedMs: number, isFirst = false): PlaceInLine<A> {
    let line = this.#lines.get(client);
    if (line === undefined || isFirst) {
      if (line === undefined) line = { client, places: new ArrivalOrder() };
      else this.#lines.delete(client);
      this.#lines.set(client, line);
    }
    const place: PlaceInLine<A> = { lines: this, value, line, inLine: undefined, inAll: undefined };
    place.inLine = line.places.add(place, arrivedMs);
    place.inAll = this.#all.add(place, arrivedMs);
    return place;
  }

  /** Removes the item at a place, if it still waits. */
  leave({ line, inLine, inAll }: PlaceInLine<A>): void {
    line.places.leave(inLine!);
    this.#all.leave(inAll!);
    if (line.places.length === 0 && this.#lines.get(line.client) === line) {
      this.#lines.delete(line.client);
    }
  }

  /** Takes the oldest item of each line in turn. */
  *oldest(): Iterable<A> {
    for (let line = this.#nextLine(); line !== undefined; line = this.#nextLine()) {
      const place = line.places.takeOldest()!;
      this.#lines.delete(line.client);
      if (line.places.length > 0) this.#lines.set(line.client, line);
      this.leave(place);
      yield place.value;
    }
  }

  /**
   * Takes the newest item of each line in turn, if it arrived at that time or later. The client
   * that asked last comes first.
   */
  *newest(sinceMs: number): Iterable<A> {
    let lines = [...this.#lines.values()].reverse();
    while (lines.length > 0) {
      const served: Array<Line<A>> = [];
      for (const line of lines) {
        const place = line.places.takeNewest(sinceMs);
        if (place === undefined) continue;
        this.leave(place);
        served.push(line);
        yield place.value;
      }
      lines = served;
    }
  }

  /** Takes the oldest item of all lines, if it arrived before that time. */
  takeOlderThan(ms: number): A | undefined {
    const place = this.#all.takeOlderThan(ms);
    if (place !== undefined) this.leave(place);
    return place?.value;
  }

  /** Whether any waiting item arrived before that time. */
  hasBefore(ms: number): boolean {
    return this.#all.hasBefore(ms);
  }

  /** Whether any waiting item arrived at that time or later. */
  hasSince(ms: number): boolean {
    return this.#all.hasSince(ms);
  }

  #nextLine(): Line<A> | undefined {
    if (this.#lines.size === 0) return undefined;
    let next = this.#turns.next();
    // A finished iterator gives no lines added later.
    if (next.done === true) {
      this.#turns = this.#lines.values();
      next = this.#turns.next();
    }
    return next.value;
  }
}

interface Line<A> {
  readonly client: string;
  readonly places: ArrivalOrder<PlaceInLine<A>>;
}

/** The place of a waiting item. */
export interface PlaceInLine<A> {
  readonly lines: ClientLines<A>;
  readonly value: A;
  readonly line: Line<A>;
  /** Set once added: its place in the client's line, and in the order of all. */
  inLine: Place<PlaceInLine<A>> | undefined;
  inAll: Place<PlaceInLine<A>> | undefined;
}
