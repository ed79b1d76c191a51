import type { Address } from "@millrace/core";

const FAILURES_MAX = 3;

/** Reasons for refusing pools that no protocol gives. */
export const NOT_LOADABLE = {
  token: "a token that cannot be used",
  state: "answers that make no sense",
  quotes: "quotes unlike the chain's",
} as const;

/**
 * Discovered pools that are not loaded, by what they wait for: a shallow read, which shows whether
 * they are deep enough, or a full read.
 */
export class Admissions {
  /** Every pool is admitted without a shallow read. */
  readonly #admitsAll: boolean;
  readonly #listed: ReadonlySet<Address>;
  /**
   * Value: depth in US dollars, by the shallow read; infinite for configured pools, which come
   * first.
   */
  readonly #waiting = new Map<Address, number>();
  readonly #unseen = new Set<Address>();
  /** Value: the reason. */
  readonly #refused = new Map<Address, string>();
  /** Refused pools that nothing makes loadable again. */
  readonly #barred = new Set<Address>();
  /** Value: how often the pool's state made no sense. */
  readonly #failures = new Map<Address, number>();

  constructor(depthFloorUsd: number, listed: ReadonlyArray<Address>) {
    this.#admitsAll = depthFloorUsd === 0;
    this.#listed = new Set(listed);
  }

  /** True when a new pool is loaded in the block that creates it. */
  loadsAtOnce(pool: Address): boolean {
    return this.#admitsAll || this.#listed.has(pool);
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get unseenCount(): number {
    return this.#unseen.size;
  }

  /** A pool that is not loaded was created, or a log touched it. */
  touched(pool: Address): void {
    if (this.#waiting.has(pool) || this.#refused.has(pool) || this.#barred.has(pool)) return;
    if (this.loadsAtOnce(pool)) this.#waiting.set(pool, Number.POSITIVE_INFINITY);
    else this.#unseen.add(pool);
  }

  /** A pool that was loaded has to be read anew. */
  unloaded(pool: Address): void {
    this.admitted(pool, Number.POSITIVE_INFINITY);
  }

  /** A shallow read found the pool deep enough. */
  admitted(pool: Address, depthUsd: number): void {
    if (!this.#barred.has(pool)) this.#waiting.set(pool, depthUsd);
  }

  /** The pool cannot be loaded as things are; logs of its own do not change that. */
  refused(pool: Address, reason: string): void {
    if (this.#barred.has(pool)) return;
    this.#waiting.delete(pool);
    this.#unseen.delete(pool);
    this.#refused.set(pool, reason);
  }

  /** The pool is no longer loaded, whatever happens to it. */
  barred(pool: Address, reason: string): void {
    this.refused(pool, reason);
    this.#barred.add(pool);
  }

  /** Lifts the bar: the reason for it was no fault of the pool. */
  pardoned(pool: Address): void {
    if (!this.#barred.delete(pool)) return;
    this.#refused.delete(pool);
    this.unloaded(pool);
  }

  isBarred(pool: Address): boolean {
    return this.#barred.has(pool);
  }

  /** Pools that are refused, and why. */
  get refusals(): ReadonlyMap<Address, string> {
    return this.#refused;
  }

  /** Pools that are admitted, but not read yet. */
  get waiting(): Iterable<Address> {
    return this.#waiting.keys();
  }

  /** Pools without a shallow read since a log last touched them. */
  get unseen(): Iterable<Address> {
    return this.#unseen;
  }

  /**
   * The answers for the pool are not a valid state; the first few times may be the nodes' fault.
   */
  failed(pool: Address): void {
    const failures = (this.#failures.get(pool) ?? 0) + 1;
    this.#failures.set(pool, failures);
    if (failures >= FAILURES_MAX) this.refused(pool, NOT_LOADABLE.state);
  }

  /** What made pools unloadable may be over: for all pools, or for some. */
  reconsider(isMeant: (pool: Address) => boolean = () => true): void {
    this.#failures.clear();
    for (const pool of [...this.#refused.keys()]) {
      if (this.#barred.has(pool) || !isMeant(pool)) continue;
      this.#refused.delete(pool);
      this.touched(pool);
    }
  }

  /** The pool was loaded, or never was. */
  settled(pool: Address): void {
    this.#barred.delete(pool);
    this.#waiting.delete(pool);
    this.#unseen.delete(pool);
    this.#refused.delete(pool);
    this.#failures.delete(pool);
  }

  /** Forgets all pools but those barred pools that are still known. */
  clear(isKnown: (pool: Address) => boolean): void {
    this.#waiting.clear();
    this.#unseen.clear();
    this.#failures.clear();
    for (const pool of [...this.#refused.keys()]) {
      if (this.#barred.has(pool) && isKnown(pool)) continue;
      this.#barred.delete(pool);
      this.#refused.delete(pool);
    }
  }

  /** Up to `count` pools to read next, the deepest first. They stay waiting. */
  next(count: number): Address[] {
    // The best so far, ascending by depth. One pass, as there may be very many pools.
    const best: Array<readonly [pool: Address, depthUsd: number]> = [];
    for (const entry of this.#waiting) {
      const [, depthUsd] = entry;
      if (best.length === count && depthUsd <= best[0]![1]) continue;
      const above = best.findIndex(([, depth]) => depth >= depthUsd);
      best.splice(above === -1 ? best.length : above, 0, entry);
      if (best.length > count) best.shift();
    }
    return best.reverse().map(([pool]) => pool);
  }

  /** Up to `count` pools for the next shallow read; they no longer wait for one. */
  takeUnseen(count: number): Address[] {
    const taken: Address[] = [];
    for (const pool of this.#unseen) {
      if (taken.length === count) break;
      taken.push(pool);
    }
    for (const pool of taken) this.#unseen.delete(pool);
    return taken;
  }
}
