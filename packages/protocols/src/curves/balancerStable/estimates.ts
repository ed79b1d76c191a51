import { squareRoot } from "@millrace/core/pure";
import type { BalancerFace } from "../../balancerFamily.ts";
import type { BalancerStablePool } from "./math.ts";

/**
 * The invariant of stable pools in floats, between two tokens of a pool while all others stand
 * still. With x and y their balances it says x + y − h = M, where h = k / (xy), for some k and M.
 *
 * For an input a with output w, x + y − h before and after mean, without a difference of like
 * terms,
 *
 *   w·(y + h + a − w) = a·y·(x + a + h) / (x + a),
 *
 * for what stays of y, v² + (h + a − y)·v = hxy / (x + a), and for an input that gives w and leaves
 * v, a² + (x + h − w)·a = wx·(1 + h/v). The price is p = y(x + h) / (x(y + h)), and its derivative
 * −2ph(1 − r + r²) / (x(x + h)) with r = (x + h) / (y + h), of the balances that a swap leaves.
 *
 * Error of an output, with u = 2^-53: the first equation is solved where w ≤ y/2, the second where
 * w is more. There the terms that are taken from one another are at most three times the rest. Each
 * of x, y, h and a enters the output with a logarithmic derivative of about 1 at most, and h is a
 * product of up to nine quotients. All comes to less than 100u. An input for an output has no such
 * bound: `inputOf` shifts the coefficient in which it is lost.
 */
const ROUNDING_UP = 1 + 2 ** -45;
const ROUNDING_DOWN = 1 - 2 ** -45;

const SHIFT = 2 ** -46;
/** Fraction bits of the balance that goes with D. */
const FRACTION_BITS = 96n;
const FRACTION = 2 ** 96;
const AMP_PRECISION = 1_000n;
const E18 = 1e18;
/** V2 keeps balances in 112 bits, V3 in 128. */
const END_V2 = 2n ** 112n;
const END_V3 = 2 ** 128;

/**
 * The contract rounds up a balance that goes with D, but D itself may be too low. The pool acts as
 * if its input balance x were only what goes with D and the other balances: the rest is a bonus. A
 * surging fee is left out: the face has the least fee.
 */
export function balancerStableFace(
  pool: BalancerStablePool,
  positionIn: number,
  positionOut: number,
): BalancerFace | undefined {
  const exactIn = pool.balancesE18[positionIn]!;
  const exactX = balanceWithInvariant(pool, positionIn);
  if (exactX === undefined) return undefined;
  const x = Number(exactX) / FRACTION;
  const y = Number(pool.balancesE18[positionOut]!);
  const h = curvature(pool, positionIn, x);
  const left = 1 - Number(pool.feeE18) / E18;
  const factorIn = Number(pool.factorsE18[positionIn]!) / E18;
  const perUnitOut = Number(pool.factorsE18[positionOut]!) / E18;
  const surplus = Number((exactIn << FRACTION_BITS) - exactX) / FRACTION;
  const bonus = surplus > 0 ? surplus * ROUNDING_UP : 0;
  // In integers: of two numbers that are nearly equal, floats would tell no difference.
  const room = pool.isV3 ? END_V3 : Number(END_V2 - pool.balances[positionIn]!);
  return {
    perUnitIn: factorIn * left,
    perUnitOut,
    capacity: room * ROUNDING_UP,
    bonus,
    outputMax: Number(pool.balances[positionOut]!) * ROUNDING_UP,
    price: priceAt(x, y, h),
    at: (amountIn, into) => {
      const newX = x + amountIn;
      const newY = solveOutput(x, y, h, amountIn);
      const newH = ((h / newX) * x * y) / newY;
      const price = priceAt(newX, newY, newH);
      const ratio = (newX + newH) / (newY + newH);
      into[0] = solvedOutput * ROUNDING_UP;
      into[1] = price * ROUNDING_UP;
      into[2] = ((-2 * price * newH) / newX / (newX + newH)) * (1 - ratio + ratio * ratio);
    },
    inputFor: (amountOut) => inputOf(x, y, h, Math.min(amountOut, y)),
  };
}

const priceAt = (x: number, y: number, h: number) => ((y / x) * (x + h)) / (y + h);

/** The output that `solveOutput` has found last. */
let solvedOutput = 0;

/** Finds the output of an input, and gives what stays of y. */
function solveOutput(x: number, y: number, h: number, amountIn: number): number {
  const newX = x + amountIn;
  const whole = y + h + amountIn;
  const target = amountIn * y * (1 + h / newX);
  const half = y / 2;
  if (target <= half * (whole - half)) {
    solvedOutput = (2 * target) / (whole + Math.sqrt(whole * whole - 4 * target));
    return y - solvedOutput;
  }
  const stays = positiveRoot(h + amountIn - y, (h / newX) * x * y);
  solvedOutput = y - stays;
  return stays;
}

/** An input that gives no more than `amountOut`. */
function inputOf(x: number, y: number, h: number, amountOut: number): number {
  const stays = y - amountOut + SHIFT * y;
  const coefficient = x + h - amountOut + SHIFT * (x + h + amountOut);
  return positiveRoot(coefficient, amountOut * x * (1 + h / stays)) * ROUNDING_DOWN;
}

/** z where z² + `coefficient` × z = `constant` > 0. */
function positiveRoot(coefficient: number, constant: number): number {
  const root = Math.sqrt(coefficient * coefficient + 4 * constant);
  return coefficient > 0 ? (2 * constant) / (coefficient + root) : (root - coefficient) / 2;
}

/** h of the pool, with x for the balance of the input: 1000·D^(n + 1) / (amp·n·n^n·P). */
function curvature(pool: BalancerStablePool, positionIn: number, x: number): number {
  const { curveBalancesE18, invariantE18, stable, balancesE18 } = pool;
  const count = curveBalancesE18.length;
  const invariant = Number(invariantE18);
  let h = ((invariant / count) * Number(AMP_PRECISION)) / Number(stable!.ampE3);
  for (const [position, balance] of balancesE18.entries()) {
    if (position === pool.ownPosition) continue;
    h *= invariant / count / (position === positionIn ? x : Number(balance));
  }
  return h;
}

/**
 * The balance of the input that goes with all others and D as the contract finds it, times
 * 2^FRACTION_BITS: x² + (S − D + D/(A·n^n))·x = D^(n + 1) / (A·n^n·n^n·P), with sum and product of
 * the others. Undefined where the contract reverts, or gives nothing.
 */
function balanceWithInvariant(pool: BalancerStablePool, positionIn: number): bigint | undefined {
  const { balancesE18, invariantE18: invariant, stable } = pool;
  if (invariant <= 0n) return undefined;
  const count = BigInt(pool.curveBalancesE18.length);
  const ampTimesCount = stable!.ampE3 * count;
  let sum = 0n;
  let dividend = (invariant * AMP_PRECISION) << (2n * FRACTION_BITS);
  let divisor = ampTimesCount * count;
  for (const [position, balance] of balancesE18.entries()) {
    if (position === positionIn || position === pool.ownPosition) continue;
    if (balance === 0n) return undefined;
    sum += balance;
    dividend *= invariant;
    divisor *= balance * count;
  }
  const constant = (dividend * invariant) / divisor;
  const shifted = (sum - invariant) << FRACTION_BITS;
  const coefficient = shifted + ((invariant * AMP_PRECISION) << FRACTION_BITS) / ampTimesCount;
  const root = (squareRoot(coefficient * coefficient + 4n * constant) - coefficient) / 2n;
  return root > 0n ? root : undefined;
}
