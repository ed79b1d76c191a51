import { PIECE_STRIDE } from "../graph/PoolGraph.ts";
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
  start: number,
  end: number,
  neighbours: Uint32Array,
  pieces: Float64Array,
  potentials: Float64Array,
  amount: number,
  bonus: number,
  labels: Float64Array,
): number {
  let greatest = 0;
  for (let slot = start; slot < end; slot++) {
    const at = slot * PIECE_STRIDE;
    const x = pieces[at]!;
    const y = pieces[at + 1]!;
    const limit = pieces[at + 2]!;
    if (x === 0) return NO_PIECE_MET;
    let inside = amount + pieces[at + 3]!;
    let beyond = 0;
    if (amount > limit) {
      beyond = (inside - limit) * (x / (x + limit)) * (y / (x + limit));
      inside = limit;
    }
    const label = Math.floor(((y * inside) / (x + inside) + beyond) * UP);
    const token = neighbours[slot]!;
    if (label > labels[token]!) labels[token] = label;
    const value = (label + bonus) * potentials[token]!;
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
  start: number,
  end: number,
  neighbours: Uint32Array,
  pieces: Float64Array,
  arriving: Float64Array,
  factor: number,
  best: number,
  into: Uint32Array,
): number {
  let count = 0;
  for (let slot = start; slot < end; slot++) {
    const arrives = arriving[neighbours[slot]!]! * factor;
    const at = slot * PIECE_STRIDE;
    const x = pieces[at]!;
    const amountIn = arrives + pieces[at + 3]!;
    // y × in / (x + in) within the piece, and no more than its best rate gives beyond.
    const divisor = arrives <= pieces[at + 2]! ? x + amountIn : x;
    if (pieces[at + 1]! * amountIn * UP < best * divisor && x > 0) continue;
    into[count++] = slot;
  }
  return count;
}

/** Exact output: at least factor / leaving[token] − bonus is needed, for less than `best` in. */
export function collectHopefulOut(
  start: number,
  end: number,
  neighbours: Uint32Array,
  pieces: Float64Array,
  leaving: Float64Array,
  factor: number,
  bonus: number,
  best: number,
  into: Uint32Array,
): number {
  let count = 0;
  for (let slot = start; slot < end; slot++) {
    const needs = factor / leaving[neighbours[slot]!]! - bonus;
    const at = slot * PIECE_STRIDE;
    const x = pieces[at]!;
    const amountIn = best * UP + pieces[at + 3]!;
    const divisor = amountIn <= pieces[at + 2]! ? x + amountIn : x;
    if (pieces[at + 1]! * amountIn * UP < needs * divisor && x > 0) continue;
    into[count++] = slot;
  }
  return count;
}
