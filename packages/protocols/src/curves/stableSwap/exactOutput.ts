import { divideUp, REFUSED } from "@millrace/core/pure";
import { leastFrom } from "../../leastFrom.ts";
import { E10, E18, FEE_OF_UNITS, SCALED_BITS, type StableSwapMarket } from "./market.ts";
import {
  constantOf,
  feeRateAt,
  isFeeRising,
  leftOf,
  scaledAfter,
  stableSwapExchange,
  startOf,
} from "./math.ts";

/**
 * The least input of an output; the contract has no such function, or only approximate ones.
 *
 * `get_y` never rises with the input while it is 32 or more: by `certainLeft` it is the floor of
 * the root, or one more where f(floor + 1) is from 1 to 16; a unit more in raises that by more than
 * 16. With a fee that stays, what comes out never falls then. A dynamic fee is a step function of
 * the input that falls until the means are equal and rises from there (`feeRateAt`), so
 *
 * - until there, more in gives no less, and halving finds the least input;
 * - from there, with h(input) the least input that gives the output at the fee of `input`, h never
 *   falls, and the least input is the least one with h(input) ≤ input. Each of input, h(input),
 *   h(h(input)) … is at most that, when the first one is; where one no longer grows, it is it.
 */

/** Less than this is never left, in scaled units: see above. */
const LEFT_LEAST_ASKED = 32n;
/** Near the most that a pool gives with a rising fee, inputs may not settle in fewer: REFUSED. */
const FEE_ROUNDS_MAX = 64;
const NARROWING_ROUNDS_MAX = 8;

/** One direction of a market, and the wanted output. */
interface Wanted {
  readonly market: StableSwapMarket;
  readonly positionIn: number;
  readonly positionOut: number;
  readonly amountOut: bigint;
}

/** The least input for which `exchange` gives `amountOut` ≥ 1 or more, or REFUSED. */
export function stableSwapInput(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  amountOut: bigint,
): bigint {
  if (startOf(market, positionOut) === REFUSED) return REFUSED;
  const wanted = { market, positionIn, positionOut, amountOut };
  const isDynamic = market.offpegFeeMultiplier > E10;
  const amountIn = isDynamic ? dynamicFeeInput(wanted) : inputAtFee(wanted, market.fee);
  return amountIn !== REFUSED && gives(wanted, amountIn) ? amountIn : REFUSED;
}

function gives({ market, positionIn, positionOut, amountOut }: Wanted, amountIn: bigint): boolean {
  const output = stableSwapExchange(market, positionIn, positionOut, amountIn);
  return output !== undefined && output.amountOut >= amountOut;
}

function dynamicFeeInput(wanted: Wanted): bigint {
  const { market, positionIn, positionOut } = wanted;
  const lowest = inputAtFee(wanted, market.fee);
  if (lowest === REFUSED) return REFUSED;
  if (isRisingAt(wanted, lowest)) return risingFeeInput(wanted, lowest);
  // The fee has been falling up to here: no higher one than the first is paid until it rises.
  const start = startOf(market, positionOut);
  const x = market.scaled[positionIn]!;
  const highest = inputAtFee(wanted, feeRateAt(market, positionIn, positionOut, x, start));
  if (highest !== REFUSED && !isRisingAt(wanted, highest)) {
    return fallingFeeInput(wanted, lowest, highest);
  }
  const turn = leastFrom(lowest, lowest, (amountIn) => isRisingAt(wanted, amountIn));
  // Where the pool is full before the fee rises, it falls up to the last input that fits.
  const isFull = scaledAfter(market, positionIn, turn) === REFUSED;
  const last = isFull ? turn - 1n : turn;
  if (gives(wanted, last)) return fallingFeeInput(wanted, lowest, last);
  return isFull ? REFUSED : risingFeeInput(wanted, turn);
}

/** The least input from `from` on, where the fee no longer falls. */
function risingFeeInput(wanted: Wanted, from: bigint): bigint {
  let amountIn = from;
  for (let round = 0; round < FEE_ROUNDS_MAX; round++) {
    const needed = inputAtFee(wanted, feeRateOf(wanted, amountIn));
    if (needed === REFUSED) return REFUSED;
    if (needed <= amountIn) return amountIn;
    amountIn = needed;
  }
  return REFUSED;
}

/** The least input between two while the fee falls; the upper one gives what is wanted. */
function fallingFeeInput(wanted: Wanted, from: bigint, to: bigint): bigint {
  let [low, high] = [from, to];
  // The fee at an end says what would be needed were it that everywhere between.
  for (let round = 0; round < NARROWING_ROUNDS_MAX && low < high; round++) {
    const needed = inputAtFee(wanted, feeRateOf(wanted, high));
    const enough = inputAtFee(wanted, feeRateOf(wanted, low));
    const isNarrower = needed > low || (enough !== REFUSED && enough < high);
    if (needed > low) low = needed;
    if (enough !== REFUSED && enough < high) high = enough;
    if (!isNarrower) break;
  }
  if (gives(wanted, low)) return low;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (gives(wanted, middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The least input that would give the output at this fee; REFUSED where none does. */
function inputAtFee({ market, positionIn, positionOut, amountOut }: Wanted, feeRate: bigint) {
  const { rates, scaled, rules } = market;
  const rate = rates[positionOut]!;
  const kept = E10 - feeRate;
  if (kept <= 0n) return REFUSED;
  // The least amount that is `net` after the fee: what the fee leaves takes every value.
  const beforeFee = (net: bigint) => ((net - 1n) * E10) / kept + 1n;
  const given =
    (rules & FEE_OF_UNITS) === 0
      ? beforeFee(divideUp(amountOut * rate, E18))
      : divideUp(beforeFee(amountOut) * rate, E18);
  const left = scaled[positionOut]! - 1n - given;
  return left < LEFT_LEAST_ASKED ? REFUSED : inputLeaving(market, positionIn, positionOut, left);
}

/** The least input, from 1 up, after which `get_y` is `left` or less; REFUSED if too wide. */
function inputLeaving(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  left: bigint,
): bigint {
  const rate = market.rates[positionIn]!;
  const added = addedEstimate(market, positionIn, positionOut, left);
  const leaves = (amountIn: bigint) => {
    const x = scaledAfter(market, positionIn, amountIn);
    if (x === REFUSED) return true;
    const y = leftOf(market, positionIn, positionOut, x);
    return y !== REFUSED && y <= left;
  };
  const amountIn = leastFrom(1n, divideUp(added * E18, rate), leaves);
  return scaledAfter(market, positionIn, amountIn) === REFUSED ? REFUSED : amountIn;
}

/**
 * The scaled input that leaves less than v = left + 1, nearly. At x it is v² + (l + x)·v = C/x,
 * with C and l free of x: the root in floats, and one step of Newton's method with integers.
 */
function addedEstimate(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  left: bigint,
): bigint {
  const { scaled, sum, sumEnd, d, dByAnn } = market;
  const before = scaled[positionIn]!;
  const v = left + 1n;
  const free = v + sum - before - scaled[positionOut]! + dByAnn - d;
  const half = Number(free);
  const constant =
    Number(constantOf(market, positionIn, positionOut, before)) * (Number(before) / Number(v));
  const root = Math.sqrt(half * half + 4 * constant);
  const found = half > 0 ? (2 * constant) / (half + root) : (root - half) / 2;
  if (!(found < 2 ** SCALED_BITS)) return sumEnd;
  const near = BigInt(Math.floor(found));
  const x = near > before ? near : before;
  const c = constantOf(market, positionIn, positionOut, x);
  if (c === REFUSED) return x - before;
  const surplus = v * (free + x) - c;
  const slope = Number(v) + Number(c) / Number(x);
  const added = x - before - BigInt(Math.round(Number(surplus) / slope));
  return added > 0n ? added : 0n;
}

/** The fee after an input for which `get_y` has an answer. */
function feeRateOf({ market, positionIn, positionOut }: Wanted, amountIn: bigint): bigint {
  const x = scaledAfter(market, positionIn, amountIn);
  return feeRateAt(market, positionIn, positionOut, x, leftOf(market, positionIn, positionOut, x));
}

function isRisingAt({ market, positionIn, positionOut }: Wanted, amountIn: bigint): boolean {
  const x = scaledAfter(market, positionIn, amountIn);
  if (x === REFUSED) return true;
  const y = leftOf(market, positionIn, positionOut, x);
  return y !== REFUSED && isFeeRising(market, positionIn, positionOut, x, y);
}
