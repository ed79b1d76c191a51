import { ArrivalOrder, type Place } from "./ArrivalOrder.ts";

/**
 * What waits, in a line for each client. Clients take turns: one of each, then the next of each,
 * however long the line of one is.
 */
export class ClientLines<A> {
  /** By client, in the order of their turns: where it has a line, something waits in it. */
  readonly #lines = new Map<string, Line<A>>();
  /** Of all lines. */
  readonly #all = new ArrivalOrder<PlaceInLine<A>>();
  /** Goes along with the lines as they come: to begin anew would pass by all that have gone. */
  #turns = this.#lines.values();

  /** Of all lines. */
  get length(): number {
    return this.#all.length;
  }

  /**
   * Adds what has just arrived; gives its place, for `leave`. `isFirst`: the client is the newest
   * of all from then on, even if others in its line have waited for long.
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

  /** Takes the one at a place out, if it still waits. */
  leave({ line, inLine, inAll }: PlaceInLine<A>): void {
    line.places.leave(inLine!);
    this.#all.leave(inAll!);
    if (line.places.length === 0 && this.#lines.get(line.client) === line) {
      this.#lines.delete(line.client);
    }
  }

  /** Takes, one after the other, the oldest of each line. */
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
   * Takes, one after the other, the newest of each line that arrived at that time or later: of
   * those clients first who asked last.
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

  /** The oldest of all lines, if it arrived before that time. */
  takeOlderThan(ms: number): A | undefined {
    const place = this.#all.takeOlderThan(ms);
    if (place !== undefined) this.leave(place);
    return place?.value;
  }

  /** Whether any waits that arrived at that time or later. */
  hasSince(ms: number): boolean {
    return this.#all.hasSince(ms);
  }

  #nextLine(): Line<A> | undefined {
    if (this.#lines.size === 0) return undefined;
    let next = this.#turns.next();
    // At its end it stays there.
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

/** Where one waits. */
export interface PlaceInLine<A> {
  readonly lines: ClientLines<A>;
  readonly value: A;
  readonly line: Line<A>;
  /** Once it has them: its place in the line, and in the order of all. */
  inLine: Place<PlaceInLine<A>> | undefined;
  inAll: Place<PlaceInLine<A>> | undefined;
}
