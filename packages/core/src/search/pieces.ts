import { ESTIMATE_ERROR } from "../Curve.ts";
import { PIECE_STRIDE } from "../graph/PoolGraph.ts";

/**
 * Bounds of one swap from the leading piece of an edge (`PoolFamily.leadingPiece`), in whole units:
 * outputs are rounded so that no real one is larger, inputs so that no real one is smaller.
 */

export const UP = 1 + ESTIMATE_ERROR;
export const DOWN = 1 - ESTIMATE_ERROR;

/** No bound: the amount lies beyond the piece. */
export const BEYOND = -1;

/** The most output for an input of up to `amountIn`, or BEYOND. */
export function mostOutput(pieces: Float64Array, slot: number, amountIn: number): number {
  const at = slot * PIECE_STRIDE;
  if (!(amountIn <= pieces[at + 2]!)) return BEYOND;
  const raised = amountIn + pieces[at + 3]!;
  return Math.floor(((pieces[at + 1]! * raised) / (pieces[at]! + raised)) * UP);
}

/** The least input for an output of `amountOut` or more, or BEYOND. */
export function leastInput(pieces: Float64Array, slot: number, amountOut: number): number {
  const at = slot * PIECE_STRIDE;
  const amountIn = (pieces[at]! * amountOut) / (pieces[at + 1]! - amountOut);
  // Not positive when the output exceeds what the piece holds.
  if (!(amountIn > 0 && amountIn <= pieces[at + 2]!)) return BEYOND;
  return wholeInput(amountIn - pieces[at + 3]!);
}

/** A float input in whole units, rounded down to a bound. */
export function wholeInput(amountIn: number): number {
  return Math.max(1, Math.ceil(amountIn * DOWN));
}

/** As `mostOutput`, for any amount: past the piece's end a curve stays below its tangent there. */
export function mostOutputByTangent(pieces: Float64Array, slot: number, amountIn: number): number {
  const at = slot * PIECE_STRIDE;
  const x = pieces[at]!;
  const limit = pieces[at + 2]!;
  if (amountIn <= limit) return mostOutput(pieces, slot, amountIn);
  const y = pieces[at + 1]!;
  const slope = (x / (x + limit)) * (y / (x + limit));
  const beyond = amountIn + pieces[at + 3]! - limit;
  return Math.floor(((y * limit) / (x + limit) + beyond * slope) * UP);
}

/** As `leastInput`, for any amount, by the same tangent; Infinity when the pool is empty. */
export function leastInputByTangent(pieces: Float64Array, slot: number, amountOut: number): number {
  const within = leastInput(pieces, slot, amountOut);
  const at = slot * PIECE_STRIDE;
  const x = pieces[at]!;
  const y = pieces[at + 1]!;
  if (within !== BEYOND) return within;
  if (y === 0) return Number.POSITIVE_INFINITY;
  const limit = pieces[at + 2]!;
  const slope = ((x + limit) / x) * ((x + limit) / y);
  const beyond = amountOut - (y * limit) / (x + limit);
  return wholeInput(limit + beyond * slope - pieces[at + 3]!);
}

/**
 * The input up to which the output is at most `amountOut`: the piece inverted, and beyond it its
 * best rate, y / x.
 */
export function inputBelow(pieces: Float64Array, slot: number, amountOut: number): number {
  const at = slot * PIECE_STRIDE;
  const x = pieces[at]!;
  const y = pieces[at + 1]!;
  const wanted = amountOut * DOWN;
  const amountIn = (x * wanted) / (y - wanted);
  const within = amountIn >= 0 && amountIn <= pieces[at + 2]!;
  return ((within ? amountIn : (x * wanted) / y) - pieces[at + 3]!) * DOWN;
}

/** The output that an input of up to `amountIn` cannot exceed, likewise. */
export function outputAbove(pieces: Float64Array, slot: number, amountIn: number): number {
  const at = slot * PIECE_STRIDE;
  const x = pieces[at]!;
  const raised = amountIn * UP + pieces[at + 3]!;
  const divisor = raised <= pieces[at + 2]! ? x + raised : x;
  return ((pieces[at + 1]! * raised) / divisor) * UP;
}

/** Whether `amountIn` gives at most `bound` even at the best rate, y / x. */
export function outputStaysBelow(
  pieces: Float64Array,
  slot: number,
  amountIn: number,
  bound: number,
): boolean {
  const at = slot * PIECE_STRIDE;
  const x = pieces[at]!;
  return (amountIn + pieces[at + 3]!) * pieces[at + 1]! * UP <= bound * x;
}

/** Whether `amountOut` costs at least `bound` even at the best rate. */
export function inputStaysAbove(
  pieces: Float64Array,
  slot: number,
  amountOut: number,
  bound: number,
): boolean {
  const at = slot * PIECE_STRIDE;
  const x = pieces[at]!;
  const y = pieces[at + 1]!;
  // The bonus is added, not subtracted: a small difference would be all rounding.
  return amountOut * x * DOWN >= (bound + pieces[at + 3]!) * y;
}
