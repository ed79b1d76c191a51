import type { Address } from "@millrace/core";

/** So many pools of a DEX whose answers differ, and none that agreed: it is whom one asks. */
const DIFFERING_MAX = 3;

/**
 * What the answers of each DEX were worth so far. A quoter that is the wrong contract differs of
 * every pool: it would take its whole DEX out of the market.
 */
export class Quoters {
  readonly #agreed = new Set<string>();
  /** Key: a DEX of which no answer agreed yet. */
  readonly #differing = new Map<string, Set<Address>>();
  readonly #refused = new Set<string>();

  /** DEXes that are not asked any more. */
  get refused(): ReadonlySet<string> {
    return this.#refused;
  }

  /** An answer was what is quoted here. */
  agreed(dexId: string): void {
    this.#agreed.add(dexId);
    this.#differing.delete(dexId);
  }

  /** An answer was another one, at a second look too: who is to blame. */
  differed(dexId: string, pool: Address): Blame {
    if (this.#refused.has(dexId)) return { kind: "quoter", acquitted: [] };
    if (this.#agreed.has(dexId)) return { kind: "pool" };
    const pools = this.#differing.get(dexId) ?? new Set();
    this.#differing.set(dexId, pools.add(pool));
    if (pools.size < DIFFERING_MAX) return { kind: "pool" };
    this.#refused.add(dexId);
    this.#differing.delete(dexId);
    return { kind: "quoter", acquitted: [...pools] };
  }
}

/** Whose fault a difference is; `acquitted`: the pools that were blamed before. */
export type Blame =
  | { readonly kind: "pool" }
  | { readonly kind: "quoter"; readonly acquitted: ReadonlyArray<Address> };
