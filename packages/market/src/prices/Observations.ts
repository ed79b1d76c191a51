import { enlarged } from "../enlarged.ts";
import type { TokenPrices } from "./TokenPrices.ts";

/** Observations that are sorted by comparing neighbours, without another array. */
const FEW = 16;

/**
 * What pools say about the price of one token, each through a neighbour that is already priced.
 * Index: observation. Used again for each token: a valuation asks about tens of thousands of them
 * for each block.
 */
export class Observations {
  length = 0;
  /** The neighbour. */
  from = new Int32Array(FEW);
  pool = new Int32Array(FEW);
  unitPriceUsd = new Float64Array(FEW);
  /** US dollars of depth. */
  weight = new Float64Array(FEW);

  clear(): void {
    this.length = 0;
  }

  add(from: number, pool: number, unitPriceUsd: number, weight: number): void {
    const at = this.length++;
    if (at === this.from.length) this.#enlarge();
    this.from[at] = from;
    this.pool[at] = pool;
    this.unitPriceUsd[at] = unitPriceUsd;
    this.weight[at] = weight;
  }

  /** Keeps those whose neighbour passes on at least `least`: a share of its width. */
  keepBacked({ widthUsd }: TokenPrices, passedOn: number, least: number): void {
    let kept = 0;
    for (let at = 0; at < this.length; at++) {
      if (passedOn * widthUsd[this.from[at]!]! >= least) this.#swap(kept++, at);
    }
    this.length = kept;
  }

  /**
   * Sorts by price, then by pool, then by the order in which neighbours were settled.
   * `comparePools` is negative when the first pool comes first.
   */
  sort({ settledAt }: TokenPrices, comparePools: (a: number, b: number) => number): void {
    if (this.length > FEW) {
      const order = new Uint32Array(this.length);
      for (let at = 0; at < order.length; at++) order[at] = at;
      this.#permute(order.sort((a, b) => this.#compare(a, b, settledAt, comparePools)));
      return;
    }
    for (let next = 1; next < this.length; next++) {
      for (let at = next; at > 0; at--) {
        if (this.#compare(at - 1, at, settledAt, comparePools) <= 0) break;
        this.#swap(at - 1, at);
      }
    }
  }

  /** Whether a pool says anything through more than one neighbour. */
  isAnyPoolRepeated(): boolean {
    const { length, pool } = this;
    if (length > FEW) return new Set(pool.subarray(0, length)).size < length;
    for (let later = 1; later < length; later++) {
      for (let earlier = 0; earlier < later; earlier++) {
        if (pool[earlier] === pool[later]) return true;
      }
    }
    return false;
  }

  #compare(
    a: number,
    b: number,
    settledAt: Int32Array,
    comparePools: (a: number, b: number) => number,
  ): number {
    return (
      this.unitPriceUsd[a]! - this.unitPriceUsd[b]! ||
      comparePools(this.pool[a]!, this.pool[b]!) ||
      settledAt[this.from[a]!]! - settledAt[this.from[b]!]!
    );
  }

  #swap(a: number, b: number): void {
    swap(this.from, a, b);
    swap(this.pool, a, b);
    swap(this.unitPriceUsd, a, b);
    swap(this.weight, a, b);
  }

  #permute(order: Uint32Array): void {
    const from = this.from.slice(0, this.length);
    const pool = this.pool.slice(0, this.length);
    const unitPriceUsd = this.unitPriceUsd.slice(0, this.length);
    const weight = this.weight.slice(0, this.length);
    for (let at = 0; at < this.length; at++) {
      const before = order[at]!;
      this.from[at] = from[before]!;
      this.pool[at] = pool[before]!;
      this.unitPriceUsd[at] = unitPriceUsd[before]!;
      this.weight[at] = weight[before]!;
    }
  }

  #enlarge(): void {
    this.from = enlarged(this.from, this.length);
    this.pool = enlarged(this.pool, this.length);
    this.unitPriceUsd = enlarged(this.unitPriceUsd, this.length);
    this.weight = enlarged(this.weight, this.length);
  }
}

function swap(values: Int32Array | Float64Array, a: number, b: number): void {
  const value = values[a]!;
  values[a] = values[b]!;
  values[b] = value;
}
