import { GAIN_USUAL } from "../graph/bounds.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { type FirstLabels, MARKS_MAX } from "./FirstLabels.ts";
import { DOWN, UP } from "./pieces.ts";
import { RankMarks } from "./RankMarks.ts";
import { type SearchTerms, UNREACHED } from "./terms.ts";

/** Labels of two hops; see `Estimates`. */
export interface TwoHops {
  /** The label of a token that is neither origin nor goal; UNREACHED where it has none. */
  readonly label: (token: number) => number;
  /** A bound on it, without reading the token's list. */
  readonly bound: (token: number) => number;
}

/**
 * As `FirstLabels.usualValue`, for labels of two hops. Most tokens are known by a bound. Outliers
 * and the neighbours of gaining tokens are looked at; the neighbours of those that gain are marked.
 */
export class SecondValue {
  readonly #graph: PoolGraph;
  readonly #first: FirstLabels;
  readonly #twoHops: TwoHops;
  /** The neighbours of tokens that gain over two hops. */
  readonly nearGaining = new RankMarks();

  #isExactOut = false;
  #usual = 0;
  #best = 0;
  /** Neighbours of the tokens that gain, added up. */
  #work = 0;

  constructor(graph: PoolGraph, first: FirstLabels, twoHops: TwoHops) {
    this.#graph = graph;
    this.#first = first;
    this.#twoHops = twoHops;
  }

  find({ kind, origin, goal }: SearchTerms): number {
    const { bonusValueMax, outlierCount, outliers } = this.#graph;
    const { slotNeighbour, slotStart, slotTransitEnd } = this.#graph;
    const { gainingCount, usualValue } = this.#first;
    this.#isExactOut = kind === "exactOut";
    this.#usual = this.#isExactOut
      ? (usualValue / GAIN_USUAL) * DOWN - bonusValueMax
      : usualValue * GAIN_USUAL * UP + bonusValueMax;
    this.#best = this.#usual;
    this.#work = 0;
    this.nearGaining.begin(this.#graph);
    for (let index = 0; index < outlierCount; index++) {
      const token = outliers[index]!;
      if (token !== origin && token !== goal) this.#lookAt(token);
    }
    for (let index = 0; index < gainingCount; index++) {
      const gaining = this.#first.gainingToken(index);
      const end = slotTransitEnd[gaining]!;
      for (let slot = slotStart[gaining]!; slot < end; slot++) {
        const token = slotNeighbour[slot]!;
        if (token !== origin && token !== goal) this.#lookAt(token);
      }
    }
    return this.#work > MARKS_MAX ? this.#best : this.#usual;
  }

  /** Marks the neighbours of a token with a better value than the usual one. */
  #lookAt(token: number): void {
    if (!this.#isBetter(this.#valueOf(token, this.#twoHops.bound(token)))) return;
    const label = this.#twoHops.label(token);
    if (label === UNREACHED) return;
    const value = this.#valueOf(token, label);
    if (!this.#isBetter(value)) return;
    const { slotStart, slotTransitEnd } = this.#graph;
    this.#best = this.#isExactOut ? Math.min(this.#best, value) : Math.max(this.#best, value);
    this.#work += slotTransitEnd[token]! - slotStart[token]!;
    if (this.#work <= MARKS_MAX) this.nearGaining.addNeighbours(this.#graph, token);
  }

  #valueOf(token: number, label: number): number {
    const { bonusMax, tokenPotential } = this.#graph;
    return (this.#isExactOut ? -label : label + bonusMax) * tokenPotential[token]!;
  }

  #isBetter(value: number): boolean {
    return this.#isExactOut ? value < this.#usual : value > this.#usual;
  }
}
