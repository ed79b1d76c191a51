import type { BucketTimes } from "./BucketTimes.ts";
import { type Taken, TokenBuckets } from "./TokenBuckets.ts";

/** How much may be asked, in units of cost. */
export interface BudgetRules {
  readonly perSecond: number;
  /**
   * Units that may be spent at once after a pause; by default ten seconds' worth, at least 60. A
   * request that costs more takes all of them and leaves a debt, which has to refill first.
   */
  readonly burst?: number;
}

type HeaderLines = ReadonlyArray<readonly [name: string, value: string]>;

/** The budget of each of many clients, and the headers that state it. */
export class Budget {
  readonly #name: string;
  readonly #policy: readonly [name: string, value: string];
  readonly #buckets: TokenBuckets;

  /** `name` is sent to clients; `times` are those of buckets that threads share. */
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

  /** Takes a cost if half of the budget is left then; a full budget is enough for any cost. */
  takeSpare(client: string, cost: number, nowMs: number): boolean {
    return this.#buckets.takeSpare(client, cost, nowMs);
  }

  /** Takes a cost that is known only after the work; a negative cost is given back. */
  settle(client: string, cost: number, nowMs: number): Taken {
    return this.#buckets.settle(client, cost, nowMs);
  }

  /**
   * `r` units are left. After `t` seconds the budget is full again or, after a refusal, has what
   * the request needs. `Retry-After` gives the same time, as the draft wants it.
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

/** Units that may be spent at once, after a pause. */
export const burstOf = ({ perSecond, burst }: BudgetRules): number =>
  burst ?? Math.max(BURST_MIN, BURST_SECONDS * perSecond);

const BURST_SECONDS = 10;
const BURST_MIN = 60;
