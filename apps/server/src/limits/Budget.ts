import type { BucketTimes } from "./BucketTimes.ts";
import { type Taken, TokenBuckets } from "./TokenBuckets.ts";

/** How much may be asked, in units of cost. */
export interface BudgetRules {
  readonly perSecond: number;
  /**
   * At once, after a pause; ten seconds' worth without it. What costs more takes all of it, and
   * what is owed has to come back first.
   */
  readonly burst?: number;
}

type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/** What each of many clients may ask, and the headers that say so. */
export class Budget {
  readonly #name: string;
  readonly #policy: readonly [name: string, value: string];
  readonly #buckets: TokenBuckets;

  /** `name` is sent to clients; `times` are of buckets that other threads take from, too. */
  constructor(name: string, rules: BudgetRules, times?: BucketTimes) {
    const { perSecond } = rules;
    const burst = burstOf(rules);
    this.#name = name;
    this.#buckets = new TokenBuckets(perSecond, burst, times);
    // draft-ietf-httpapi-ratelimit-headers: `q` units within `w` seconds.
    const windowSeconds = Math.ceil(burst / perSecond);
    this.#policy = ["ratelimit-policy", `"${name}";q=${burst};w=${windowSeconds}`];
  }

  take(client: string, cost: number, nowMs: number, held: number): Taken {
    return this.#buckets.take(client, cost, nowMs, held);
  }

  /** Takes a cost if half of the budget is left then; a full one is enough for anything. */
  takeSpare(client: string, cost: number, nowMs: number): boolean {
    return this.#buckets.takeSpare(client, cost, nowMs);
  }

  /** Takes what is known to be due only after the work, or gives back where that is below 0. */
  settle(client: string, cost: number, nowMs: number): Taken {
    return this.#buckets.settle(client, cost, nowMs);
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
const BURST_MIN = 60;
