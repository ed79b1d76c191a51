import { allocate, grown } from "../graph/buffers.ts";
import { NO_RANK, type PoolGraph } from "../graph/PoolGraph.ts";
import { type FirstValues, labelInputs, labelOutputs } from "./adjacencyScans.ts";
import type { PoolMask } from "./PoolMask.ts";
import type { QuoteKind } from "./quote.ts";
import { RankMarks } from "./RankMarks.ts";
import { slotsBetween } from "./slotsBetween.ts";
import { type SearchTerms, UNREACHED } from "./terms.ts";

/** Marks pay off for a few gaining tokens with short lists: so many neighbours in all. */
export const MARKS_MAX = 4_096;
/** Close looks pay off for a few gaining tokens. */
const LOOKS_MAX = 64;

/** The score after a slot of a transit's list that leads to it from the origin. */
export type StepFromOrigin = (slot: number) => number;

/** The labels of one hop: bounds at the transits next to the origin. See `Estimates`. */
export class FirstLabels {
  readonly #graph: PoolGraph;
  readonly #mask: PoolMask;
  readonly #stepFromOrigin: StepFromOrigin;

  /** Index: rank. UNREACHED except for the neighbours of the origin during a search. */
  labels = allocate(Float64Array, 0);
  /**
   * The best value, amount × potential, among the labels: the greatest for exact input, the least
   * for exact output.
   */
  value = 0;
  /** As `value`, without the gaining tokens: those better than what the search started with. */
  usualValue = 0;
  /** Number of gaining tokens; 0 where they are too many to be told apart. */
  gainingCount = 0;
  /** The neighbours of gaining tokens. */
  readonly nearGaining = new RankMarks();
  /** Tokens whose label is as close as can be. */
  readonly #lookedAt = new RankMarks();
  #origin = 0;

  readonly #values: FirstValues = {
    usual: 0,
    gaining: allocate(Uint32Array, 0),
    gainingCount: 0,
  };

  constructor(graph: PoolGraph, mask: PoolMask, stepFromOrigin: StepFromOrigin) {
    this.#graph = graph;
    this.#mask = mask;
    this.#stepFromOrigin = stepFromOrigin;
  }

  /** `end` with the same terms must follow every `begin`. */
  begin({ origin, goal, amount, kind }: SearchTerms): void {
    this.#reserve(origin);
    this.#origin = origin;
    const scan = kind === "exactIn" ? labelOutputs : labelInputs;
    scan(this.#graph, this.#mask, origin, amount, this.labels, this.#values);
    this.#takeValues(goal, kind);
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
   * A gaining token is reached at a better value than the search started with, over a pool that the
   * market left behind, and would loosen the bound of all others. Instead, its neighbours are
   * marked, and searched in any case. Exact output: most gain by the tangent alone, since the pool
   * does not have as much; a close look shows it.
   */
  #takeValues(goal: number, kind: QuoteKind): void {
    const { bonusMax, rankPotential, slotStart, slotTransitEnd, tokenRank } = this.#graph;
    const { gaining, gainingCount, usual } = this.#values;
    const isExactOut = kind === "exactOut";
    const canLook = isExactOut && gainingCount <= LOOKS_MAX;
    this.value = usual;
    this.gainingCount = 0;
    let work = 0;
    for (let index = 0; index < gainingCount; index++) {
      const token = gaining[index]!;
      // No path continues from the goal. Pools with the same neighbour are adjacent.
      if (token === goal || (this.gainingCount > 0 && gaining[this.gainingCount - 1] === token))
        continue;
      const rank = tokenRank[token]!;
      const label = canLook ? this.closer(token) : this.labels[rank]!;
      if (label === UNREACHED) continue;
      const potential = rankPotential[rank]!;
      if (isExactOut) this.value = Math.min(this.value, -label * potential);
      else this.value = Math.max(this.value, (label + bonusMax) * potential);
      gaining[this.gainingCount++] = token;
      work += slotTransitEnd[token]! - slotStart[token]!;
    }
    if (work > MARKS_MAX) {
      this.usualValue = this.value;
      this.gainingCount = 0;
      return;
    }
    this.usualValue = usual;
    for (let index = 0; index < this.gainingCount; index++)
      this.nearGaining.addNeighbours(this.#graph, gaining[index]!);
  }

  gainingToken(index: number): number {
    return this.#values.gaining[index]!;
  }

  /** The label of a token next to the origin, made closer: each pool itself is asked, once. */
  closer(token: number): number {
    const rank = this.#graph.tokenRank[token]!;
    if (this.#lookedAt.has(rank)) return this.labels[rank]!;
    const { slotPool } = this.#graph;
    const { start, end } = slotsBetween(this.#graph, token, this.#origin);
    let best = UNREACHED;
    for (let slot = start; slot < end; slot++) {
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.#stepFromOrigin(slot);
      if (score !== UNREACHED && (best === UNREACHED || score > best)) best = score;
    }
    this.tighten(rank, best);
    return best;
  }

  /** Sets a label that is as close as can be. */
  tighten(rank: number, label: number): void {
    this.labels[rank] = label;
    this.#lookedAt.add(rank);
  }

  #reserve(origin: number): void {
    const { slotEnd, slotStart, transitCount } = this.#graph;
    const listLength = slotEnd[origin]! - slotStart[origin]!;
    this.#values.gaining = grown(Uint32Array, this.#values.gaining, listLength);
    this.labels = grown(Float64Array, this.labels, transitCount);
    this.nearGaining.begin(this.#graph);
    this.#lookedAt.begin(this.#graph);
  }
}
