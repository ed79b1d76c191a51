import { E10, E18, FEE_OF_UNITS, SCALED_BITS, type StableSwapMarket } from "./market.ts";
import { constantOf, feeRateAt, isFeeRising, startOf } from "./math.ts";

/**
 * One direction of a market in floats, amounts scaled to 18 decimals. With y the balance of the
 * output, x of the input and a what goes in, y² + (l + a)·y = c·x/(x + a). So the output
 * w = y0 − y is the lesser root of w² − (s + a)·w + a·(y0 + c/(x + a)) = 0, with s = 2·y0 + l, all
 * of whose terms are sums. It is a concave function of a: its slope is
 * (y + c·x/(x + a)²)/(2y + l + a), the price, which falls.
 *
 * Error: u = 2^-53. While half of y0 is left, y ≤ 2y + l + a bounds the condition of the root by 3.
 * Past that y is solved for: l + a is off by some u·D then, and y by no more, while 2y + l + a is
 * D/10^4 or more. So outputs are off by less than 2^15·u; SIDE_ERROR allows for four times that.
 */
export interface StableSwapSide {
  readonly x: number;
  /** What `get_y` says when nothing goes in. */
  readonly y: number;
  readonly linear: number;
  /** c for x. */
  readonly constant: number;
  /** The current fee, in 1/10^10. */
  readonly feeRate: number;
  /** What is left of an output after the least fee that an input may pay. */
  readonly kept: number;
  /** By how much an output, before the fee, may exceed the formula's; see `roundingOf`. */
  readonly rounding: number;
  /** Of one unit. */
  readonly scaleIn: number;
  readonly scaleOut: number;
}

export const SIDE_ERROR = 2 ** -36;

/** The last solution. */
let solvedOutput = 0;
let solvedLeft = 0;

/** Of a direction that gives something: `startOf` is not REFUSED. */
export function stableSwapSide(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
): StableSwapSide {
  const { scaled, sum, d, dByAnn, rates, rules } = market;
  const start = startOf(market, positionOut);
  const before = scaled[positionIn]!;
  const feeRate = feeRateAt(market, positionIn, positionOut, before, start);
  const isRising = isFeeRising(market, positionIn, positionOut, before, start);
  const kept = Number(E10 - (isRising ? feeRate : market.fee)) / Number(E10);
  const scaleOut = Number(rates[positionOut]) / Number(E18);
  const feeUnit = (rules & FEE_OF_UNITS) === 0 ? 1 : Math.max(1, scaleOut);
  return {
    x: Number(before),
    y: Number(start),
    linear: Number(sum - scaled[positionOut]! + dByAnn - d),
    constant: Number(constantOf(market, positionIn, positionOut, before)),
    feeRate: Number(feeRate),
    kept,
    // The fee is rounded down too.
    rounding: roundingOf(market, positionIn, positionOut) + feeUnit / kept,
    scaleIn: Number(rates[positionIn]) / Number(E18),
    scaleOut,
  };
}

/**
 * `exchange` gives no more than the formula of `StableSwapSide` plus this. With c an integer,
 * `get_y` is the floor of the root or more, and the contract takes one off: so it gives less than
 * balance − root. With nothing in, the root is at least `startOf` − 1. And c is rounded down:
 * relatively by less than the sum of 1/v over the values v that it has from step to step, which
 * lowers the root by as small a part of y. Where x is in v, y/v grows until x and y are equal.
 */
function roundingOf(market: StableSwapMarket, positionIn: number, positionOut: number): number {
  const { scaled, d, n, ann, aPrecision } = market;
  const start = startOf(market, positionOut);
  const y = Number(start);
  const growth = Math.max(1, y / Number(scaled[positionIn]));
  let rounding = Math.max(0, Number(scaled[positionOut]! - start)) + 1;
  let value = Number(d);
  for (let position = 0; position < scaled.length; position++) {
    if (position === positionOut) continue;
    value *= Number(d) / Number(scaled[position]! * n);
    rounding += ((position < positionIn ? 1 : growth) * y) / value;
  }
  value *= Number(d * aPrecision) / Number(ann * n);
  return (rounding + (growth * y) / value) * (1 + SIDE_ERROR);
}

/** Writes output, slope and bend for `added`, before any fee. */
export function stableSwapPoint(side: StableSwapSide, added: number, into: Float64Array): void {
  solve(side, added);
  const after = side.x + added;
  const pull = side.constant * (side.x / after / after);
  const s = 2 * solvedLeft + side.linear + added;
  const slope = (solvedLeft + pull) / s;
  into[0] = solvedOutput;
  into[1] = slope;
  into[2] = Math.min(0, (-2 * (slope * (1 - slope) + pull / after)) / s);
}

function solve(side: StableSwapSide, added: number): void {
  const { x, y, linear, constant } = side;
  const sum = 2 * y + linear + added;
  const product = added * (y + constant / (x + added));
  const output = (2 * product) / (sum + Math.sqrt(Math.max(0, sum * sum - 4 * product)));
  if (output <= y / 2) {
    solvedOutput = output;
    solvedLeft = y - output;
    return;
  }
  solvedLeft = rootOf(linear + added, constant * (x / (x + added)));
  solvedOutput = y - solvedLeft;
}

/** The input for `output`, which is at most the output of the largest input. */
export function stableSwapAdded(side: StableSwapSide, output: number): number {
  const { x, y, linear, constant } = side;
  solve(side, 2 ** SCALED_BITS);
  const left = Math.max(y - output, solvedLeft);
  // left·a² + (left·x + c − r)·a = r·x, all divided by left.
  const r = output * (y + linear + left);
  return rootOf(x + (constant - r) / left, (r / left) * x);
}

/** The price when nothing goes in. */
export function stableSwapPrice({ x, y, linear, constant }: StableSwapSide): number {
  return (y + constant / x) / (2 * y + linear);
}

/** The positive root of v² + l·v = c. */
function rootOf(l: number, c: number): number {
  const root = Math.sqrt(l * l + 4 * c);
  return l > 0 ? (2 * c) / (l + root) : (root - l) / 2;
}
