import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import { type PoolFamily, REFUSED } from "../Protocol.ts";
import { HOPS_MAX } from "./quote.ts";

/**
 * The exact pass: evaluates candidate paths as the contracts would, and keeps the best. A path is
 * a list of slots from the origin on, each in the list of the token that it leads to.
 */
export class BestPath {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  #gasLimit = Number.POSITIVE_INFINITY;
  #exactOut = false;
  #amount = 0n;

  /** Pools of the best path so far; 0 when there is none. */
  hops = 0;
  readonly slots = new Uint32Array(HOPS_MAX);
  /** Index: hop. The exact amount behind it, seen from the origin. */
  amounts: bigint[] = [];
  /** The exact amount at the goal as a score; see `Estimates`. */
  score = Number.NEGATIVE_INFINITY;
  #trial: bigint[] = [];

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
  }

  /** Paths whose swaps need more gas than `gasLimit` are no answers. */
  begin(amount: bigint, exactOut: boolean, gasLimit: number): void {
    this.#amount = amount;
    this.#exactOut = exactOut;
    this.#gasLimit = gasLimit;
    this.hops = 0;
    this.score = Number.NEGATIVE_INFINITY;
  }

  /** What the swaps of the best path need; see `PoolFamily.gas`. */
  gas(): number {
    return this.#gasOf(this.slots, this.hops, this.amounts);
  }

  /**
   * Whether a path with this score, at best, could be better than the best. Of equals the first
   * stays, and paths come by rising numbers of pools. Scores of up to 2^53 are whole numbers, and
   * compare exactly; beyond, a bound exceeds the exact amount by far more than the rounding of
   * either to a float.
   */
  couldImprove(score: number): boolean {
    return score > this.score;
  }

  /** Evaluates the path of the first `hops` of `slots`, and keeps it when it is the best so far. */
  offer(slots: Uint32Array, hops: number): void {
    const graph = this.#graph;
    const trial = this.#trial;
    let amount = this.#amount;
    for (let hop = 0; hop < hops; hop++) {
      const slot = slots[hop]!;
      const pool = graph.slotPool[slot]! as PoolIndex;
      const own = graph.slotPositions[slot]! >> 3;
      const neighbour = graph.slotPositions[slot]! & 7;
      const family = this.#families[graph.poolProtocol[pool]!]!;
      amount = this.#exactOut
        ? family.quoteExactOut(pool, own, neighbour, amount)
        : family.quoteExactIn(pool, neighbour, own, amount);
      if (amount === REFUSED || amount === 0n) return;
      trial[hop] = amount;
    }
    if (this.hops > 0) {
      const best = this.amounts[this.hops - 1]!;
      if (this.#exactOut ? amount >= best : amount <= best) return;
    }
    const isLimited = this.#gasLimit < Number.POSITIVE_INFINITY;
    if (isLimited && this.#gasOf(slots, hops, trial) > this.#gasLimit) return;
    this.slots.set(slots);
    this.#trial = this.amounts;
    this.amounts = trial;
    this.hops = hops;
    this.score = this.#exactOut ? -Number(amount) : Number(amount);
  }

  #gasOf(slots: Uint32Array, hops: number, amounts: ReadonlyArray<bigint>): number {
    const graph = this.#graph;
    let gas = 0;
    for (let hop = 0; hop < hops; hop++) {
      const slot = slots[hop]!;
      const pool = graph.slotPool[slot]! as PoolIndex;
      const own = graph.slotPositions[slot]! >> 3;
      const neighbour = graph.slotPositions[slot]! & 7;
      const family = this.#families[graph.poolProtocol[pool]!]!;
      gas += this.#exactOut
        ? family.gas(pool, own, neighbour, amounts[hop]!)
        : family.gas(pool, neighbour, own, hop === 0 ? this.#amount : amounts[hop - 1]!);
    }
    return gas;
  }
}
