import type { CyclePath } from "./CyclePath.ts";

/** A profitable round trip at its best size. */
export interface SizedCycle extends CyclePath {
  /** The input of each pool, by hop, then the final output. */
  readonly amounts: ReadonlyArray<bigint>;
  readonly profit: bigint;
  readonly gas: number;
}

/**
 * The best cycles of a search, best first: at most `capacity`, and complete up to the rank of
 * `end`.
 */
export class KeptCycles {
  readonly #capacity: number;
  #cycles: SizedCycle[] = [];
  /** The best cycle that was left out; undefined while none was. */
  #end: SizedCycle | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get cycles(): ReadonlyArray<SizedCycle> {
    return this.#cycles;
  }

  get isComplete(): boolean {
    return this.#end === undefined;
  }

  /** A cycle with less profit than this would not be kept. */
  get leastProfit(): number {
    return this.#end === undefined ? 1 : Number(this.#end.profit);
  }

  clear(): void {
    this.#cycles = [];
    this.#end = undefined;
  }

  /** Removes the cycles through pools that `isChanged` marks with 1; index: pool. */
  dropThrough(isChanged: Uint8Array): void {
    this.#cycles = this.#cycles.filter(({ pools }) => pools.every((pool) => isChanged[pool] !== 1));
  }

  add(cycle: SizedCycle): void {
    if (this.#end !== undefined && compareRank(cycle, this.#end) >= 0) return;
    let place = this.#cycles.length;
    while (place > 0 && compareRank(cycle, this.#cycles[place - 1]!) < 0) place--;
    this.#cycles.splice(place, 0, cycle);
    if (this.#cycles.length > this.#capacity) this.#end = this.#cycles.pop();
  }
}

/**
 * By profit, then by the fewest pools, then by pools: a total order, so that ties always rank
 * alike.
 */
function compareRank(a: SizedCycle, b: SizedCycle): number {
  if (a.profit !== b.profit) return a.profit > b.profit ? -1 : 1;
  if (a.pools.length !== b.pools.length) return a.pools.length - b.pools.length;
  for (let hop = 0; hop < a.pools.length; hop++) {
    const difference = a.pools[hop]! - b.pools[hop]! || a.positions[hop]! - b.positions[hop]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
