/**
 * Clients that were told to ask later, and until when. At most `NAMES_MAX` are remembered; those
 * told first are forgotten first.
 */
export class EarlyAskers {
  readonly #untilMs = new Map<string, number>();

  /** Clients that are remembered. */
  get size(): number {
    return this.#untilMs.size;
  }

  /** The client can be served from that time on. */
  refused(name: string, untilMs: number): void {
    // A client that is told again is forgotten last.
    this.#untilMs.delete(name);
    this.#untilMs.set(name, untilMs);
    if (this.#untilMs.size <= NAMES_MAX) return;
    for (const first of this.#untilMs.keys()) {
      this.#untilMs.delete(first);
      return;
    }
  }

  /** Whether the client's time has not come yet. */
  isEarly(name: string, nowMs: number): boolean {
    const untilMs = this.#untilMs.get(name);
    if (untilMs === undefined) return false;
    if (nowMs < untilMs) return true;
    this.#untilMs.delete(name);
    return false;
  }
}

const NAMES_MAX = 10_000;
