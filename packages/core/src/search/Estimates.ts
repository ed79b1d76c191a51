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
 * that is all that "no token twice" asks. Paths of labels may still use a pool of many tokens twice;
 * that only loosens a bound.
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
   * The best score of paths of `hops` (1 … 3) pools from the origin to a token that is neither
   * origin nor goal; UNREACHED, or too low, when there is none above `floor`. Computed once for
   * each token until `forgetLongLabels`, so with the lowest floor first.
   */
  label(hops: number, token: number, floor: number): number {
    if (hops === 1) return this.#label1[token]!;
    if (hops === 2) {
      if (this.#label2Search[token] !== this.#search) this.#computeLabel2(token, floor);
      return this.#label2[token]!;
    }
    if (this.#label3Search[token] !== this.#search) this.#computeLabel3(token, floor);
    return this.#label3[token]!;
  }

  /** As `label`, without a floor, of paths whose last pool does not come from the token `without`. */
  labelWithout(hops: number, token: number, without: number): number {
    if (hops === 1) return this.#label1[token]!;
    if (this.#label2Search[token] !== this.#search) this.#computeLabel2Pair(token);
    return this.#label2From[token] === without ? this.#label2Other[token]! : this.#label2[token]!;
  }

  /**
   * A score at the neighbour of a slot up to which the score behind it cannot exceed `score`: the
   * step inverted within the leading piece, and beyond it at the pool's best rate, y / x.
   */
  needed(slot: number, score: number): number {
    if (score === Number.NEGATIVE_INFINITY) return this.#exactOut ? score : UNREACHED;
    const pieces = this.#exactOut ? this.#graph.slotOut : this.#graph.slotIn;
    const at = slot * PIECE_STRIDE;
    const x = pieces[at]!;
    const y = pieces[at + 1]!;
    const bonus = pieces[at + 3]!;
    if (x === 0) return this.#exactOut ? Number.NEGATIVE_INFINITY : UNREACHED;
    if (this.#exactOut) {
      const amountIn = -score * UP + bonus;
      return ((-y * amountIn) / (amountIn <= pieces[at + 2]! ? x + amountIn : x)) * UP;
    }
    const amountOut = score * DOWN;
    const amountIn = (x * amountOut) / (y - amountOut);
    const within = amountIn >= 0 && amountIn <= pieces[at + 2]!;
    return ((within ? amountIn : (x * amountOut) / y) - bonus) * DOWN;
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
      // Not above 0 when more is asked than the piece holds, or when there is no piece.
      if (amountIn > 0 && amountIn <= slotOut[at + 2]!) {
        return -leastInput(amountIn - slotOut[at + 3]!);
      }
    } else if (score <= slotIn[at + 2]!) {
      const amountIn = score + slotIn[at + 3]!;
      return Math.floor(((slotIn[at + 1]! * amountIn) / (slotIn[at]! + amountIn)) * UP);
    }
    return this.#askForScore(slot, false, Math.abs(score));
  }

  /** As `step`, from the origin itself, where the amount is no bound but known. */
  stepFromOrigin(slot: number): number {
    return this.#firstStep(slot, false);
  }

  /** A step beyond the leading piece. */
  #askForScore(slot: number, ownIsOrigin: boolean, amount: number): number {
    const estimate = this.#askFamily(slot, ownIsOrigin, amount);
    if (!this.#exactOut) return Math.floor(estimate * UP);
    if (estimate === Number.POSITIVE_INFINITY) return UNREACHED;
    return -leastInput(estimate);
  }

  #askFamily(slot: number, ownIsOrigin: boolean, amount: number): number {
    const graph = this.#graph;
    const pool = graph.slotPool[slot]! as PoolIndex;
    const family = this.#families[graph.poolProtocol[pool]!]!;
    const positions = graph.slotPositions[slot]!;
    // Exact input runs away from the origin, exact output towards it.
    const ownIsIn = ownIsOrigin !== this.#exactOut;
    const tokenIn = ownIsIn ? positions >> 3 : positions & 7;
    const tokenOut = ownIsIn ? positions & 7 : positions >> 3;
    return this.#exactOut
      ? family.estimateExactOut(pool, tokenIn, tokenOut, amount)
      : family.estimateExactIn(pool, tokenIn, tokenOut, amount);
  }

  /** A step from the origin; `ownIsOrigin` tells whose list the slot stands in. */
  #firstStep(slot: number, ownIsOrigin: boolean): number {
    const graph = this.#graph;
    const pieces = ownIsOrigin === this.#exactOut ? graph.slotIn : graph.slotOut;
    const at = slot * PIECE_STRIDE;
    const amount = this.#amount;
    if (this.#exactOut) {
      const amountIn = (pieces[at]! * amount) / (pieces[at + 1]! - amount);
      if (amountIn > 0 && amountIn <= pieces[at + 2]!) {
        return -leastInput(amountIn - pieces[at + 3]!);
      }
    } else if (amount <= pieces[at + 2]!) {
      const amountIn = amount + pieces[at + 3]!;
      return Math.floor(((pieces[at + 1]! * amountIn) / (pieces[at]! + amountIn)) * UP);
    } else if (this.#isOverCapacity(slot, ownIsOrigin)) {
      return UNREACHED;
    }
    return this.#askForScore(slot, ownIsOrigin, amount);
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

  /** The single best, as long as it exceeds `floor`. */
  #computeLabel2(token: number, floor: number): void {
    const best = this.#exactOut ? this.#bestIntoOut(token, floor) : this.#bestIntoIn(token, floor);
    this.#label2[token] = best === floor ? UNREACHED : best;
    this.#label2Search[token] = this.#search;
  }

  /** The best step for exact input into a token from those with a first label, or `floor`. */
  #bestIntoIn(token: number, floor: number): number {
    const { slotIn, slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const label1 = this.#label1;
    const mask = this.#mask;
    const end = slotTransitEnd[token]!;
    let best = floor;
    // The hottest loop of a search: `#cannotExceed` and `step`, written out.
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const label = label1[slotNeighbour[slot]!]!; // origin and goal never have one
      if (label === UNREACHED) continue;
      const at = slot * PIECE_STRIDE;
      const x = slotIn[at]!;
      const y = slotIn[at + 1]!;
      const amountIn = label + slotIn[at + 3]!;
      if (amountIn * y * UP <= best * x && x > 0) continue;
      if (mask.blocks(slotPool[slot]!)) continue;
      const score =
        label <= slotIn[at + 2]!
          ? Math.floor(((y * amountIn) / (x + amountIn)) * UP)
          : this.#askForScore(slot, false, label);
      if (score > best) best = score;
    }
    return best;
  }

  /** The same for exact output. */
  #bestIntoOut(token: number, floor: number): number {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const end = slotTransitEnd[token]!;
    let best = floor;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const label = this.#label1[slotNeighbour[slot]!]!;
      if (label === UNREACHED || this.#cannotExceed(slot, label, best)) continue;
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.step(slot, label);
      if (score !== UNREACHED && score > best) best = score;
    }
    return best;
  }

  /** The best, whom it comes from, and the best that comes from another. */
  #computeLabel2Pair(token: number): void {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const label1 = this.#label1;
    const mask = this.#mask;
    const floor = this.#exactOut ? Number.NEGATIVE_INFINITY : UNREACHED;
    let best = floor;
    let other = floor;
    let from = NOBODY;
    const end = slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const neighbour = slotNeighbour[slot]!;
      const label = label1[neighbour]!;
      if (label === UNREACHED || this.#cannotExceed(slot, label, other)) continue;
      if (mask.blocks(slotPool[slot]!)) continue;
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
      if (neighbour === this.#origin || neighbour === this.#goal) continue;
      const label = this.labelWithout(2, neighbour, token);
      if (label === UNREACHED || this.#cannotExceed(slot, label, best)) continue;
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      const score = this.step(slot, label);
      if (score !== UNREACHED && score > best) best = score;
    }
    this.#label3[token] = best === floor ? UNREACHED : best;
    this.#label3Search[token] = this.#search;
  }

  /** Whether even at the pool's best rate, that of its first unit, a step stays within `bound`. */
  #cannotExceed(slot: number, label: number, bound: number): boolean {
    const at = slot * PIECE_STRIDE;
    if (this.#exactOut) {
      const pieces = this.#graph.slotOut;
      const x = pieces[at]!;
      const y = pieces[at + 1]!;
      return (-label * x - pieces[at + 3]! * y) * DOWN >= -bound * y && x > 0;
    }
    const pieces = this.#graph.slotIn;
    const x = pieces[at]!;
    return (label + pieces[at + 3]!) * pieces[at + 1]! * UP <= bound * x && x > 0;
  }

  #reserve(): void {
    this.forgetLongLabels();
    const { tokenCount } = this.#graph;
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

/** The least whole input that an estimate allows. */
function leastInput(amountIn: number): number {
  return Math.max(1, Math.ceil(amountIn * DOWN));
}

/** No token: the index that a graph never reaches. */
export const NOBODY = 2 ** 32 - 1;
