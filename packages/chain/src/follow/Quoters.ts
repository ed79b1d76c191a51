import type { Address } from "@millrace/core";

/** When this many pools of a DEX differ and none agreed, the quoter is at fault. */
const DIFFERING_MAX = 3;

/**
 * How reliable each DEX's quoter has been so far. A quoter that is the wrong contract differs for
 * every pool: it would take its whole DEX out of the market.
 */
export class Quoters {
  readonly #agreed = new Set<string>();
  /** Key: a DEX none of whose answers has agreed yet. Value: the pools that differed. */
  readonly #differing = new Map<string, Set<Address>>();
  readonly #refused = new Set<string>();

  /** DEXes whose quoter is not asked any more. */
  get refused(): ReadonlySet<string> {
    return this.#refused;
  }

  /** An answer was equal to the quote here. */
  agreed(dexId: string): void {
    this.#agreed.add(dexId);
    this.#differing.delete(dexId);
  }

  /** An answer differed from the quote here, at a second look too. Gives who is to blame. */
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

/** Who is at fault for a difference; `acquitted`: the pools blamed before. */
export type Blame =
  | { readonly kind: "pool" }
  | { readonly kind: "quoter"; readonly acquitted: ReadonlyArray<Address> };
