import { ESTIMATE_ERROR } from "../Curve.ts";
import { allocate, grown } from "../graph/buffers.ts";
import { NO_RANK, PIECE_STRIDE, type PoolGraph } from "../graph/PoolGraph.ts";
import { HOPS_MAX } from "../search/quote.ts";
import type { CycleCurve } from "./CycleCurve.ts";
import { pathAlong } from "./CyclePath.ts";

const UP = 1 + 2 * ESTIMATE_ERROR;

/**
 * Bounds of the rest of a round trip: for each token and number of hops, over all ways back to the
 * first token. Amounts are *values*, in units of the first token by the graph's potentials: any
 * prices would do, good ones make tight bounds. A value v arrives as at most
 *
 *   `rate` × v + `bonus`   and at most   v + `gain`
 *
 * where `rate` is the best product of the edges' rates, `bonus` what rounding may add, and `gain`
 * the most that the pools on the way can add at these prices: mostly nothing, since fees eat it.
 * `gain` tells a dust pool with a wild rate from a deep one. `changedRate` and `changedGain` are
 * the same over ways back through a changed pool; 0 where there is none.
 *
 * Ways back may use a token or a pool twice here, which only loosens the bounds.
 */
export class CycleLabels {
  readonly #graph: PoolGraph;
  readonly #curve: CycleCurve;
  // Index: hops left, 1 … HOPS_MAX − 1; then token.
  readonly rate: Float64Array[] = layers();
  readonly changedRate: Float64Array[] = layers();
  readonly gain: Float64Array[] = layers();
  readonly changedGain: Float64Array[] = layers();
  readonly bonus: Float64Array[] = layers();

  #first = 0;
  /** Value of one unit of the first token by the graph's potentials. */
  #unit = 1;
  #isChanged: Uint8Array = new Uint8Array();

  // Results of `readEdge`.
  edgeRate = 0;
  edgeGain = 0;
  edgeBonus = 0;

  constructor(graph: PoolGraph, curve: CycleCurve) {
    this.#graph = graph;
    this.#curve = curve;
  }

  /** For round trips of up to `maxHops` pools; `isChanged` marks pools with 1. */
  build(first: number, maxHops: number, isChanged: Uint8Array): void {
    const graph = this.#graph;
    this.#first = first;
    this.#unit = graph.tokenPotential[first]!;
    this.#isChanged = isChanged;
    for (let hops = 1; hops < maxHops; hops++) this.#inherit(hops);
    for (let slot = graph.slotStart[first]!; slot < graph.slotEnd[first]!; slot++) {
      const token = graph.slotNeighbour[slot]!;
      this.readEdge(graph.slotIn, slot, token, first);
      const changed = isChanged[graph.slotPool[slot]!] === 1;
      this.#raise(1, token, this.edgeRate, this.edgeGain, this.edgeBonus * this.edgeRate);
      if (changed) this.#raiseChanged(1, token, this.edgeRate, this.edgeGain);
    }
    for (let hops = 2; hops < maxHops; hops++) this.#extend(hops);
  }

  /**
   * Reads an edge in value: its best rate, the most that it can give beyond its input, and what
   * rounding may add to its input. `pieces` and `slot` hold the edge's leading piece.
   */
  readEdge(pieces: Float64Array, slot: number, tokenIn: number, tokenOut: number): void {
    const { tokenPotential } = this.#graph;
    const at = slot * PIECE_STRIDE;
    const priceIn = tokenPotential[tokenIn]!;
    const priceOut = tokenPotential[tokenOut]!;
    const x = pieces[at]!;
    const y = pieces[at + 1]!;
    const limit = pieces[at + 2]!;
    const bonus = pieces[at + 3]!;
    const rate = ((y * priceOut) / (x * priceIn)) * UP;
    this.edgeRate = rate;
    this.edgeBonus = bonus === 0 ? 0 : (bonus * priceIn) / this.#unit;
    this.edgeGain = this.edgeBonus;
    if (rate <= 1) return;
    const root = Math.sqrt(rate) - 1;
    const gain =
      x * root <= limit
        ? x * root * root
        : this.#gainPastPiece(slot, pieces === this.#graph.slotIn, priceOut / priceIn);
    this.edgeGain += (gain * priceIn) / this.#unit;
  }

  #gainPastPiece(slot: number, isIncoming: boolean, worth: number): number {
    return this.#curve.peakProfit(this.#edge(slot, isIncoming), worth * UP);
  }

  /** The edge neighbour → own of a slot, or own → neighbour. */
  #edge(slot: number, isIncoming: boolean) {
    const edge = pathAlong(this.#graph, [slot]);
    if (!isIncoming) return edge;
    const positions = edge.positions[0]!;
    return { ...edge, positions: [((positions & 7) << 3) | (positions >> 3)] };
  }

  /** A way back of fewer hops counts for more hops too. */
  #inherit(hops: number): void {
    const { tokenCount } = this.#graph;
    for (const labels of [this.rate, this.changedRate, this.gain, this.changedGain, this.bonus]) {
      labels[hops] = grown(Float64Array, labels[hops]!, tokenCount);
      if (hops === 1) labels[hops]!.fill(0);
    }
  }

  /** Labels with one hop more than before: backwards over each edge between transits. */
  #extend(hops: number): void {
    const { slotIn, slotNeighbour, slotPool, slotStart, slotTransitEnd, tokenCount, tokenRank } =
      this.#graph;
    const left = hops - 1;
    for (const labels of [this.rate, this.changedRate, this.gain, this.changedGain, this.bonus])
      labels[hops]!.set(labels[left]!.subarray(0, tokenCount));
    for (let token = 0; token < tokenCount; token++) {
      const rate = this.rate[left]![token]!;
      if (rate === 0 || tokenRank[token] === NO_RANK) continue;
      const changedRate = this.changedRate[left]![token]!;
      const gain = this.gain[left]![token]!;
      const changedGain = this.changedGain[left]![token]!;
      const bonus = this.bonus[left]![token]!;
      for (let slot = slotStart[token]!; slot < slotTransitEnd[token]!; slot++) {
        const before = slotNeighbour[slot]!;
        if (before === this.#first) continue;
        this.readEdge(slotIn, slot, before, token);
        const { edgeBonus, edgeGain, edgeRate } = this;
        this.#raise(
          hops,
          before,
          edgeRate * rate,
          edgeGain + gain,
          edgeBonus * edgeRate * rate + bonus,
        );
        if (this.#isChanged[slotPool[slot]!] === 1) {
          this.#raiseChanged(hops, before, edgeRate * rate, edgeGain + gain);
        } else if (changedRate > 0) {
          this.#raiseChanged(hops, before, edgeRate * changedRate, edgeGain + changedGain);
        }
      }
    }
  }

  #raise(hops: number, token: number, rate: number, gain: number, bonus: number): void {
    if (rate > this.rate[hops]![token]!) this.rate[hops]![token] = rate;
    if (gain > this.gain[hops]![token]!) this.gain[hops]![token] = gain;
    if (bonus > this.bonus[hops]![token]!) this.bonus[hops]![token] = bonus;
  }

  #raiseChanged(hops: number, token: number, rate: number, gain: number): void {
    if (rate > this.changedRate[hops]![token]!) this.changedRate[hops]![token] = rate;
    if (gain > this.changedGain[hops]![token]!) this.changedGain[hops]![token] = gain;
  }
}

function layers(): Float64Array[] {
  return Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
}
