import { allocate, grown } from "../graph/buffers.ts";
import { NO_RANK, type PoolGraph } from "../graph/PoolGraph.ts";
import { type FirstValues, labelAll } from "./adjacencyScans.ts";
import type { PoolMask } from "./PoolMask.ts";
import { leastInputByTangent, mostOutputByTangent } from "./pieces.ts";
import type { QuoteKind } from "./quote.ts";
import { type SearchTerms, UNREACHED } from "./terms.ts";

/** Marks pay off for a few gaining tokens with short lists. */
const MARKS_MAX = 4_096;

/** The labels of one hop: bounds at the transits next to the origin. See `Estimates`. */
export class FirstLabels {
  readonly #graph: PoolGraph;
  readonly #mask: PoolMask;

  /** Index: rank. UNREACHED except for the neighbours of the origin during a search. */
  labels = allocate(Float64Array, 0);
  /**
   * The best value, amount × potential, among the labels: the greatest for exact input, the least
   * for exact output.
   */
  value = 0;
  /** As `value`, without the gaining tokens: those above the value that the search started with. */
  usualValue = 0;
  /** Index: rank. `mark` for the neighbours of gaining tokens, another number for the others. */
  nearGaining = allocate(Uint32Array, 0);
  mark = 0;

  readonly #values: FirstValues = {
    usual: 0,
    greatest: 0,
    gaining: allocate(Uint32Array, 0),
    gainingCount: 0,
  };

  constructor(graph: PoolGraph, mask: PoolMask) {
    this.#graph = graph;
    this.#mask = mask;
  }

  /** `end` with the same terms must follow every `begin`. */
  begin(terms: SearchTerms): void {
    this.#reserve(terms.origin);
    const { goal, origin, amount, kind } = terms;
    if (kind === "exactIn" && !this.#mask.isActive) {
      labelAll(this.#graph, origin, amount, this.labels, this.#values);
      this.#takeValues(goal);
    } else {
      this.value = this.usualValue = this.#labelOneByOne(terms);
    }
    const goalRank = this.#graph.tokenRank[goal]!;
    if (goalRank !== NO_RANK) this.labels[goalRank] = UNREACHED;
  }

  end({ origin }: SearchTerms): void {
    const { slotRank, slotStart, slotTransitEnd } = this.#graph;
    const end = slotTransitEnd[origin]!;
    for (let slot = slotStart[origin]!; slot < end; slot++)
      this.labels[slotRank[slot]!] = UNREACHED;
  }

  /**
   * A gaining token, reached at more than its value over a pool that the market left behind, would
   * loosen the bound of all others. Instead, its neighbours are marked, and searched in any case.
   */
  #takeValues(goal: number): void {
    const { slotRank, slotStart, slotTransitEnd } = this.#graph;
    const { greatest, gaining, gainingCount, usual } = this.#values;
    this.value = greatest;
    this.usualValue = greatest;
    let work = 0;
    for (let index = 0; index < gainingCount; index++) {
      const token = gaining[index]!;
      if (token === goal) continue; // no path continues from there
      work += slotTransitEnd[token]! - slotStart[token]!;
    }
    if (work > MARKS_MAX) return;
    this.usualValue = usual;
    for (let index = 0; index < gainingCount; index++) {
      const token = gaining[index]!;
      if (token === goal) continue;
      const end = slotTransitEnd[token]!;
      for (let slot = slotStart[token]!; slot < end; slot++) {
        this.nearGaining[slotRank[slot]!] = this.mark;
      }
    }
  }

  /** As `labelAll`, but also for exact output and with a mask. */
  #labelOneByOne({ origin, goal, amount, kind }: SearchTerms): number {
    const { bonusMax, slotNeighbour, slotPool, slotRank, slotStart, slotTransitEnd } = this.#graph;
    const { rankPotential } = this.#graph;
    const end = slotTransitEnd[origin]!;
    const { labels } = this;
    let greatest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let slot = slotStart[origin]!; slot < end; slot++) {
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const rank = slotRank[slot]!;
      const score = this.#bound(slot, amount, kind);
      if (score === UNREACHED || slotNeighbour[slot] === goal) continue;
      if (labels[rank] === UNREACHED || score > labels[rank]!) labels[rank] = score;
      const potential = rankPotential[rank]!;
      greatest = Math.max(greatest, (score + bonusMax) * potential);
      least = Math.min(least, -score * potential);
    }
    return kind === "exactIn" ? greatest : least;
  }

  /**
   * A bound after a slot of the origin's own list. The tangent saves thousands of calls to families
   * when the origin is a hub; `stepFromOrigin` looks more closely at promising paths.
   */
  #bound(slot: number, amount: number, kind: QuoteKind): number {
    if (kind === "exactIn") return mostOutputByTangent(this.#graph.slotOut, slot, amount);
    const amountIn = leastInputByTangent(this.#graph.slotIn, slot, amount);
    return amountIn === Number.POSITIVE_INFINITY ? UNREACHED : -amountIn;
  }

  #reserve(origin: number): void {
    const { slotEnd, slotStart, transitCount } = this.#graph;
    const listLength = slotEnd[origin]! - slotStart[origin]!;
    this.#values.gaining = grown(Uint32Array, this.#values.gaining, listLength);
    this.labels = grown(Float64Array, this.labels, transitCount);
    this.nearGaining = grown(Uint32Array, this.nearGaining, transitCount);
    if (this.mark === 2 ** 32 - 1) {
      this.nearGaining.fill(0);
      this.mark = 0;
    }
    this.mark++;
  }
}
