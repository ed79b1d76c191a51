import { PIECE_STRIDE, type PoolGraph } from "../graph/PoolGraph.ts";
import { UP } from "./pieces.ts";

/**
 * The widest loops of a search, over all pools of its origin or goal: flat, over plain arrays, one
 * number read of each neighbour.
 */

/** `labelAll` met a pool without a leading piece. */
export const NO_PIECE_MET = -1;

/**
 * Writes to `labels`, for each neighbour of an origin, the most that `amountIn` of the origin's
 * token can give there (`mostOutputByTangent`, written out), and gives the greatest value of any,
 * (label + bonus) × potential; or NO_PIECE_MET, with some labels written.
 */
export function labelAll(
  graph: PoolGraph,
  origin: number,
  amount: number,
  labels: Float64Array,
): number {
  const { bonusMax, slotNeighbour, slotOut, slotStart, slotTransitEnd, tokenPotential } = graph;
  const end = slotTransitEnd[origin]!;
  let greatest = 0;
  for (let slot = slotStart[origin]!; slot < end; slot++) {
    const at = slot * PIECE_STRIDE;
    const x = slotOut[at]!;
    const y = slotOut[at + 1]!;
    const limit = slotOut[at + 2]!;
    if (x === 0) return NO_PIECE_MET;
    let inside = amount + slotOut[at + 3]!;
    let beyond = 0;
    if (amount > limit) {
      beyond = (inside - limit) * (x / (x + limit)) * (y / (x + limit));
      inside = limit;
    }
    const label = Math.floor(((y * inside) / (x + inside) + beyond) * UP);
    const token = slotNeighbour[slot]!;
    if (label > labels[token]!) labels[token] = label;
    const value = (label + bonusMax) * tokenPotential[token]!;
    if (value > greatest) greatest = value;
  }
  return greatest;
}

/*
 * Which pools could be the last of a path that beats the best, judged by a bound on what arrives at
 * (or is needed of) the token before. Nothing is divided. Both give the count of slots that they
 * write to `into`.
 */

/** Exact input: at most arriving[token] × factor arrives, and more than `best` must come out. */
export function collectHopefulIn(
  graph: PoolGraph,
  goal: number,
  arriving: Float64Array,
  factor: number,
  best: number,
  into: Uint32Array,
): number {
  const { slotIn, slotNeighbour, slotStart, slotTransitEnd } = graph;
  const end = slotTransitEnd[goal]!;
  let count = 0;
  for (let slot = slotStart[goal]!; slot < end; slot++) {
    const arrives = arriving[slotNeighbour[slot]!]! * factor;
    const at = slot * PIECE_STRIDE;
    const x = slotIn[at]!;
    const amountIn = arrives + slotIn[at + 3]!;
    // y × in / (x + in) within the piece, and no more than its best rate gives beyond.
    const divisor = arrives <= slotIn[at + 2]! ? x + amountIn : x;
    if (slotIn[at + 1]! * amountIn * UP < best * divisor && x > 0) continue;
    into[count++] = slot;
  }
  return count;
}

/** Exact output: at least factor / tokenOutflow[token] − bonus is needed, for less than `best` in. */
export function collectHopefulOut(
  graph: PoolGraph,
  goal: number,
  factor: number,
  best: number,
  into: Uint32Array,
): number {
  const { bonusMax, slotNeighbour, slotOut, slotStart, slotTransitEnd, tokenOutflow } = graph;
  const end = slotTransitEnd[goal]!;
  let count = 0;
  for (let slot = slotStart[goal]!; slot < end; slot++) {
    const needs = factor / tokenOutflow[slotNeighbour[slot]!]! - bonusMax;
    const at = slot * PIECE_STRIDE;
    const x = slotOut[at]!;
    const amountIn = best * UP + slotOut[at + 3]!;
    const divisor = amountIn <= slotOut[at + 2]! ? x + amountIn : x;
    if (slotOut[at + 1]! * amountIn * UP < needs * divisor && x > 0) continue;
    into[count++] = slot;
  }
  return count;
}
