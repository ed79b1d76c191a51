import { type Taken, TokenBuckets } from "./TokenBuckets.ts";

/** How much may be asked, in units of cost. */
export interface BudgetRules {
  readonly perSecond: number;
  /**
   * At once, after a pause; ten seconds' worth without it, and never less than the dearest request.
   */
  readonly burst?: number;
}

type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/** What each of many clients may ask, and the headers that say so. */
export class Budget {
  readonly #name: string;
  readonly #policy: readonly [name: string, value: string];
  readonly #buckets: TokenBuckets;

  /** `name` is sent to clients. */
  constructor(name: string, rules: BudgetRules) {
    const { perSecond } = rules;
    const burst = burstOf(rules);
    this.#name = name;
    this.#buckets = new TokenBuckets(perSecond, burst);
    // draft-ietf-httpapi-ratelimit-headers: `q` units within `w` seconds.
    const windowSeconds = Math.ceil(burst / perSecond);
    this.#policy = ["ratelimit-policy", `"${name}";q=${burst};w=${windowSeconds}`];
  }

  take(client: string, cost: number, nowMs: number, held: number): Taken {
    return this.#buckets.take(client, cost, nowMs, held);
  }

  /**
   * `r` units are left; after `t` seconds all are there again, or, when there were too few, as many
   * as the request needs. With `Retry-After` both give the same time, as the draft has it.
   */
  headers({ isGranted, left, waitMs }: Taken): HeaderLines {
    const seconds = Math.ceil(waitMs / 1_000);
    const waiting = isGranted ? seconds : Math.max(1, seconds);
    return [
      this.#policy,
      ["ratelimit", `"${this.#name}";r=${left};t=${waiting}`],
      ...(isGranted ? [] : [["retry-after", String(waiting)] as const]),
    ];
  }
}

/** What may be asked at once, after a pause. */
export const burstOf = ({ perSecond, burst }: BudgetRules): number =>
  burst ?? Math.max(BURST_MIN, BURST_SECONDS * perSecond);

const BURST_SECONDS = 10;
/** The cost of a swap. */
const BURST_MIN = 60;
