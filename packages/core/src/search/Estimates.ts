import { allocate, grown } from "../graph/buffers.ts";
import { PIECE_STRIDE, type PoolGraph, type PoolIndex } from "../graph/PoolGraph.ts";
import { ESTIMATE_ERROR, type PoolFamily } from "../Protocol.ts";
import type { PoolMask } from "./PoolMask.ts";

const UP = 1 + ESTIMATE_ERROR;
const DOWN = 1 - ESTIMATE_ERROR;

/** The label of a token that no path reaches. */
export const UNREACHED = 0;

/** What one search is about, as floats see it. */
export interface SearchTerms {
  /** Where the amount is known: the token in for exact input, the token out for exact output. */
  readonly origin: number;
  /** Where the best amount is sought. */
  readonly goal: number;
  readonly amount: number;
  readonly exactOut: boolean;
}

/**
 * The estimate pass: for each number of hops and each token that matters, a bound on the best
 * amount that any path from the origin can have there.
 *
 * Bounds are *scores*, which are always sought large: output, or minus the input that is needed.
 * Amounts are integers on chain, so a score is rounded to one: dust that gives nothing ends there.
 * Every score is a bound because a pool's estimate is one for the largest amount that may arrive,
 * and therefore (outputs rise with inputs, and where a pool's capacity ends its estimate stays
 * flat) for every smaller amount.
 *
 * Paths here avoid the origin and the goal in between, and the last token but one; with four hops
 * that is all that "no token twice" asks. Paths of longer labels may still meet themselves; that
 * only loosens a bound.
 *
 * Labels of two hops and more are computed when they are asked for, so that only tokens near the
 * goal cost anything. Nothing is allocated here.
 */
export class Estimates {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #mask: PoolMask;

  // Index: token. UNREACHED but for the neighbours of the origin during a search.
  #label1 = allocate(Float64Array, 0);
  // Index: token. Best over all predecessors, the predecessor, and best over the other ones.
  #label2 = allocate(Float64Array, 0);
  #label2From = allocate(Uint32Array, 0);
  #label2Other = allocate(Float64Array, 0);
  #label3 = allocate(Float64Array, 0);
  // Index: token. The search for which the label was computed.
  #label2Search = allocate(Uint32Array, 0);
  #label3Search = allocate(Uint32Array, 0);
  #search = 0;

  #origin = 0;
  #goal = 0;
  #amount = 0;
  #exactOut = false;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, mask: PoolMask) {
    this.#graph = graph;
    this.#families = families;
    this.#mask = mask;
  }

  /** Labels the neighbours of the origin. Every `begin` is followed by `end`. */
  begin(terms: SearchTerms): void {
    this.#origin = terms.origin;
    this.#goal = terms.goal;
    this.#amount = terms.amount;
    this.#exactOut = terms.exactOut;
    this.#reserve();
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const label1 = this.#label1;
    const end = slotTransitEnd[this.#origin]!;
    for (let slot = slotStart[this.#origin]!; slot < end; slot++) {
      const token = slotNeighbour[slot]!;
      if (token === this.#goal || this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.#firstStep(slot, true);
      if (score !== UNREACHED && (label1[token] === UNREACHED || score > label1[token]!)) {
        label1[token] = score;
      }
    }
  }

  end(): void {
    const { slotNeighbour, slotStart, slotTransitEnd } = this.#graph;
    const end = slotTransitEnd[this.#origin]!;
    for (let slot = slotStart[this.#origin]!; slot < end; slot++) {
      this.#label1[slotNeighbour[slot]!] = UNREACHED;
    }
  }

  /**
   * The best score of paths of `hops` (1 … 3) pools from the origin to a token that is neither
   * origin nor goal; `without` is a token that the last pool must not come from.
   */
  label(hops: number, token: number, without: number): number {
    if (hops === 1) return this.#label1[token]!;
    if (hops === 3) {
      if (this.#label3Search[token] !== this.#search) this.#computeLabel3(token);
      return this.#label3[token]!;
    }
    if (this.#label2Search[token] !== this.#search) this.#computeLabel2(token);
    return this.#label2From[token] === without ? this.#label2Other[token]! : this.#label2[token]!;
  }

  /**
   * The score behind a slot of the list of a token further from the origin, for a score at its
   * neighbour. UNREACHED stays so.
   */
  step(slot: number, score: number): number {
    if (score === UNREACHED) return UNREACHED;
    const { slotIn, slotOut } = this.#graph;
    const at = slot * PIECE_STRIDE;
    if (this.#exactOut) {
      const amountIn = (slotOut[at]! * -score) / (slotOut[at + 1]! + score);
      // Negative when more is asked than the piece holds; the comparison fails for NaN as well.
      if (amountIn >= 0 && amountIn <= slotOut[at + 2]!) return -Math.ceil(amountIn * DOWN);
    } else if (score <= slotIn[at + 2]!) {
      return Math.floor(((slotIn[at + 1]! * score) / (slotIn[at]! + score)) * UP);
    }
    return this.#askFamily(slot, false, Math.abs(score));
  }

  /** As `step`, from the origin itself, where the amount is no bound but known. */
  stepFromOrigin(slot: number): number {
    return this.#firstStep(slot, false);
  }

  /** Beyond the leading piece: the family's own estimate. */
  #askFamily(slot: number, ownIsOrigin: boolean, amount: number): number {
    const graph = this.#graph;
    const pool = graph.slotPool[slot]! as PoolIndex;
    const family = this.#families[graph.poolProtocol[pool]!]!;
    const positions = graph.slotPositions[slot]!;
    // Exact input runs away from the origin, exact output towards it.
    const ownIsIn = ownIsOrigin !== this.#exactOut;
    const tokenIn = ownIsIn ? positions >> 3 : positions & 7;
    const tokenOut = ownIsIn ? positions & 7 : positions >> 3;
    if (this.#exactOut) {
      const amountIn = family.estimateExactOut(pool, tokenIn, tokenOut, amount);
      return amountIn === Number.POSITIVE_INFINITY
        ? UNREACHED
        : -Math.max(1, Math.ceil(amountIn * DOWN));
    }
    return Math.floor(family.estimateExactIn(pool, tokenIn, tokenOut, amount) * UP);
  }

  /** A step from the origin; `ownIsOrigin` tells whose list the slot stands in. */
  #firstStep(slot: number, ownIsOrigin: boolean): number {
    const graph = this.#graph;
    const pieces = ownIsOrigin === this.#exactOut ? graph.slotIn : graph.slotOut;
    const at = slot * PIECE_STRIDE;
    const amount = this.#amount;
    if (this.#exactOut) {
      const amountIn = (pieces[at]! * amount) / (pieces[at + 1]! - amount);
      if (amountIn >= 0 && amountIn <= pieces[at + 2]!) return -Math.ceil(amountIn * DOWN);
    } else if (amount <= pieces[at + 2]!) {
      return Math.floor(((pieces[at + 1]! * amount) / (pieces[at]! + amount)) * UP);
    } else if (this.#isOverCapacity(slot, ownIsOrigin)) {
      return UNREACHED;
    }
    return this.#askFamily(slot, ownIsOrigin, amount);
  }

  #isOverCapacity(slot: number, ownIsOrigin: boolean): boolean {
    const graph = this.#graph;
    const pool = graph.slotPool[slot]! as PoolIndex;
    const positions = graph.slotPositions[slot]!;
    const tokenIn = ownIsOrigin ? positions >> 3 : positions & 7;
    const tokenOut = ownIsOrigin ? positions & 7 : positions >> 3;
    const family = this.#families[graph.poolProtocol[pool]!]!;
    return this.#amount * DOWN > family.capacityIn(pool, tokenIn, tokenOut);
  }

  #computeLabel2(token: number): void {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const label1 = this.#label1;
    const mask = this.#mask;
    let best = Number.NEGATIVE_INFINITY;
    let other = Number.NEGATIVE_INFINITY;
    let from = NOBODY;
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const neighbour = slotNeighbour[slot]!;
      const label = label1[neighbour]!; // origin and goal never have one
      if (label === UNREACHED || mask.blocks(slotPool[slot]!)) continue;
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
    this.#label2[token] = best === Number.NEGATIVE_INFINITY ? UNREACHED : best;
    this.#label2From[token] = from;
    this.#label2Other[token] = other === Number.NEGATIVE_INFINITY ? UNREACHED : other;
    this.#label2Search[token] = this.#search;
  }

  #computeLabel3(token: number): void {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    let best = Number.NEGATIVE_INFINITY;
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const neighbour = slotNeighbour[slot]!;
      if (neighbour === this.#origin || neighbour === this.#goal) continue;
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.step(slot, this.label(2, neighbour, token));
      if (score !== UNREACHED && score > best) best = score;
    }
    this.#label3[token] = best === Number.NEGATIVE_INFINITY ? UNREACHED : best;
    this.#label3Search[token] = this.#search;
  }

  #reserve(): void {
    const { tokenCount } = this.#graph;
    if (this.#search === 2 ** 32 - 1) {
      this.#label2Search.fill(0);
      this.#label3Search.fill(0);
      this.#search = 0;
    }
    this.#search++;
    if (this.#label1.length >= tokenCount) return;
    this.#label1 = grown(Float64Array, this.#label1, tokenCount);
    this.#label2 = grown(Float64Array, this.#label2, tokenCount);
    this.#label2From = grown(Uint32Array, this.#label2From, tokenCount);
    this.#label2Other = grown(Float64Array, this.#label2Other, tokenCount);
    this.#label3 = grown(Float64Array, this.#label3, tokenCount);
    this.#label2Search = grown(Uint32Array, this.#label2Search, tokenCount);
    this.#label3Search = grown(Uint32Array, this.#label3Search, tokenCount);
  }
}

/** No token: the index that a graph never reaches. */
export const NOBODY = 2 ** 32 - 1;
