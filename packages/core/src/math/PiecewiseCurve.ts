import { EMPTY_PIECE } from "../Curve.ts";

/**
 * A pool's output for an input, in floats: pieces of y × a / (x + a), one after the other, each up
 * to a limit. Concave and rising, as every swap curve is: the rate only gets worse.
 *
 * Float error: a piece's output is off by a few 2^-53, relatively. The place where pieces meet is
 * off by as much of the *price*, and the rate does not jump there, so totals are off by a few 2^-53
 * for each piece: below 2^-40 for the thousands of pieces that a tick book has at most. `y` is
 * taken a little large, which makes outputs upper bounds and safe to subtract from.
 */
export class PiecewiseCurve {
  // Index: piece. The totals of input and output where the piece starts; one more entry than
  // pieces, for the start of the next.
  readonly #amountIn: number[] = [0];
  readonly #amountOut: number[] = [0];
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #extend: (curve: PiecewiseCurve) => boolean;
  #complete = false;

  /** `extend` appends the next pieces, or returns false when there are none. */
  constructor(extend: (curve: PiecewiseCurve) => boolean) {
    this.#extend = extend;
  }

  /** Appends the piece y × a / (x + a) for 0 ≤ a ≤ limit; x, y > 0. */
  append(x: number, y: number, limit: number): void {
    const last = this.#x.length;
    const raised = y * ROUNDING_UP;
    this.#x.push(x);
    this.#y.push(raised);
    this.#amountIn.push(this.#amountIn[last]! + limit);
    this.#amountOut.push(this.#amountOut[last]! + (raised * limit) / (x + limit));
  }

  /** Writes x, y, limit and a bonus of 0 of the first piece; EMPTY_PIECE when there is none. */
  leading(into: Float64Array, at: number): void {
    while (this.#x.length === 0 && this.#grow()) {}
    if (this.#x.length === 0) return into.set(EMPTY_PIECE, at);
    into[at] = this.#x[0]!;
    into[at + 1] = this.#y[0]!;
    into[at + 2] = this.#amountIn[1]!;
    into[at + 3] = 0;
  }

  /** An upper bound of the output for any input up to `amountIn`. */
  exactIn(amountIn: number): number {
    while (this.#end(this.#amountIn) < amountIn && this.#grow()) {}
    if (this.#end(this.#amountIn) <= amountIn) return this.#end(this.#amountOut);
    const piece = pieceAt(this.#amountIn, amountIn);
    const rest = amountIn - this.#amountIn[piece]!;
    return this.#amountOut[piece]! + (this.#y[piece]! * rest) / (this.#x[piece]! + rest);
  }

  /** A lower bound of the input for any output from `amountOut` up; Infinity past the end. */
  exactOut(amountOut: number): number {
    // The last units may be expensive: a small error of the total must not decide their price.
    const wanted = amountOut * ROUNDING_DOWN;
    while (this.#end(this.#amountOut) < wanted && this.#grow()) {}
    if (this.#end(this.#amountOut) < wanted) return Number.POSITIVE_INFINITY;
    const piece = Math.min(pieceAt(this.#amountOut, wanted), this.#x.length - 1);
    if (piece < 0) return 0;
    const rest = wanted - this.#amountOut[piece]!;
    return this.#amountIn[piece]! + (this.#x[piece]! * rest) / (this.#y[piece]! - rest);
  }

  /** Writes the piece at an input; see `PoolFamily.pieceAt`. */
  pieceAt(amountIn: number, into: Float64Array, at: number): void {
    while (this.#end(this.#amountIn) <= amountIn && this.#grow()) {}
    if (this.#end(this.#amountIn) <= amountIn) {
      into[at] = 1;
      into[at + 1] = 0;
      into[at + 2] = Number.POSITIVE_INFINITY;
      into[at + 3] = this.#end(this.#amountIn);
      into[at + 4] = this.#end(this.#amountOut);
      return;
    }
    const piece = pieceAt(this.#amountIn, amountIn);
    into[at] = this.#x[piece]!;
    into[at + 1] = this.#y[piece]!;
    into[at + 2] = this.#amountIn[piece + 1]! - this.#amountIn[piece]!;
    into[at + 3] = this.#amountIn[piece]!;
    into[at + 4] = this.#amountOut[piece]!;
  }

  /** Whether all pieces together take an input; extends them only as far as necessary. */
  takes(amountIn: number): boolean {
    while (this.#end(this.#amountIn) < amountIn && this.#grow()) {}
    return this.#end(this.#amountIn) >= amountIn;
  }

  /** The input that all pieces take. */
  capacity(): number {
    while (this.#grow()) {}
    return this.#end(this.#amountIn);
  }

  /** The input that lowers the marginal rate to `rate`; 0 when it starts no higher. */
  depth(rate: number): number {
    for (let piece = 0; piece < this.#x.length || this.#grow(); piece++) {
      const x = this.#x[piece]!;
      // The rate within a piece is x × y / (x + a)².
      const rest = x * (Math.sqrt(this.#y[piece]! / x / rate) - 1);
      if (rest <= 0) return this.#amountIn[piece]!;
      if (rest < this.#amountIn[piece + 1]! - this.#amountIn[piece]!) {
        return this.#amountIn[piece]! + rest;
      }
    }
    return this.#end(this.#amountIn);
  }

  #end(totals: number[]): number {
    return totals[totals.length - 1]!;
  }

  #grow(): boolean {
    if (!this.#complete && !this.#extend(this)) this.#complete = true;
    return !this.#complete;
  }
}

const ROUNDING_UP = 1 + 2 ** -48;
const ROUNDING_DOWN = 1 - 2 ** -38;

/** The last piece that starts at or below `amount`. */
function pieceAt(starts: number[], amount: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= amount) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
