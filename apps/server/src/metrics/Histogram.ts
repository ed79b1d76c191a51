import { family } from "./family.ts";

/** Durations, counted by buckets. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  /** Upper bounds of the buckets, ascending; the last bucket has none. */
  readonly #boundsMs: ReadonlyArray<number>;
  readonly #counts: Float64Array;
  #sumMs = 0;

  constructor(name: string, help: string, boundsMs: ReadonlyArray<number>) {
    this.#name = name;
    this.#help = help;
    this.#boundsMs = boundsMs;
    this.#counts = new Float64Array(boundsMs.length + 1);
  }

  observe(durationMs: number): void {
    this.#sumMs += durationMs;
    let bucket = 0;
    while (bucket < this.#boundsMs.length && durationMs > this.#boundsMs[bucket]!) bucket++;
    this.#counts[bucket]!++;
  }

  /** In the text format of Prometheus, in seconds. */
  lines(): ReadonlyArray<string> {
    const name = this.#name;
    let total = 0;
    const buckets = Array.from(this.#counts, (count, index) => {
      total += count;
      const boundMs = this.#boundsMs[index];
      const bound = boundMs === undefined ? "+Inf" : (boundMs / 1_000).toPrecision(2);
      return `${name}_bucket{le="${bound}"} ${total}`;
    });
    return [
      ...family(name, "histogram", this.#help),
      ...buckets,
      `${name}_sum ${this.#sumMs / 1_000}`,
      `${name}_count ${total}`,
    ];
  }
}
