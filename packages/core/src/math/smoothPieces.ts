import { EMPTY_PIECE, type PoolFamily } from "../Curve.ts";
import type { PoolIndex, TokenPosition } from "../graph/PoolGraph.ts";
import { PIPS } from "./pips.ts";

/**
 * A smooth curve in floats that rises and is concave from 0 to its capacity, but has no form that
 * the search could compute inline.
 */
export interface SmoothCurve {
  /**
   * Writes output, slope (> 0) and bend (the second derivative, ≤ 0) at `amountIn`, from 0 to the
   * capacity, to `into`. Exact except for float rounding (see ESTIMATE_ERROR).
   */
  readonly at: (
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: number,
    into: Float64Array,
  ) => void;
  /** The input that gives `amountOut`, which is at most `outputMax`. */
  readonly inputFor: (
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountOut: number,
  ) => number;
  /** See `PoolFamily.capacityIn`; 0 where the pool gives nothing. */
  readonly capacityIn: PoolFamily["capacityIn"];
  /** The most that an exact output may be; without this function, the output at the capacity. */
  readonly outputMax?: PoolFamily["capacityIn"];
  readonly feePips: PoolFamily["feePips"];
  /** This much more input gives at least what rounding may give to the trader. */
  readonly bonusIn: PoolFamily["capacityIn"];
}

/** The leading piece, a straight line, ends where the slope has fallen by this part. */
const LEADING_FALL = 2 ** -14;
/** The leading piece's x as a multiple of its limit: a line to within 2^-40. */
const STRAIGHT = 2 ** 40;
const STRAIGHT_ROUNDING = 1 + 2 ** -39;
/** A piece in the middle covers at most this part of its x … */
const MIDDLE_PART = 2 ** -6;
/** … and only as far as its output is off by at most this part: a flat curve ends in a bend. */
const MIDDLE_ERROR = 2 ** -12;
/** The factor by which the next try is shorter, and the number of tries. */
const SHORTER = 1 / 8;
const SHORTENINGS_MAX = 12;
const HALVINGS_MAX = 200;
/** The price falls by 2 % over the depth. */
const DEPTH_FALL = 0.98;
const ROUNDING_UP = 1 + 2 ** -48;

/** The functions that the search needs of a family, made from a smooth curve. */
export function smoothPieces(
  curve: SmoothCurve,
): Pick<PoolFamily, "leadingPiece" | "estimateExactIn" | "estimateExactOut" | "pieceAt" | "depth"> {
  const found = new Float64Array(3); // output, slope, bend

  /** An input, at most the capacity, up to which the slope falls by at most `fall`. */
  function inputOfFall(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    fall: number,
    capacity: number,
  ): number {
    curve.at(pool, positionIn, positionOut, 0, found);
    const least = found[1]! * (1 - fall);
    const bend = -found[2]!;
    let amount = bend > 0 ? Math.min(capacity, (fall * found[1]!) / bend) : capacity;
    for (let halving = 0; halving < HALVINGS_MAX; halving++) {
      curve.at(pool, positionIn, positionOut, amount, found);
      if (found[1]! >= least) break;
      amount /= 2;
    }
    return amount;
  }

  function outputMax(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    capacity: number,
  ): number {
    if (curve.outputMax !== undefined) return curve.outputMax(pool, positionIn, positionOut);
    curve.at(pool, positionIn, positionOut, capacity, found);
    return found[0]!;
  }

  return {
    /** The tangent: a concave curve stays below it. */
    leadingPiece: (pool, positionIn, positionOut, into, at) => {
      const capacity = curve.capacityIn(pool, positionIn, positionOut);
      if (!(capacity > 0)) return into.set(EMPTY_PIECE, at);
      const limit = inputOfFall(pool, positionIn, positionOut, LEADING_FALL, capacity);
      curve.at(pool, positionIn, positionOut, 0, found);
      const x = limit * STRAIGHT;
      into[at] = x;
      into[at + 1] = found[1]! * x * STRAIGHT_ROUNDING;
      into[at + 2] = limit;
      into[at + 3] = curve.bonusIn(pool, positionIn, positionOut);
    },
    estimateExactIn: (pool, positionIn, positionOut, amountIn) => {
      const capacity = curve.capacityIn(pool, positionIn, positionOut);
      if (!(capacity > 0) || amountIn === 0) return 0;
      const raised = amountIn + curve.bonusIn(pool, positionIn, positionOut);
      curve.at(pool, positionIn, positionOut, Math.min(raised, capacity), found);
      return found[0]! * ROUNDING_UP;
    },
    estimateExactOut: (pool, positionIn, positionOut, amountOut) => {
      const capacity = curve.capacityIn(pool, positionIn, positionOut);
      if (!(capacity > 0)) return Number.POSITIVE_INFINITY;
      const most = outputMax(pool, positionIn, positionOut, capacity);
      if (amountOut > most * ROUNDING_UP) return Number.POSITIVE_INFINITY;
      const wanted = Math.min(amountOut, most);
      const amountIn = curve.inputFor(pool, positionIn, positionOut, wanted);
      return Math.max(amountIn - curve.bonusIn(pool, positionIn, positionOut), 0);
    },
    /** The piece with the curve's own output, slope and bend at the amount. */
    pieceAt: (pool, positionIn, positionOut, amount, into, at) => {
      const capacity = curve.capacityIn(pool, positionIn, positionOut);
      const isBeyond = !(amount < capacity);
      const start = isBeyond ? capacity : amount;
      found.fill(0);
      if (capacity > 0) curve.at(pool, positionIn, positionOut, start, found);
      const [output, slope, bend] = found as unknown as [number, number, number];
      into[at + 3] = start;
      into[at + 4] = output;
      if (isBeyond) {
        into[at] = 1;
        into[at + 1] = 0;
        into[at + 2] = Number.POSITIVE_INFINITY;
        return;
      }
      const straight = (capacity - start) * STRAIGHT;
      const x = bend < 0 ? Math.min((2 * slope) / -bend, straight) : straight;
      let limit = Math.min(capacity - start, x * MIDDLE_PART);
      for (let count = 0; count < SHORTENINGS_MAX; count++) {
        curve.at(pool, positionIn, positionOut, start + limit, found);
        const more = found[0]! - output;
        if (Math.abs((slope * x * limit) / (x + limit) - more) <= MIDDLE_ERROR * more) break;
        limit *= SHORTER;
      }
      into[at] = x;
      into[at + 1] = slope * x;
      into[at + 2] = limit;
    },
    depth: (pool, positionIn, positionOut) => {
      const capacity = curve.capacityIn(pool, positionIn, positionOut);
      if (!(capacity > 0)) return 0;
      curve.at(pool, positionIn, positionOut, 0, found);
      const wanted = found[1]! * DEPTH_FALL;
      let low = inputOfFall(pool, positionIn, positionOut, 1 - DEPTH_FALL, capacity);
      let high = capacity;
      // The slope falls all the way: halve the logarithm of the bracket until it is narrow.
      for (let halving = 0; halving < HALVINGS_MAX && high > low * (1 + 2 ** -20); halving++) {
        const middle = Math.sqrt(low) * Math.sqrt(high);
        curve.at(pool, positionIn, positionOut, middle, found);
        if (found[1]! >= wanted) low = middle;
        else high = middle;
      }
      const feePips = curve.feePips(pool, positionIn, positionOut);
      return (low * (PIPS - feePips)) / PIPS;
    },
  };
}
