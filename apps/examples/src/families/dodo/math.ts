import { REFUSED, squareRoot } from "@millrace/core";

/** A DODO Vending Machine (V2). Rates, the price `i` and 0 < k < 1 have 18 decimals. */
export interface DodoPool {
  readonly base: bigint;
  readonly quote: bigint;
  readonly lpRate: bigint;
  readonly mtRate: bigint;
  readonly i: bigint;
  readonly k: bigint;
}

export const ONE = 10n ** 18n;
/** The contract keeps reserves in 112 bits. */
export const RESERVE_END = 1n << 112n;

/** Base for quote, as the contract reckons it. */
export const reciprocalOf = ({ i }: DodoPool): bigint => ONE ** 2n / i;

/** What a swap pays: to the trader, or REFUSED, and to the maintainer (`DVMTrader.querySell…`). */
export function dodoSwap(pool: DodoPool, sellsBase: boolean, amountIn: bigint) {
  const isOver = (sellsBase ? pool.base : pool.quote) + amountIn >= RESERVE_END;
  const whole = isOver ? REFUSED : (sellsBase ? soldBase : soldQuote)(pool, amountIn);
  if (whole === REFUSED) return { amountOut: REFUSED, mtFee: 0n };
  const mtFee = (whole * pool.mtRate) / ONE;
  return { amountOut: whole - (whole * pool.lpRate) / ONE - mtFee, mtFee };
}

/** What of base there were without quote, 0 for none: `_SolveQuadraticFunctionForTarget`. */
export function dodoTarget(pool: DodoPool): bigint {
  const { base, quote, k } = pool;
  if (base === 0n) return 0n;
  const ki = 4n * k * reciprocalOf(pool);
  const part = isWide(ki * quote) ? (ki / base) * quote : (ki * quote) / base;
  const premium = ((squareRoot(part + ONE ** 2n) - ONE) * ONE) / (2n * k) + ONE;
  return isWide(part + ONE ** 2n, base * premium) ? 0n : (base * premium) / ONE;
}

/** `_GeneralIntegrate`. What would take the quote to the last unit, by a jump, is left out. */
function soldBase(pool: DodoPool, amountIn: bigint): bigint {
  const { base, quote, i, k } = pool;
  const target = dodoTarget(pool);
  if (amountIn >= target - base) return REFUSED;
  const ratio = (target ** 2n / (base + amountIn)) * ONE;
  const penalty = k * (ratio / base);
  const worth = (ONE - k + penalty / ONE) * i * amountIn;
  const whole = worth / ONE ** 2n;
  if (isWide(target ** 2n, ratio, penalty, worth)) return REFUSED;
  return whole < quote ? whole : quote;
}

/** `_SolveQuadraticFunctionForTrade`: what is left of the base solves an equation. */
function soldQuote(pool: DodoPool, amountIn: bigint): bigint {
  const { base, k } = pool;
  const target = dodoTarget(pool);
  if (target === 0n) return REFUSED;
  const drawn = ((k * target) / base) * target + reciprocalOf(pool) * amountIn;
  const held = (ONE - k) * base;
  const b = (drawn > held ? drawn - held : held - drawn) / ONE;
  const tail = 4n * (ONE - k) * (((k * target) / ONE) * target);
  const square = b ** 2n + tail / ONE;
  // The contract's root of 2 is 2: its search ends before the first step.
  const root = square === 2n ? 2n : squareRoot(square);
  const scaled = (drawn > held ? root - b : root + b) * ONE;
  if (isWide(drawn, tail, square, scaled)) return REFUSED;
  const divisor = 2n * (ONE - k);
  const left = (scaled + divisor - 1n) / divisor;
  return left > base ? 0n : base - left;
}

/** Whether the contract, whose numbers have 256 bits, reverts with one of these on the way. */
const isWide = (...numbers: ReadonlyArray<bigint>) => numbers.some((each) => each >> 256n !== 0n);
