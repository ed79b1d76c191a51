/**
 * Clients that were told to ask later, and until when. At most so many are remembered: beyond that,
 * those who were told first are forgotten.
 */
export class EarlyAskers {
  readonly #untilMs = new Map<string, number>();

  /** Of whom something is remembered. */
  get size(): number {
    return this.#untilMs.size;
  }

  /** What it asked for is there at that time. */
  refused(name: string, untilMs: number): void {
    // Told anew, it is the last to be forgotten.
    this.#untilMs.delete(name);
    this.#untilMs.set(name, untilMs);
    if (this.#untilMs.size <= NAMES_MAX) return;
    for (const first of this.#untilMs.keys()) {
      this.#untilMs.delete(first);
      return;
    }
  }

  /** Whether its time has not come. */
  isEarly(name: string, nowMs: number): boolean {
    const untilMs = this.#untilMs.get(name);
    if (untilMs === undefined) return false;
    if (nowMs < untilMs) return true;
    this.#untilMs.delete(name);
    return false;
  }
}

const NAMES_MAX = 10_000;
