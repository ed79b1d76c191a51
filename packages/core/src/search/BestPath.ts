import { type PoolFamily, REFUSED } from "../Curve.ts";
import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import { gasCost } from "./netOf.ts";
import { HOPS_MAX, type QuoteKind } from "./quote.ts";

/** Above every amount on a chain. */
const AMOUNT_END = 1n << 256n;

/** The terms by which paths are compared. */
export interface PathTerms {
  readonly amount: bigint;
  readonly kind: QuoteKind;
  /** Paths whose swaps need more gas are not answers. */
  readonly gasLimit: number;
  /** See `QuoteRequest`. */
  readonly gasPrice: number;
}

/**
 * The exact pass: evaluates candidate paths as the contracts would, and keeps the best. A path is a
 * list of slots from the origin on, each in the list of the token that it leads to.
 */
export class BestPath {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #leastGas: number;
  #gasLimit = Number.POSITIVE_INFINITY;
  #gasPrice = 0;
  #isExactOut = false;
  #amount = 0n;
  /** The least gas cost of a path with the number of pools searched now. */
  #leastCost = 0n;
  /** The exact amount of the best path as a score (`Estimates`), less its gas cost. */
  #net = 0n;

  /** Pools of the best path so far; 0 when there is none. */
  hops = 0;
  readonly slots = new Uint32Array(HOPS_MAX);
  /** Index: hop. The exact amount after it, seen from the origin. */
  amounts: bigint[] = [];
  /**
   * The score (see `Estimates`) that a path with the number of pools searched now must exceed to
   * beat the best: the best score or, with a gas price, the best score after its gas plus the least
   * gas cost of the other path. It only rises while paths of one length are searched.
   */
  floor = Number.NEGATIVE_INFINITY;
  #trial: bigint[] = [];

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
    // Finite even for a market without families.
    const least = families.map(({ leastGas }) => leastGas);
    this.#leastGas = Math.min(Number.MAX_SAFE_INTEGER, ...least);
  }

  begin({ amount, kind, gasLimit, gasPrice }: PathTerms): void {
    this.#amount = amount;
    this.#isExactOut = kind === "exactOut";
    this.#gasLimit = gasLimit;
    this.#gasPrice = gasPrice;
    this.#leastCost = 0n;
    this.hops = 0;
    this.floor = Number.NEGATIVE_INFINITY;
  }

  /**
   * Paths of `hops` pools follow; call with rising numbers. False when none of them could beat the
   * best, whatever it gives.
   */
  beginHops(hops: number): boolean {
    if (this.#gasPrice === 0) return true;
    this.#leastCost = gasCost(this.#gasPrice, hops * this.#leastGas);
    if (this.hops === 0) return true;
    const mostScore = this.#isExactOut ? -1n : AMOUNT_END;
    if (this.#net + this.#leastCost >= mostScore) return false;
    this.#setFloor();
    return true;
  }

  /** Gas of the best path's swaps; see `PoolFamily.gas`. */
  gas(): number {
    return this.#gasOf("gas", this.slots, this.hops, this.amounts);
  }

  /** Gas that the best path's swaps add to a transaction; see `PoolFamily.typicalGas`. */
  typicalGas(): number {
    return this.#gasOf("typicalGas", this.slots, this.hops, this.amounts);
  }

  /**
   * Whether a path with this score, at best, could beat the best. Of equal paths the first stays,
   * and paths come by rising numbers of pools. Scores of up to 2^53 are whole numbers, and compare
   * exactly; beyond, a bound exceeds the exact amount by far more than the rounding of either to a
   * float.
   */
  couldImprove(score: number): boolean {
    return score > this.floor;
  }

  /** Evaluates the path of the first `hops` of `slots`, and keeps it if it is the best so far. */
  offer(slots: Uint32Array, hops: number): void {
    const graph = this.#graph;
    const trial = this.#trial;
    let amount = this.#amount;
    for (let hop = 0; hop < hops; hop++) {
      const slot = slots[hop]!;
      const pool = graph.slotPool[slot]! as PoolIndex;
      const own = graph.slotPositions[slot]! >> 3;
      const neighbour = graph.slotPositions[slot]! & 7;
      const family = this.#families[graph.poolCurve[pool]!]!;
      amount = this.#isExactOut
        ? family.quoteExactOut(pool, own, neighbour, amount)
        : family.quoteExactIn(pool, neighbour, own, amount);
      if (amount === REFUSED || amount === 0n) return;
      trial[hop] = amount;
    }
    let net = this.#isExactOut ? -amount : amount;
    if (this.#gasPrice > 0) {
      net -= gasCost(this.#gasPrice, this.#gasOf("typicalGas", slots, hops, trial));
    }
    if (this.hops > 0 && net <= this.#net) return;
    const isLimited = this.#gasLimit < Number.POSITIVE_INFINITY;
    if (isLimited && this.#gasOf("gas", slots, hops, trial) > this.#gasLimit) return;
    this.slots.set(slots);
    this.#trial = this.amounts;
    this.amounts = trial;
    this.hops = hops;
    this.#net = net;
    this.#setFloor();
  }

  /** A floor below every possible score is none: scores are more than 0, or more than −2^256. */
  #setFloor(): void {
    const floor = this.#net + this.#leastCost;
    const none = this.#isExactOut ? -AMOUNT_END : 0n;
    this.floor = floor > none ? Number(floor) : Number.NEGATIVE_INFINITY;
  }

  #gasOf(
    kind: "gas" | "typicalGas",
    slots: Uint32Array,
    hops: number,
    amounts: ReadonlyArray<bigint>,
  ): number {
    const graph = this.#graph;
    let gas = 0;
    for (let hop = 0; hop < hops; hop++) {
      const slot = slots[hop]!;
      const pool = graph.slotPool[slot]! as PoolIndex;
      const own = graph.slotPositions[slot]! >> 3;
      const neighbour = graph.slotPositions[slot]! & 7;
      const family = this.#families[graph.poolCurve[pool]!]!;
      gas += this.#isExactOut
        ? family[kind](pool, own, neighbour, amounts[hop]!)
        : family[kind](pool, neighbour, own, hop === 0 ? this.#amount : amounts[hop - 1]!);
    }
    return gas;
  }
}
