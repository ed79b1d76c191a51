import { divideUp, REFUSED } from "@millrace/core/pure";
import { leastFrom } from "../../leastFrom.ts";
import { solidlyInput, solidlyOutput } from "./estimates.ts";

/**
 * x³y + xy³ = k with a fee on the input, as pure integers: the stable pools of Aerodrome and
 * Velodrome V2 (`Pool.sol`: `getAmountOut`, `_get_y`, `_f`, `_d`, `_k`, `swap`). Solidly's and
 * Velodrome's first versions iterate differently.
 *
 * The contract scales balances to 18 decimals and finds the reserve that is left by Newton's method
 * in checked 256-bit arithmetic: it reverts where a product overflows, which happens for some
 * ordinary amounts, and where 255 rounds are not enough.
 */

/** A pool as a swap in one direction sees it. Multipliers are 10^decimals of the tokens. */
export interface SolidlyPair {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  readonly multiplierIn: bigint;
  readonly multiplierOut: bigint;
  /** A hundred times the contract's unit: its division by 10,000 keeps its floor. */
  readonly feePips: bigint;
  readonly zeroForOne: boolean;
}

const PIPS = 1_000_000n;
const E18 = 10n ** 18n;
const E36 = E18 * E18;
const E54 = E18 * E36;
/** See `certainLeft`. */
const TOKENS_MIN = 2n * E18;
const CERTAIN_END = 1n << 93n;
const UNCERTAIN = -1n;
/** See `solidlyInvariant`. */
const HIDDEN_BITS = 37n;
const UINT256_MAX = (1n << 256n) - 1n;
const ROUNDS_MAX = 255;
/** Inputs that are tried one after the other for an exact output. */
const NEAR = 4;
/** Further ones, at distances that double from this part of the input on. */
const FURTHER = 24;
const STRIDE_BITS = 40n;
/** The contract's reserves are 256 bits wide; this engine's state keeps 128. */
export const SOLIDLY_RESERVE_MAX = (1n << 128n) - 1n;

/**
 * What `getAmountOut` answers for `amountIn` and `swap` then accepts; 0n when it rounds to nothing,
 * REFUSED where either reverts.
 */
export function solidlyAmountOut(pair: SolidlyPair, amountIn: bigint): bigint {
  if (pair.reserveIn === 0n || pair.reserveOut === 0n) return REFUSED;
  if (pair.reserveIn + amountIn > SOLIDLY_RESERVE_MAX) return REFUSED;
  const k = solidlyInvariant(pair);
  if (k === REFUSED) return REFUSED;
  return outputLessFee(pair, k, amountIn - solidlyFee(amountIn, pair.feePips));
}

/** The output for an input whose fee has left. */
function outputLessFee(pair: SolidlyPair, k: bigint, amountLessFee: bigint): bigint {
  const { reserveIn, reserveOut, multiplierIn, multiplierOut } = pair;
  const before = scaled(reserveIn, multiplierIn);
  const added = scaled(amountLessFee, multiplierIn);
  const y = scaled(reserveOut, multiplierOut);
  const certain = certainLeft(before, added, y, k);
  if (certain !== UNCERTAIN) return ((y - certain) * multiplierOut) / E18;
  const left = iteratedLeft(pair, before + added, y, k);
  if (left === REFUSED || left > y) return REFUSED;
  const amountOut = ((y - left) * multiplierOut) / E18;
  if (amountOut === 0n) return 0n;
  return isAccepted(pair, amountLessFee, amountOut, k) ? amountOut : REFUSED;
}

/**
 * Where `iteratedLeft` ends, without its rounds: UNCERTAIN for dust, for what may overflow, and
 * where the roundings of k decide.
 *
 * Let G be k of x and y with nothing rounded, g as `curve` rounds it, and c the least y with
 * G(y) ≥ k. Where G(c) exceeds k by more than g hides, g(c) ≥ k > G(c − 1) ≥ g(c − 1). Then
 * Newton's method from above comes to c and ends there, whatever its rounds, since from y ≥ c, with
 * Δ = y − c + 1 and G'' = 6xy,
 *
 * - it does not pass c: g(y) − k < G(y) − G(c − 1) ≤ G'(y)Δ − 3x(c − 1)Δ². The contract's slope is
 *   less than G' by at most 5x/10^18, so that the quotient is below Δ where c − 1 ≥ 2 tokens;
 * - it does not end before c, since g rises with every unit where x and y are 2 tokens or more: by
 *   x(x² + 3y²) in tokens, and hides less than that (`hiddenPart`).
 *
 * It comes down by a third of the rest in a round at least, so 255 are enough. Both reserves below
 * 2^93 keep all products below 2^256: that of (xy/10^18)·((x² + y²)/10^18) is below 2^254. And
 * `swap` accepts what leaves c: it rounds k of the same reserves in the same way.
 */
function certainLeft(reserve: bigint, added: bigint, y: bigint, k: bigint): bigint {
  const x = reserve + added;
  if (x < TOKENS_MIN || x >= CERTAIN_END || y >= CERTAIN_END) return UNCERTAIN;
  const amountOut = solidlyOutput(Number(reserve), Number(y), Number(added));
  const { root, isCertain } = leastRoot(x, k, y - BigInt(Math.floor(amountOut)));
  return isCertain && root > TOKENS_MIN ? root : UNCERTAIN;
}

/**
 * The least integer v ≥ 1 at which k of u and v, with nothing rounded, is `k` or more, near
 * `guess`; and whether it is so with all that the contract's roundings may hide.
 */
function leastRoot(u: bigint, k: bigint, guess: bigint): { root: bigint; isCertain: boolean } {
  const goal = k * E54;
  const uu = u * u;
  let v = guess < 1n ? 1n : guess;
  for (;;) {
    const vv = v * v;
    const surplus = u * v * (uu + vv) - goal;
    // What one unit less takes from it. From above, steps by this slope stay above.
    const decrement = u * (uu + 3n * (vv - v) + 1n);
    if (surplus < 0n) v += 1n - surplus / decrement;
    else if (surplus >= decrement) v -= surplus / decrement;
    else return { root: v, isCertain: surplus >= hiddenPart(u, v) };
  }
}

/**
 * An input whose `solidlyAmountOut` is at least `amountOut`, or REFUSED. The contract has no such
 * function. More input may give a little less (`solidlyUnevenness`) or revert, so it is
 *
 * - the least such input, where that is among the first NEAR that could be: so it is in pools of
 *   more than about one token of each;
 * - else one that gives it while the one before it does not, from the band where the roundings of k
 *   decide, or from beyond it where the contract reverts there.
 */
export function solidlyAmountIn(pair: SolidlyPair, amountOut: bigint): bigint {
  const { reserveIn, reserveOut, multiplierIn, multiplierOut } = pair;
  if (reserveIn === 0n || amountOut >= reserveOut) return REFUSED;
  const k = solidlyInvariant(pair);
  if (k === REFUSED) return REFUSED;
  const x = scaled(reserveIn, multiplierIn);
  const y = scaled(reserveOut, multiplierOut);
  // What `swap` accepts rises with the input, and `solidlyAmountOut` is never more than that.
  const leftBySwap = scaled(reserveOut - amountOut, multiplierOut);
  const accepted = leastReserve(x, y, leftBySwap, k);
  if (accepted === REFUSED) return REFUSED;
  const least = unscaledUp(accepted, multiplierIn) - reserveIn;
  const near = firstThatGives(pair, k, highest(least, 1n), amountOut);
  if (near.amount !== REFUSED) return beforeFee(pair, near.amount);
  // From here on no rounding keeps `_get_y` from going as far as is needed.
  const needed = y - scaledUp(amountOut, multiplierOut);
  const reached = leastReserve(x, y, needed, k);
  const passed = leastReserve(x, y, needed + 1n, k + 1n);
  if (reached === REFUSED || passed === REFUSED) return REFUSED;
  const sure = unscaledUp(highest(reached, passed) - x, multiplierIn);
  const far = firstThatGives(pair, k, highest(sure, near.next), amountOut);
  let gives = far.amount;
  if (gives === REFUSED) gives = furtherThatGives(pair, k, far.next, amountOut);
  if (gives === REFUSED) return REFUSED;
  let fails = near.next - 1n;
  while (gives - fails > 1n) {
    const middle = (gives + fails) >> 1n;
    if (outputLessFee(pair, k, middle) >= amountOut) gives = middle;
    else fails = middle;
  }
  return beforeFee(pair, gives);
}

/** The first of NEAR inputs after the fee that gives `amountOut`, and the one after those tried. */
function firstThatGives(pair: SolidlyPair, k: bigint, from: bigint, amountOut: bigint) {
  const { multiplierIn } = pair;
  let amount = from;
  for (let tried = 0; tried < NEAR; tried++) {
    if (pair.reserveIn + amount > SOLIDLY_RESERVE_MAX) break;
    if (outputLessFee(pair, k, amount) >= amountOut) return { amount, next: amount };
    // The next that is another one of 18 decimals.
    amount = unscaledUp(scaled(amount, multiplierIn) + 1n, multiplierIn);
  }
  return { amount: REFUSED, next: amount };
}

/**
 * An input after the fee that gives `amountOut`, some way from those of `firstThatGives`. In large
 * pools of a token with few decimals the contract reverts for whole stretches of inputs, since its
 * `_get_y` compares with `_k` of amounts that are scaled twice.
 */
function furtherThatGives(pair: SolidlyPair, k: bigint, from: bigint, amountOut: bigint): bigint {
  let amount = from;
  let stride = (from >> STRIDE_BITS) + 1n;
  for (let tried = 0; tried < FURTHER; tried++) {
    amount += stride;
    stride *= 2n;
    if (pair.reserveIn + amount > SOLIDLY_RESERVE_MAX) break;
    if (outputLessFee(pair, k, amount) >= amountOut) return amount;
  }
  return REFUSED;
}

/** The least input that is `amountLessFee` after the fee; it takes every value. */
function beforeFee({ reserveIn, feePips }: SolidlyPair, amountLessFee: bigint): bigint {
  const amountIn = ((amountLessFee - 1n) * PIPS) / (PIPS - feePips) + 1n;
  return reserveIn + amountIn > SOLIDLY_RESERVE_MAX ? REFUSED : amountIn;
}

/** The least reserve of the input with at least the invariant `k` beside `left` of the output. */
function leastReserve(x: bigint, y: bigint, left: bigint, k: bigint): bigint {
  if (left <= 0n) return REFUSED;
  const guess = solidlyInput(Number(x), Number(y), Number(y - left), Number(left));
  const { root, isCertain } = leastRoot(left, k, x + BigInt(Math.floor(guess)));
  if (isCertain) return root;
  return leastFrom(0n, root, (reserve) => {
    const value = curve(reserve, left);
    return value === REFUSED || value >= k;
  });
}

/** The fee, which leaves the pool; rounded down. */
export function solidlyFee(amountIn: bigint, feePips: bigint): bigint {
  return (amountIn * feePips) / PIPS;
}

/** Whether `swap` accepts this output: a rest must remain, and k must not fall. */
function isAccepted(pair: SolidlyPair, amountLessFee: bigint, amountOut: bigint, k: bigint) {
  const { reserveIn, reserveOut, multiplierIn, multiplierOut } = pair;
  if (amountOut >= reserveOut) return false;
  const x = scaled(reserveIn + amountLessFee, multiplierIn);
  const y = scaled(reserveOut - amountOut, multiplierOut);
  // REFUSED is below every k.
  return curve(x, y) >= k;
}

/**
 * `_k` of the reserves. REFUSED where it overflows, and where its roundings may hide more than one
 * part in 2^37 of it: some thousandths of a token are no pool, and what they give is no curve.
 */
export function solidlyInvariant(pair: SolidlyPair): bigint {
  const x = scaled(pair.reserveIn, pair.multiplierIn);
  const y = scaled(pair.reserveOut, pair.multiplierOut);
  const k = curve(x, y);
  // From a token of each on it is one in 2^58 at most.
  if (x >= E18 && y >= E18) return k;
  return hiddenPart(x, y) << HIDDEN_BITS > k * E54 ? REFUSED : k;
}

/**
 * How much less than x³y + xy³ `curve` may be, times 10^54: a = xy/10^18 loses less than 1,
 * b = (x² + y²)/10^18 less than 2, and ab/10^18 less than 1.
 */
function hiddenPart(x: bigint, y: bigint): bigint {
  return E18 * ((x + y) * (x + y) + 2n * E18 + E36);
}

function highest(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

/** An amount with 18 decimals, as the contract rounds it. */
function scaled(amount: bigint, multiplier: bigint): bigint {
  return (amount * E18) / multiplier;
}

/** The least amount with 18 decimals of which `amount` is no more than the floor. */
function scaledUp(amount: bigint, multiplier: bigint): bigint {
  return divideUp(amount * E18, multiplier);
}

/** The least amount that is `value` or more with 18 decimals. */
function unscaledUp(value: bigint, multiplier: bigint): bigint {
  return divideUp(value * multiplier, E18);
}

/** `_f`: x³y + xy³ of amounts with 18 decimals, every product rounded down. */
function curve(x: bigint, y: bigint): bigint {
  const xy = x * y;
  const xx = x * x;
  const yy = y * y;
  if (xy > UINT256_MAX || xx > UINT256_MAX || yy > UINT256_MAX) return REFUSED;
  const product = (xy / E18) * (xx / E18 + yy / E18);
  return product > UINT256_MAX ? REFUSED : product / E18;
}

/**
 * `_get_y`: the reserve of the output, in 18 decimals, at which `x` of the input has the invariant
 * `k`; Newton's method from `start` with the contract's roundings and exits.
 */
function iteratedLeft(pair: SolidlyPair, x: bigint, start: bigint, k: bigint): bigint {
  const xx = x * x;
  if (xx > UINT256_MAX) return REFUSED;
  const xxE18 = xx / E18;
  const xxx = xxE18 * x;
  if (xxx > UINT256_MAX) return REFUSED;
  const slopeOfX = xxx / E18;
  let y = start;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const xy = x * y;
    const yy = y * y;
    if (xy > UINT256_MAX || yy > UINT256_MAX) return REFUSED;
    const yyE18 = yy / E18;
    const product = (xy / E18) * (xxE18 + yyE18);
    // `_d`, the slope in y: 3xy² + x³.
    const xyy = 3n * x * yyE18;
    if (product > UINT256_MAX || xyy > UINT256_MAX) return REFUSED;
    const value = product / E18;
    const slope = xyy / E18 + slopeOfX;
    const isBelow = value < k;
    const difference = (isBelow ? k - value : value - k) * E18;
    if (slope === 0n || difference > UINT256_MAX) return REFUSED;
    let step = difference / slope;
    if (step === 0n) {
      if (isBelow) {
        const above = rescaledInvariant(pair, x, y + 1n);
        if (above === REFUSED) return REFUSED;
        if (above > k) return y + 1n;
      } else {
        if (difference === 0n) return y;
        if (y === 0n) return REFUSED;
        // Smaller than what was computed without overflow.
        if (curve(x, y - 1n) < k) return y;
      }
      step = 1n;
    }
    y = isBelow ? y + step : y - step;
    if (y < 0n) return REFUSED;
  }
  return REFUSED;
}

/**
 * The contract's `_k` of amounts that have 18 decimals already: it scales them once more, the first
 * by token0's decimals and the second by token1's, whichever way the swap goes. With few decimals
 * that overflows for any pool of some size, and the swap reverts.
 */
function rescaledInvariant(pair: SolidlyPair, x: bigint, y: bigint): bigint {
  const { multiplierIn, multiplierOut, zeroForOne } = pair;
  const [multiplier0, multiplier1] = zeroForOne
    ? [multiplierIn, multiplierOut]
    : [multiplierOut, multiplierIn];
  const xE18 = x * E18;
  const yE18 = y * E18;
  if (xE18 > UINT256_MAX || yE18 > UINT256_MAX) return REFUSED;
  return curve(xE18 / multiplier0, yE18 / multiplier1);
}
