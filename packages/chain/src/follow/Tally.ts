/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  count(name: string, by: number): void {
    this.#counts.set(name, this.of(name) + by);
  }

  clear(): void {
    this.#counts.clear();
  }
}
