import { family } from "./family.ts";

/** Durations, counted by buckets. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  /** Upper bounds of the buckets, ascending; the last bucket has none. */
  readonly #boundsMs: ReadonlyArray<number>;
  /** The bounds as they are written, in seconds. */
  readonly #bounds: ReadonlyArray<string>;
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
    this.#bounds = [...boundsMs.map((boundMs) => (boundMs / 1_000).toPrecision(2)), "+Inf"];
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
    const sums = this.#counts.slice();
    for (const other of others) {
      for (let index = 0; index < sums.length; index++) sums[index]! += other.#counts[index]!;
    }
    let total = 0;
    const buckets = this.#bounds.map((bound, index) => {
      total += sums[index]!;
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
