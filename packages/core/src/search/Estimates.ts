import type { PoolFamily } from "../Curve.ts";
import { allocate, grown } from "../graph/buffers.ts";
import {
  INFLOW,
  OUTFLOW,
  PIECE_STRIDE,
  type PoolGraph,
  type PoolIndex,
  RANK_STRIDE,
  SURPLUS,
  UNUSUAL_INFLOW,
} from "../graph/PoolGraph.ts";
import {
  collectAll,
  collectHopefulIn,
  collectHopefulOut,
  collectReached,
  nextArrival,
  nextDeparture,
} from "./adjacencyScans.ts";
import { FirstLabels } from "./FirstLabels.ts";
import type { PoolMask } from "./PoolMask.ts";
import {
  BEYOND,
  DOWN,
  inputBelow,
  inputStaysAbove,
  leastInput,
  leastInputByTangent,
  mostOutput,
  mostOutputByTangent,
  outputAbove,
  outputStaysBelow,
  UP,
  wholeInput,
} from "./pieces.ts";
import { SecondValue } from "./SecondValue.ts";
import { NOBODY, type SearchTerms, UNREACHED } from "./terms.ts";

/**
 * The estimate pass: for each number of hops and each token that matters, a bound on the best
 * amount that any path from the origin can have there.
 *
 * Bounds are *scores*, of which larger is always better: the output, or minus the required input.
 * Amounts are integers on chain, so a score is rounded to one: dust that gives nothing ends there.
 * Every score is a bound, because a pool's estimate bounds the output for the largest amount that
 * may arrive, and so for every smaller one (outputs rise with inputs, and beyond a pool's capacity
 * its estimate stays flat).
 *
 * Paths here do not return to the origin, the goal, or the last token but one; with four hops that
 * is all that "no token twice" requires. Paths of labels may still use a pool of many tokens twice;
 * that only loosens a bound.
 *
 * Labels of two hops and more are computed on demand, so that only tokens near the goal cost
 * anything. Nothing is allocated here.
 */
export class Estimates {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #mask: PoolMask;

  readonly #first: FirstLabels;
  readonly #second: SecondValue;
  // Index: token. The best over all predecessors, that predecessor, and the best over the others.
  #label2 = allocate(Float64Array, 0);
  #label2From = allocate(Uint32Array, 0);
  #label2Other = allocate(Float64Array, 0);
  #label3 = allocate(Float64Array, 0);
  // Index: token. The search for which the label was computed.
  #label2Search = allocate(Uint32Array, 0);
  #label3Search = allocate(Uint32Array, 0);
  #search = 0;

  #terms: SearchTerms = { origin: NOBODY, goal: NOBODY, amount: 0, kind: "exactIn" };
  #isExactOut = false;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, mask: PoolMask) {
    this.#graph = graph;
    this.#families = families;
    this.#mask = mask;
    this.#first = new FirstLabels(graph, mask, (slot) => this.stepFromOrigin(slot));
    this.#second = new SecondValue(graph, this.#first, {
      label: (token) => this.labelWithout(2, token, NOBODY),
      bound: (token) => this.#mostAfterTwo(token),
    });
  }

  /** Labels the neighbours of the origin. `end` must follow every `begin`. */
  begin(terms: SearchTerms): void {
    this.#terms = terms;
    this.#isExactOut = terms.kind === "exactOut";
    this.#reserve();
    this.#first.begin(terms);
  }

  end(): void {
    this.#first.end(this.#terms);
  }

  /** Sets a closer bound for a token next to the origin, found by looking at each pool. */
  tighten(token: number, label: number): void {
    this.#first.tighten(this.#graph.tokenRank[token]!, label);
  }

  /** Forgets labels of two hops and more, which were computed above some floor. */
  forgetLongLabels(): void {
    if (this.#search === 2 ** 32 - 1) {
      this.#label2Search.fill(0);
      this.#label3Search.fill(0);
      this.#search = 0;
    }
    this.#search++;
  }

  /**
   * Writes to `into` the slots of the goal's list that could end a path of `hops` pools with a
   * score above `best`, and returns their count. All other slots can be skipped.
   */
  collectLast(hops: number, best: number, into: Uint32Array): number {
    const graph = this.#graph;
    const goal = this.#terms.goal;
    if (best === Number.NEGATIVE_INFINITY) return collectAll(graph, goal, into);
    if (hops === 2) {
      const next = this.#isExactOut ? nextDeparture : nextArrival;
      return collectReached(next, graph, goal, this.#first.labels, best, into);
    }
    const value = hops === 3 ? this.#first.usualValue : this.#second.find(this.#terms);
    const marks = hops === 3 ? this.#first.nearGaining : this.#second.nearGaining;
    if (this.#isExactOut)
      return collectHopefulOut(graph, goal, value * DOWN * DOWN, -best, marks, into);
    return collectHopefulIn(graph, goal, value * UP * UP, best, marks, into);
  }

  /** A bound on the label of two hops of a token, without reading its list. */
  #mostAfterTwo(token: number): number {
    const { bonusMax, rankBounds, tokenRank } = this.#graph;
    const rank = tokenRank[token]!;
    const at = rank * RANK_STRIDE;
    const value = this.#first.nearGaining.has(rank) ? this.#first.value : this.#first.usualValue;
    if (!this.#isExactOut) {
      const factor = value * UP * UP;
      const unusually = factor * rankBounds[at + UNUSUAL_INFLOW]!;
      const surplus = rankBounds[at + SURPLUS]!;
      return Math.max(factor * rankBounds[at + INFLOW]!, Math.min(unusually, surplus));
    }
    return -Math.max((value / rankBounds[at + OUTFLOW]!) * DOWN * DOWN - bonusMax, 1);
  }

  /**
   * The best score of paths of `hops` (1 … 3) pools from the origin to a token that is neither
   * origin nor goal; UNREACHED, or too low, when there is none above `floor`. Computed once for
   * each token until `forgetLongLabels`, so ask with the lowest floor first.
   */
  label(hops: number, token: number, floor: number): number {
    if (hops === 1) return this.#first.labels[this.#graph.tokenRank[token]!]!;
    if (hops === 2) {
      if (this.#label2Search[token] !== this.#search) this.#computeLabel2(token, floor);
      return this.#label2[token]!;
    }
    if (this.#label3Search[token] !== this.#search) this.#computeLabel3(token, floor);
    return this.#label3[token]!;
  }

  /**
   * As `label`, without a floor, for paths whose last pool does not come from the token `without`.
   */
  labelWithout(hops: number, token: number, without: number): number {
    if (hops === 1) return this.#first.labels[this.#graph.tokenRank[token]!]!;
    if (this.#label2Search[token] !== this.#search) this.#computeLabel2Pair(token);
    return this.#label2From[token] === without ? this.#label2Other[token]! : this.#label2[token]!;
  }

  /**
   * The first slot of a token's list from `from` on that could end a path of `hops` (2, 3) pools
   * from the origin with a score above `floor`, without a look at the neighbour's list; `end` when
   * there is none.
   */
  nextHopeful(hops: number, from: number, end: number, floor: number): number {
    const graph = this.#graph;
    if (hops === 2) {
      const next = this.#isExactOut ? nextDeparture : nextArrival;
      return next(graph, from, end, this.#first.labels, floor);
    }
    for (let slot = from; slot < end; slot++) {
      const most = this.#mostAfterTwo(graph.slotNeighbour[slot]!);
      if (!this.cannotExceed(slot, most, floor)) return slot;
    }
    return end;
  }

  /**
   * The highest score at the neighbour of a slot with which the score after it cannot exceed
   * `score`.
   */
  needed(slot: number, score: number): number {
    if (score === Number.NEGATIVE_INFINITY) return this.#isExactOut ? score : UNREACHED;
    if (this.#isExactOut) return -outputAbove(this.#graph.slotOut, slot, -score);
    return Math.max(inputBelow(this.#graph.slotIn, slot, score), UNREACHED);
  }

  /**
   * The score after a slot of a list whose token is further from the origin, for a score at its
   * neighbour that is not UNREACHED.
   */
  step(slot: number, score: number): number {
    if (this.#isExactOut) {
      const amountIn = leastInput(this.#graph.slotOut, slot, -score);
      return amountIn === BEYOND ? this.#askFamily(slot, -score) : -amountIn;
    }
    const amountOut = mostOutput(this.#graph.slotIn, slot, score);
    return amountOut === BEYOND ? this.#askFamily(slot, score) : amountOut;
  }

  /** A bound on `step` without asking a family. */
  stepBound(slot: number, score: number): number {
    const { slotIn, slotOut } = this.#graph;
    if (this.#isExactOut) return -leastInputByTangent(slotOut, slot, -score);
    return mostOutputByTangent(slotIn, slot, score);
  }

  /** As `stepBound`, from the origin. */
  boundFromOrigin(slot: number): number {
    return this.stepBound(slot, this.#isExactOut ? -this.#terms.amount : this.#terms.amount);
  }

  /** As `step`, from the origin itself, where the amount is exact and no bound. */
  stepFromOrigin(slot: number): number {
    if (this.#isExactOut) return this.step(slot, -this.#terms.amount);
    const graph = this.#graph;
    if (!(this.#terms.amount <= graph.slotIn[slot * PIECE_STRIDE + 2]!)) {
      const pool = graph.slotPool[slot]! as PoolIndex;
      const positions = graph.slotPositions[slot]!;
      const family = this.#families[graph.poolCurve[pool]!]!;
      const capacity = family.capacityIn(pool, positions & 7, positions >> 3);
      if (this.#terms.amount * DOWN > capacity) return UNREACHED;
    }
    return this.step(slot, this.#terms.amount);
  }

  /** Whether a step stays within `bound` even at the pool's best rate, that of its first unit. */
  cannotExceed(slot: number, label: number, bound: number): boolean {
    return this.#isExactOut
      ? inputStaysAbove(this.#graph.slotOut, slot, -label, -bound)
      : outputStaysBelow(this.#graph.slotIn, slot, label, bound);
  }

  /** A step beyond the leading piece, by the family's own estimate. */
  #askFamily(slot: number, amount: number): number {
    const graph = this.#graph;
    const pool = graph.slotPool[slot]! as PoolIndex;
    const family = this.#families[graph.poolCurve[pool]!]!;
    const positions = graph.slotPositions[slot]!;
    // Exact input runs away from the origin, exact output towards it.
    const [neighbour, own] = [positions & 7, positions >> 3];
    if (!this.#isExactOut)
      return Math.floor(family.estimateExactIn(pool, neighbour, own, amount) * UP);
    const amountIn = family.estimateExactOut(pool, own, neighbour, amount);
    return amountIn === Number.POSITIVE_INFINITY ? UNREACHED : -wholeInput(amountIn);
  }

  /** The single best, if it exceeds `floor`. */
  #computeLabel2(token: number, floor: number): void {
    const { slotNeighbour, slotPool, slotRank, slotStart, slotTransitEnd } = this.#graph;
    const label1 = this.#first.labels;
    let best = floor;
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      slot = this.nextHopeful(2, slot, end, best);
      if (slot === end) break;
      const label = label1[slotRank[slot]!]!; // origin and goal never have one
      if (label === UNREACHED || this.#mask.blocks(slotPool[slot]!)) continue;
      if (this.stepBound(slot, label) <= best) continue;
      let score = this.step(slot, label);
      if (score === UNREACHED || score <= best) continue;
      if (this.#isExactOut) {
        const closer = this.#first.closer(slotNeighbour[slot]!);
        if (closer === UNREACHED) continue;
        if (closer !== label) score = this.step(slot, closer);
      }
      if (score !== UNREACHED && score > best) best = score;
    }
    this.#label2[token] = best === floor ? UNREACHED : best;
    this.#label2Search[token] = this.#search;
  }

  /** The best, its predecessor, and the best from another predecessor. */
  #computeLabel2Pair(token: number): void {
    const { slotNeighbour, slotPool, slotRank, slotStart, slotTransitEnd } = this.#graph;
    const label1 = this.#first.labels;
    const floor = this.#isExactOut ? Number.NEGATIVE_INFINITY : UNREACHED;
    let best = floor;
    let other = floor;
    let from = NOBODY;
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const neighbour = slotNeighbour[slot]!;
      const label = label1[slotRank[slot]!]!;
      if (label === UNREACHED || this.cannotExceed(slot, label, other)) continue;
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.step(slot, label);
      if (score === UNREACHED) continue;
      if (score > best) {
        if (neighbour !== from) other = best;
        best = score;
        from = neighbour;
      } else if (neighbour !== from && score > other) {
        other = score;
      }
    }
    this.#label2[token] = best === floor ? UNREACHED : best;
    this.#label2From[token] = from;
    this.#label2Other[token] = other === floor ? UNREACHED : other;
    this.#label2Search[token] = this.#search;
  }

  #computeLabel3(token: number, floor: number): void {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    let best = floor;
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const neighbour = slotNeighbour[slot]!;
      if (neighbour === this.#terms.origin || neighbour === this.#terms.goal) continue;
      if (this.cannotExceed(slot, this.#mostAfterTwo(neighbour), best)) continue;
      const label = this.labelWithout(2, neighbour, token);
      if (label === UNREACHED || this.cannotExceed(slot, label, best)) continue;
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.step(slot, label);
      if (score !== UNREACHED && score > best) best = score;
    }
    this.#label3[token] = best === floor ? UNREACHED : best;
    this.#label3Search[token] = this.#search;
  }

  #reserve(): void {
    this.forgetLongLabels();
    const { tokenCount } = this.#graph;
    if (this.#label2.length >= tokenCount) return;
    this.#label2 = grown(Float64Array, this.#label2, tokenCount);
    this.#label2From = grown(Uint32Array, this.#label2From, tokenCount);
    this.#label2Other = grown(Float64Array, this.#label2Other, tokenCount);
    this.#label3 = grown(Float64Array, this.#label3, tokenCount);
    this.#label2Search = grown(Uint32Array, this.#label2Search, tokenCount);
    this.#label3Search = grown(Uint32Array, this.#label3Search, tokenCount);
  }
}
