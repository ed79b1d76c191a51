import type { PoolSort, TokenSort } from "./sortFields.ts";

/** Blocks for which a sort is made ready after it was last asked for. */
const BLOCKS_KEPT = 16;
const SORTS_MAX = 4;

/** Which sorts were asked for lately, and so will be again when the next block comes. */
export class RecentSorts {
  readonly tokens = new Asked<TokenSort>("-liquidity");
  readonly pools = new Asked<PoolSort>("-liquidityUsd");
}

class Asked<Sort> {
  readonly #always: Sort;
  // Value: blocks since it was asked for.
  readonly #ages = new Map<Sort, number>();

  constructor(always: Sort) {
    this.#always = always;
  }

  note(sort: Sort): void {
    this.#ages.delete(sort);
    if (this.#ages.size >= SORTS_MAX) this.#ages.delete(this.#ages.keys().next().value!);
    this.#ages.set(sort, 0);
  }

  /** A block goes by: the sorts to make ready for it. */
  nextBlock(): Set<Sort> {
    for (const [sort, age] of this.#ages) {
      if (age >= BLOCKS_KEPT) this.#ages.delete(sort);
      else this.#ages.set(sort, age + 1);
    }
    return new Set([this.#always, ...this.#ages.keys()]);
  }
}
