import type { Quote, QuoteRequest } from "../quote.ts";
import { type Bound, type Certifier, isCloser, type Reached } from "./Certifier.ts";

/**
 * The goal of `QuoteRequest.gapBps`, for a request without sets of DEXes: whether a search has come
 * close enough to the best possible routing. A bound is valid whatever it was computed from, so the
 * closest of all is kept.
 */
export class GapGoal {
  readonly #certifier: Certifier;
  readonly #request: QuoteRequest;
  readonly #gapBps: number;
  /** The closest bound so far. */
  bound: Bound = "unknown";

  constructor(certifier: Certifier, request: QuoteRequest, gapBps: number) {
    this.#certifier = certifier;
    this.#request = request;
    this.#gapBps = gapBps;
  }

  isMetBy(quote: Quote): boolean {
    return this.room(this.#certifier.reachedBy(this.#request, quote)) >= 0;
  }

  /**
   * How much of the amount sought could still be lost within the gap; negative where the quote is
   * too far from the bound.
   */
  room(reached: Reached): number {
    const known = this.#roomOf(reached);
    if (known >= 0) return known;
    const bound = this.#certifier.boundFrom(this.#request, reached);
    if (isCloser(this.#request, bound, this.bound)) this.bound = bound;
    return this.#roomOf(reached);
  }

  #roomOf({ net, sought }: Reached): number {
    if (typeof this.bound !== "bigint") return Number.NEGATIVE_INFINITY;
    const best = Number(this.#request.kind === "exactIn" ? this.bound : -this.bound);
    return (this.#gapBps * sought) / 10_000 - (best - net);
  }
}
