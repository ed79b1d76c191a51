import { REFUSED } from "@millrace/core/pure";
import { certainRoot, UNCERTAIN_ROOT } from "../../stableRoot.ts";
import {
  BALANCE_END,
  E10,
  E18,
  FEE_OF_UNITS,
  KEEPS_ORACLE,
  ROUNDS_MAX,
  type StableSwapMarket,
  type StableSwapPool,
  UINT256_MAX,
} from "./market.ts";

/**
 * Curve's StableSwap as pure integers. What `exchange` does (`get_y`, `_dynamic_fee`), not
 * `get_dy`, whose rounding differs in old pools. Sources: StableSwap3Pool.vy and the templates of
 * curve-contract, plain pools of curve-factory, CurveStableSwapNG.vy and CurveStableSwapMetaNG.vy.
 */

/** A balance of the output below this, scaled, is no liquidity: roundings would count for much. */
const LEFT_LEAST = 1n << 44n;
/** Floats below this stand for numbers that fit 256 bits. */
const NEAR_END = 2 ** 254;

export interface StableSwapOutput {
  readonly amountOut: bigint;
  /** The fee, where it was taken: scaled, or in units with FEE_OF_UNITS. */
  readonly fee: bigint;
}

/**
 * What `exchange` gives for `amountIn` ≥ 1, and the fee in it; undefined where it reverts, or where
 * the pool has too little for a meaningful quote.
 */
export function stableSwapExchange(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  amountIn: bigint,
): StableSwapOutput | undefined {
  const { scaled, rates, rules } = market;
  if (startOf(market, positionOut) === REFUSED) return undefined;
  const x = scaledAfter(market, positionIn, amountIn);
  const y = x === REFUSED ? REFUSED : leftOf(market, positionIn, positionOut, x);
  if (y === REFUSED) return undefined;
  // One less for the trader, whatever was rounded.
  const given = scaled[positionOut]! - y - 1n;
  if (given < 0n) return undefined;
  const feeRate = feeRateAt(market, positionIn, positionOut, x, y);
  if ((rules & KEEPS_ORACLE) !== 0 && !isOraclePossible(market, positionIn, positionOut, x, y)) {
    return undefined;
  }
  const rate = rates[positionOut]!;
  if ((rules & FEE_OF_UNITS) !== 0) {
    const units = (given * E18) / rate;
    const fee = (units * feeRate) / E10;
    return { amountOut: units - fee, fee };
  }
  const fee = (given * feeRate) / E10;
  const kept = given - fee;
  return { amountOut: rate === E18 ? kept : (kept * E18) / rate, fee };
}

/** The balances that a swap leaves, less the admin's fee, as the pool's contract counts them. */
export function balancesAfter(
  { balances, rates, adminFee, rules }: StableSwapPool,
  positionIn: number,
  positionOut: number,
  amountIn: bigint,
  { amountOut, fee }: StableSwapOutput,
): bigint[] {
  const part = (fee * adminFee) / E10;
  const taken = (rules & FEE_OF_UNITS) === 0 ? (part * E18) / rates[positionOut]! : part;
  const after = [...balances];
  after[positionIn]! += amountIn;
  after[positionOut]! -= amountOut + taken;
  return after;
}

/** The scaled balance of the input after a swap; REFUSED where a balance or the sum is too wide. */
export function scaledAfter(
  { balances, rates, scaled, sum, sumEnd }: StableSwapMarket,
  positionIn: number,
  amountIn: bigint,
): bigint {
  if (balances[positionIn]! + amountIn >= BALANCE_END) return REFUSED;
  const rate = rates[positionIn]!;
  const added = rate === E18 ? amountIn : (amountIn * rate) / E18;
  return sum + added >= sumEnd ? REFUSED : scaled[positionIn]! + added;
}

/**
 * `get_y` of a balance when nothing goes in: the balance itself, but for a few units of rounding.
 * REFUSED where the pool gives nothing of it. It depends on all other balances as they are,
 * whichever token goes in.
 */
export function startOf(market: StableSwapMarket, positionOut: number): bigint {
  const known = market.starts[positionOut];
  if (known !== undefined) return known;
  const start = market.d === REFUSED ? REFUSED : solveStart(market, positionOut);
  market.starts[positionOut] = start;
  return start;
}

function solveStart(market: StableSwapMarket, positionOut: number): bigint {
  const positionIn = positionOut === 0 ? 1 : 0;
  const left = leftOf(market, positionIn, positionOut, market.scaled[positionIn]!);
  return left < LEFT_LEAST ? REFUSED : left;
}

/**
 * `get_y`: the scaled balance of the output at which `x` of the input keeps D; REFUSED where that
 * reverts. It is y² + (b − D)·y = c, by Newton's method from D.
 */
export function leftOf(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: bigint,
): bigint {
  const { scaled, sum, d, dd, dByAnn } = market;
  const c = constantOf(market, positionIn, positionOut, x);
  if (c === REFUSED) return REFUSED;
  const b = sum - scaled[positionIn]! - scaled[positionOut]! + x + dByAnn;
  const certain = certainRoot(d, dd, b - d, c);
  return certain === UNCERTAIN_ROOT ? iteratedLeft(d, b, c) : certain;
}

/** c = Dⁿ⁺¹/(nⁿ·A·nⁿ⁻¹·∏x) without the output's balance, rounded as the contract does. */
export function constantOf(
  { scaledTimesN, d, dPrecise, n, annN }: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: bigint,
): bigint {
  let c = d;
  for (let position = 0; position < scaledTimesN.length; position++) {
    if (position === positionOut) continue;
    const divisor = position === positionIn ? x * n : scaledTimesN[position]!;
    const product = c * d;
    if (product > UINT256_MAX || divisor === 0n) return REFUSED;
    c = product / divisor;
  }
  const product = c * dPrecise;
  return product > UINT256_MAX ? REFUSED : product / annN;
}

/** The contract's rounds. It is not known to need 255 of them ever. */
function iteratedLeft(d: bigint, b: bigint, c: bigint): bigint {
  let y = d;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const dividend = y * y + c;
    const divisor = y + y + b - d;
    if (dividend > UINT256_MAX || divisor <= 0n) return REFUSED;
    const next = dividend / divisor;
    const change = next > y ? next - y : y - next;
    y = next;
    if (change <= 1n) return y;
  }
  return REFUSED;
}

/**
 * The fee in 1/10^10 (`_dynamic_fee`): with a multiplier, of the averages of both balances before
 * and after. It is lowest, `fee`, where these are equal.
 */
export function feeRateAt(
  { scaled, fee, offpegFeeMultiplier, offpegRise, offpegFee }: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: bigint,
  y: bigint,
): bigint {
  if (offpegFeeMultiplier <= E10) return fee;
  const meanIn = (scaled[positionIn]! + x) >> 1n;
  const meanOut = (scaled[positionOut]! + y) >> 1n;
  const mean = meanIn + meanOut;
  return offpegFee / ((offpegRise * meanIn * meanOut) / (mean * mean) + E10);
}

/** Whether more input raises the fee from here on: the mean of the input is no less. */
export function isFeeRising(
  { scaled }: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: bigint,
  y: bigint,
): boolean {
  return (scaled[positionIn]! + x) >> 1n >= (scaled[positionOut]! + y) >> 1n;
}

/**
 * Whether the contract can compute the spot prices (`_get_p`) that it keeps for balances x and y.
 */
function isOraclePossible(
  market: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: bigint,
  y: bigint,
): boolean {
  return (
    isOracleSure(market, positionIn, positionOut, Number(x), Number(y)) ||
    isOracleReckoned(market, positionIn, positionOut, x, y)
  );
}

/**
 * Whether floats show that no number in `_get_p` comes near 256 bits, and that A·x₀ is not 0.
 * Floats are off by a small part; the contract's roundings only make its numbers smaller.
 */
function isOracleSure(
  { floats, dFloat, ann, aPrecision }: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: number,
  y: number,
): boolean {
  const count = floats.length;
  const first = positionIn === 0 ? x : positionOut === 0 ? y : floats[0]!;
  let share = dFloat / count ** count;
  let least = first;
  for (let position = 0; position < count; position++) {
    const balance = position === positionIn ? x : position === positionOut ? y : floats[position]!;
    if (!(balance >= 1 && share * dFloat < NEAR_END)) return false;
    share = (share * dFloat) / balance;
    if (balance < least) least = balance;
  }
  const amplified = (Number(ann) / Number(aPrecision)) * first;
  return (
    amplified >= 2 &&
    share * first < NEAR_END &&
    (amplified + (share * first) / least) * Number(E18) < NEAR_END
  );
}

/** The same check with the contract's own numbers. */
function isOracleReckoned(
  { scaled, d, n, ann, aPrecision }: StableSwapMarket,
  positionIn: number,
  positionOut: number,
  x: bigint,
  y: bigint,
): boolean {
  const balanceAt = (position: number) => {
    if (position === positionIn) return x;
    return position === positionOut ? y : scaled[position]!;
  };
  let share = d / n ** n;
  for (let position = 0; position < scaled.length; position++) {
    const product = share * d;
    const balance = balanceAt(position);
    if (product > UINT256_MAX || balance === 0n) return false;
    share = product / balance;
  }
  const first = balanceAt(0);
  const amplified = (ann * first) / aPrecision;
  if (share * first > UINT256_MAX || amplified + share === 0n) return false;
  for (let position = 1; position < scaled.length; position++) {
    const price = amplified + (share * first) / balanceAt(position);
    if (E18 * price > UINT256_MAX) return false;
  }
  return true;
}
