import { PIECE_STRIDE } from "../graph/PoolGraph.ts";
import { UP } from "./pieces.ts";

/**
 * The widest loops of a search, over all pools of the goal: which could be the last of a path that
 * beats the best, judged by a bound on what arrives at (or is needed of) the token before. Nothing
 * is divided, and nothing is read but the goal's list and one number of each neighbour. Both give
 * the count of slots written to `into`.
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
