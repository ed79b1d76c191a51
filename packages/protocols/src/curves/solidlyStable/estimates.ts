/**
 * The curve x³y + xy³ = k in floats. All amounts have 18 decimals; a fee is taken off before.
 *
 * With t = y/x, the price of x in y is s = t(3 + t²)/(1 + 3t²): tanh 3u where t = tanh u. It falls
 * with t, and t falls as x grows. So the output is a concave function of the input: its slope
 * s falls, and its bend ds/dx = −12t(1 + t²)(1 − t²)²/((1 + 3t²)³x) is 0 only in balance, at t = 1.
 *
 * Error: u = 2^-53. Outputs are off by less than 64u, relatively, with all inputs exact:
 * `solveOutput` says why. Each of x, y and the input enters the rate with a logarithmic derivative
 * of at most 7, so inputs that are off by 4u add 84u. CURVE_ERROR, 256u, allows for both. The same
 * holds of inputs for an output.
 */
export const CURVE_ERROR = 2 ** -45;

const E18 = 1e18;
const E36 = 1e36;
const UINT256 = 2 ** 256;

/** The last solution: the output, and the ratio of the reserves that it leaves. */
let solvedOutput = 0;
let solvedRatio = 0;

/** What `amountIn` gives; x, y > 0. */
export function solidlyOutput(x: number, y: number, amountIn: number): number {
  solveOutput(x, y, amountIn);
  return solvedOutput;
}

/** Writes output, its slope and its bend (first and second derivative) at `amountIn`. */
export function solidlyPoint(
  x: number,
  y: number,
  amountIn: number,
  into: Float64Array,
  at: number,
): void {
  solveOutput(x, y, amountIn);
  const t = solvedRatio;
  const denominator = 1 + 3 * t * t;
  const flatness = (1 - t * t) / denominator;
  into[at] = solvedOutput;
  into[at + 1] = solidlyRate(t);
  into[at + 2] = (-12 * t * ((1 + t * t) / denominator) * flatness * flatness) / (x + amountIn);
}

/** The price of x in y where y/x = `ratio`. */
export function solidlyRate(ratio: number): number {
  const square = ratio * ratio;
  return (ratio * (3 + square)) / (1 + 3 * square);
}

/**
 * The part by which x has to grow for its price to fall by 2 %, where y/x = `ratio`: x⁴(t + t³) is
 * the invariant, and the price tanh 3u where t = tanh u, or coth of both where y is more than x.
 */
export function solidlyDepth(ratio: number): number {
  const left = ratioOf(0.98 * solidlyRate(ratio));
  return ((ratio * (1 + ratio * ratio)) / (left * (1 + left * left))) ** 0.25 - 1;
}

/** y/x where the price of x is `rate`. */
function ratioOf(rate: number): number {
  if (rate === 1) return 1;
  return rate < 1 ? Math.tanh(Math.atanh(rate) / 3) : 1 / Math.tanh(Math.atanh(1 / rate) / 3);
}

/**
 * In units of x, with T = y/x, ξ = amountIn/x and w = output/x, equal invariants before and after
 * mean, without any difference of like terms,
 *
 *   h(w) = w·((1 + ξ)² + T² + Tv + v²) = ξT·(3 + 3ξ + ξ² + T²)/(1 + ξ) = target,  v = T − w.
 *
 * h rises and is concave. While w ≤ T/2 its relative condition is at most 7/3, and Newton's steps
 * come from below but for the first, each with at most the square of the relative error before:
 * from the start below, which is at most 1/3 off, six are enough. Where more than half of y leaves,
 * the ratio that is left is solved for instead: then the difference y − left loses nothing.
 */
function solveOutput(x: number, y: number, amountIn: number): void {
  const ratio = y / x;
  const part = amountIn / x;
  const grown = 1 + part;
  const squares = ratio * ratio;
  const grownSquares = grown * grown;
  const target = (part * ratio * (3 + part * (3 + part) + squares)) / grown;
  if (target > ratio * 0.5 * (grownSquares + 1.75 * squares)) {
    solvedRatio = solveRatio((ratio * (1 + squares)) / (grownSquares * grownSquares));
    solvedOutput = y - solvedRatio * (x + amountIn);
    return;
  }
  const firstSlope = grownSquares + 3 * squares;
  // The root of the hyperbola that has h's value, slope and bend at 0.
  let output = target / (firstSlope - (3 * ratio * target) / firstSlope);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left = ratio - output;
    const height = output * (grownSquares + squares + left * (ratio + left));
    const step = (target - height) / (grownSquares + 3 * left * left);
    output += step;
    if (Math.abs(step) <= CLOSE * output) break;
  }
  solvedRatio = (ratio - output) / grown;
  solvedOutput = output * x;
}

/** One step from this close, relatively, the rest is below the rounding. */
const CLOSE = 2 ** -27;
const ROUNDS_MAX = 12;

/**
 * t where t³ + t = `sum`. Newton's steps on a convex function come from above, each with at most
 * the square of the relative error before; the condition is at most 1.
 */
function solveRatio(sum: number): number {
  let t = Math.min(sum, Math.cbrt(sum));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const step = (sum - t * (1 + t * t)) / (1 + 3 * t * t);
    t += step;
    if (Math.abs(step) <= CLOSE * t) break;
  }
  return t;
}

/**
 * The input that gives `amountOut` and leaves `left` = y − amountOut, Infinity where that is
 * nothing. The caller knows both: where the last units are expensive, a rounding of either is worth
 * much of the input. The same equation with x and y exchanged and signs turned has positive terms
 * alone: with T = x/y, p = amountOut/y, q = left/y and z = input/y,
 *
 *   z·(q² + 3T² + 3Tz + z²) = pT·(1 + q + q² + T²)/q.
 *
 * The left side rises and is convex, its condition is at most 1, and the start is at most five
 * times the root.
 */
export function solidlyInput(x: number, y: number, amountOut: number, left: number): number {
  if (!(left > 0)) return Number.POSITIVE_INFINITY;
  const ratio = x / y;
  const kept = left / y;
  const squares = ratio * ratio;
  const keptSquares = kept * kept;
  const target = ((amountOut / y) * ratio * (1 + kept + keptSquares + squares)) / kept;
  const firstSlope = keptSquares + 3 * squares;
  let input = Math.min(target / firstSlope, Math.cbrt(target));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const grown = ratio + input;
    const height = input * (firstSlope + input * (3 * ratio + input));
    const step = (target - height) / (keptSquares + 3 * grown * grown);
    input += step;
    if (Math.abs(step) <= CLOSE * input) break;
  }
  return input * y;
}

/** The part of k that its roundings may hide (`solidlyInvariant`). */
export function solidlyHiddenPart(x: number, y: number): number {
  const hidden = (x + y) * (x + y) + E36 * (1 + 2 / E18);
  return ((hidden / x) * E18) / y / x / x / (1 + (y / x) * (y / x));
}

/**
 * An upper bound of the reserve of the input beside which no product of `_get_y` overflows; from
 * 32 % less on one may.
 */
export function solidlyReserveLimit(y: number): number {
  // x³y and xy³ are both at most 2^256 × 10^36, x³ at most 2^256 × 10^18, x at most 2^128.
  const cube = Math.min(E36 / y, E18) * UINT256;
  return Math.min(Math.cbrt(cube), ((UINT256 / y) * E18 * E18) / y / y, 2 ** 128);
}

/**
 * The exact output is monotone within this many units of 18 decimals: more input gives less by no
 * more. Both outputs are within the roundings of k of the curve; k has units of 10^−18 and a slope
 * of at least x³ + xy² there, and hides 1 + (x + y)² ≤ 1 + 2(x² + y²) units (`solidlyHiddenPart`).
 */
export function solidlyUnevenness(x: number, y: number): number {
  const [tokensIn, tokensOut] = [x / E18, y / E18];
  return 1 + 1 / (tokensIn * (tokensIn * tokensIn + tokensOut * tokensOut)) + 2 / tokensIn;
}
