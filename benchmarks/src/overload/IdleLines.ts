import type { Line } from "./Line.ts";

/**
 * Connections that carry no request: each in turn, the one that has rested longest first, since the
 * service closes one that is idle for ten seconds.
 */
export class IdleLines {
  /** A ring of as many places as there are lines. */
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
