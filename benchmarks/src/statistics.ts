/** The least value that half of the values do not exceed (nearest rank); NaN of none. */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/**
 * The least value that a share (0 … 1) of the values does not exceed (nearest rank); NaN of none.
 */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The results of several rounds: medians over the rounds' p50s and p99s. */
export class Rounds {
  readonly #p50: number[] = [];
  readonly #p99: number[] = [];

  add(samples: Float64Array): void {
    this.#p50.push(quantile(samples, 0.5));
    this.#p99.push(quantile(samples, 0.99));
  }

  get p50(): number {
    return median(this.#p50);
  }

  get p99(): number {
    return median(this.#p99);
  }

  /** The p50 of each round. */
  get p50s(): ReadonlyArray<number> {
    return this.#p50;
  }

  /** The p99 of each round. */
  get p99s(): ReadonlyArray<number> {
    return this.#p99;
  }
}
