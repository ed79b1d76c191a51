import type { Line } from "./Line.ts";

/**
 * Connections that carry no request, the longest idle first: the service closes a connection that
 * is idle for ten seconds.
 */
export class IdleLines {
  /** A ring with a place for every line. */
  readonly #places: Line[];
  #taken = 0;
  #given: number;

  constructor(lines: ReadonlyArray<Line>) {
    this.#places = [...lines];
    this.#given = lines.length;
  }

  take(): Line | undefined {
    return this.#taken === this.#given
      ? undefined
      : this.#places[this.#taken++ % this.#places.length];
  }

  give(line: Line): void {
    this.#places[this.#given++ % this.#places.length] = line;
  }
}
