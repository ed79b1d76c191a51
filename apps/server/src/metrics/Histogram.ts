import { family } from "./family.ts";

/** Durations, counted by buckets. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  /** Upper bounds of the buckets, ascending; the last bucket has none. */
  readonly #boundsMs: ReadonlyArray<number>;
  /** Counts of the buckets; the last number is the sum of all durations, in milliseconds. */
  readonly #counts: Float64Array;

  /** Counts in `counts`, of `lengthOf` numbers, where it is given. */
  constructor(
    name: string,
    help: string,
    boundsMs: ReadonlyArray<number>,
    counts: Float64Array = new Float64Array(Histogram.lengthOf(boundsMs)),
  ) {
    this.#name = name;
    this.#help = help;
    this.#boundsMs = boundsMs;
    this.#counts = counts;
  }

  static lengthOf(boundsMs: ReadonlyArray<number>): number {
    return boundsMs.length + 2;
  }

  observe(durationMs: number): void {
    this.#counts[this.#boundsMs.length + 1]! += durationMs;
    let bucket = 0;
    while (bucket < this.#boundsMs.length && durationMs > this.#boundsMs[bucket]!) bucket++;
    this.#counts[bucket]!++;
  }

  /**
   * In the text format of Prometheus, in seconds; adds the counts of `others`, which have the same
   * bounds.
   */
  lines(others: ReadonlyArray<Histogram> = []): ReadonlyArray<string> {
    const name = this.#name;
    const sums = this.#counts.map((count, index) =>
      others.reduce((sum, other) => sum + other.#counts[index]!, count),
    );
    let total = 0;
    const buckets = Array.from(sums.subarray(0, -1), (count, index) => {
      total += count;
      const boundMs = this.#boundsMs[index];
      const bound = boundMs === undefined ? "+Inf" : (boundMs / 1_000).toPrecision(2);
      return `${name}_bucket{le="${bound}"} ${total}`;
    });
    return [
      ...family(name, "histogram", this.#help),
      ...buckets,
      `${name}_sum ${sums.at(-1)! / 1_000}`,
      `${name}_count ${total}`,
    ];
  }
}
