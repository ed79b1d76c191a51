import {
  amountInBetween,
  amountOutBetween,
  type Book,
  divideUp,
  lastAtOrBelow,
  liquidityNet,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1In,
  priceAfterToken1Out,
  priceLimitX96,
  sqrtRatioAtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtRatio,
} from "@millrace/core/pure";
import type { StepRule } from "./StepRule.ts";

/**
 * Swaps along ticks, as pure integers: `UniswapV3Pool.swap` and its forks, Uniswap V4's `Pool.swap`
 * and Algebra Integral's `_calculateSwap`. They round alike; a `StepRule` has what differs.
 *
 * A swap walks step by step, and rounds at each. A whole step costs and gives the same whatever the
 * request is, so a pool's steps in one direction form a *ladder* with running totals: a quote finds
 * its rung and computes one partial step.
 */

const PIPS = 1_000_000n;
const LIQUIDITY_MAX = (1n << 128n) - 1n;
/** The cost of a step with a fee of 100 %: more than any contract takes. */
const UNPAYABLE = 1n << 256n;
/**
 * From so much of token0 on the product in `getNextSqrtPriceFromAmount0RoundingUp` may overflow, as
 * prices are below 2^160 and liquidity is below 2^128. The price is then computed less precisely,
 * and the contract gives an exact output for an input that buys less: by less than one unit of it.
 */
const IMPRECISE_FROM = 1n << 95n;

/** A step of a ladder: where the pool stands after some whole steps. */
export interface Rung {
  /** What all steps below took, fees included. */
  readonly amountIn: bigint;
  /** What they gave. */
  readonly amountOut: bigint;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  /** Steps below. A rung may stand for several when there is no liquidity between. */
  readonly stepCount: number;
  /** Initialised ticks crossed below. */
  readonly crossingCount: number;
}

/** What a ladder needs of its pool. */
export interface SwapLadderPool {
  /** The fee in the ladder's direction, of 10^6; at 10^6 an input buys nothing. */
  readonly feePips: bigint;
  readonly tickSpacing: number;
  readonly rule: StepRule;
  /** The ticks now. Key: initialised tick. Words: liquidityNet, an int128, low word first. */
  readonly book: () => Book;
}

/** A swap that its pool fills, and where it leaves the price. */
export interface LadderSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly sqrtPriceX96: bigint;
  /**
   * The reached rung where the price is that rung's, otherwise the one below. It has the liquidity.
   */
  readonly rung: Rung;
}

/** The rungs of one pool in one direction, built as far as a request has needed them. */
export class SwapLadder {
  readonly rungs: Rung[];
  readonly pool: SwapLadderPool;
  readonly #zeroForOne: boolean;
  // Index: rung. Its `amountIn` and `amountOut` once more, for the search to read flat.
  readonly #amountsIn: bigint[] = [0n];
  readonly #amountsOut: bigint[] = [0n];
  #complete = false;

  constructor(pool: SwapLadderPool, start: Rung, zeroForOne: boolean) {
    this.rungs = [start];
    this.pool = pool;
    this.#zeroForOne = zeroForOne;
  }

  /** The swap that spends all of `amountIn` (≥ 1); undefined when the pool cannot take it. */
  exactIn(amountIn: bigint): LadderSwap | undefined {
    const index = this.rungIn(amountIn);
    if (index < 0) return undefined;
    const reached = this.rungs[index]!;
    const { amountMax } = this.pool.rule;
    if (reached.amountIn === amountIn) {
      const { amountOut, sqrtPriceX96 } = reached;
      if (amountOut > amountMax) return undefined;
      return { amountIn, amountOut, sqrtPriceX96, rung: reached };
    }
    const rung = this.rungs[index - 1]!;
    const { sqrtPriceX96: price, liquidity } = rung;
    const amountInLessFee = ((amountIn - rung.amountIn) * (PIPS - this.pool.feePips)) / PIPS;
    const sqrtPriceX96 = this.#zeroForOne
      ? priceAfterToken0In(price, liquidity, amountInLessFee)
      : priceAfterToken1In(price, liquidity, amountInLessFee);
    const amountOut =
      rung.amountOut + amountOutBetween(price, sqrtPriceX96, liquidity, this.#zeroForOne);
    return amountOut > amountMax ? undefined : { amountIn, amountOut, sqrtPriceX96, rung };
  }

  /**
   * The swap that gives exactly `amountOut` (≥ 1) for the least exact input that buys it; undefined
   * when the contract refuses either.
   */
  exactOut(amountOut: bigint): LadderSwap | undefined {
    const index = this.#rungOut(amountOut);
    if (index < 0) return undefined;
    const reached = this.rungs[index]!;
    const rung = this.rungs[index - 1]!;
    const { sqrtPriceX96: price, liquidity } = rung;
    const sqrtPriceX96 = this.#zeroForOne
      ? priceAfterToken1Out(price, liquidity, amountOut - rung.amountOut)
      : priceAfterToken0Out(price, liquidity, amountOut - rung.amountOut);
    if (sqrtPriceX96 === undefined) return undefined;
    const priced = amountInBetween(price, sqrtPriceX96, liquidity, this.#zeroForOne);
    const costOf = (input: bigint) => rung.amountIn + withFee(input, this.pool.feePips);
    const amountIn = costOf(priced);
    const { amountMax } = this.pool.rule;
    if (amountIn > amountMax) return undefined;
    // One unit in may be worth many out: given exactly, the input must not buy too many either.
    if (reached.amountOut > amountMax && !this.exactIn(amountIn)) return undefined;
    const isImprecise = this.#zeroForOne && amountIn >= IMPRECISE_FROM;
    if (isImprecise && this.exactIn(amountIn)!.amountOut < amountOut) {
      const swap = this.exactIn(costOf(priced + 1n));
      return swap && { ...swap, amountOut };
    }
    // Rounding the price against the trader may bring it all the way: then the tick is crossed.
    const at = sqrtPriceX96 === reached.sqrtPriceX96 ? reached : rung;
    return { amountIn, amountOut, sqrtPriceX96, rung: at };
  }

  /**
   * Index of the first rung where at least `amountIn` (≥ 1) has gone in: an exact-input swap of it
   * ends there, or within the step that leads there. -1 when the pool cannot take all of it.
   */
  rungIn(amountIn: bigint): number {
    if (amountIn > this.pool.rule.amountMax) return -1;
    if (this.#last().amountIn < amountIn) this.#extendUntil((rung) => rung.amountIn >= amountIn);
    if (this.#last().amountIn < amountIn) return -1;
    return firstReaching(this.#amountsIn, amountIn);
  }

  /** Index of the first rung where at least `amountOut` (≥ 1) has come out, or -1. */
  #rungOut(amountOut: bigint): number {
    if (amountOut > this.pool.rule.amountMax) return -1;
    if (this.#last().amountOut < amountOut) {
      this.#extendUntil((rung) => rung.amountOut >= amountOut);
    }
    if (this.#last().amountOut < amountOut) return -1;
    return firstReaching(this.#amountsOut, amountOut);
  }

  /** Whether `amountIn` is known to be fillable without building further. */
  covers(amountIn: bigint): boolean {
    return this.#last().amountIn >= amountIn;
  }

  #last(): Rung {
    return this.rungs[this.rungs.length - 1]!;
  }

  #extendUntil(isEnough: (rung: Rung) => boolean): void {
    if (this.#complete) return;
    const book = this.pool.book();
    while (!isEnough(this.#last())) {
      const rung = nextRung(this.pool, book, this.#last(), this.#zeroForOne);
      if (rung === undefined) {
        this.#complete = true;
        return;
      }
      this.rungs.push(rung);
      this.#amountsIn.push(rung.amountIn);
      this.#amountsOut.push(rung.amountOut);
    }
  }
}

/** Index, from 1 up, of the first total that reaches an amount; the last one does. */
function firstReaching(totals: ReadonlyArray<bigint>, amount: bigint): number {
  let low = 1;
  let high = 1;
  // Most swaps are small: look near the start first.
  while (high < totals.length && totals[high]! < amount) {
    low = high + 1;
    high *= 2;
  }
  high = Math.min(high, totals.length - 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (totals[middle]! >= amount) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The rung after `rung`, or undefined when there is none: the price is at its limit, the contract
 * would revert (liquidity below 0 or too large, no price yet), or the steps are used up.
 */
function nextRung(
  { feePips, tickSpacing, rule }: SwapLadderPool,
  book: Book,
  rung: Rung,
  zeroForOne: boolean,
): Rung | undefined {
  const limit = priceLimitX96(zeroForOne);
  const price = rung.sqrtPriceX96;
  // At its limit the contract refuses to move the price, and it never moves one that is not set.
  if (zeroForOne ? price <= limit : price >= limit || price === 0n) return undefined;
  let { tick, stepCount, crossingCount } = rung;
  let next: number;
  let index: number;
  let isInitialised: boolean;
  for (;;) {
    if (stepCount === rule.stepCountMax) return undefined;
    stepCount++;
    index = lastAtOrBelow(book.keys, tick) + (zeroForOne ? 0 : 1);
    next = rule.stepEnd(book.keys[index], tickSpacing, tick, zeroForOne);
    isInitialised = book.keys[index] === next;
    // Without liquidity a step moves nothing but the price: only where it ends counts.
    if (rung.liquidity > 0n || isInitialised || next === TICK_MIN || next === TICK_MAX) break;
    tick = zeroForOne ? next - 1 : next;
  }
  const ratio = sqrtRatioAtTick(next);
  const isPastLimit = zeroForOne ? ratio < limit : ratio > limit;
  const target = isPastLimit ? limit : ratio;
  let { amountIn, amountOut, liquidity } = rung;
  if (liquidity > 0n) {
    amountIn += withFee(amountInBetween(price, target, liquidity, zeroForOne), feePips);
    amountOut += amountOutBetween(price, target, liquidity, zeroForOne);
  }
  // At the limit the contract stops before it crosses the tick.
  if (isInitialised && target === ratio) {
    liquidity += zeroForOne ? -liquidityNet(book, index) : liquidityNet(book, index);
    if (liquidity < 0n || liquidity > LIQUIDITY_MAX) return undefined;
    crossingCount++;
  }
  return {
    amountIn,
    amountOut,
    sqrtPriceX96: target,
    liquidity,
    tick: target !== ratio ? tickAtSqrtRatio(target) : zeroForOne ? next - 1 : next,
    stepCount,
    crossingCount,
  };
}

/** An amount with its fee added, rounded up in the pool's favour. */
function withFee(amountIn: bigint, feePips: bigint): bigint {
  if (feePips === PIPS) return amountIn === 0n ? 0n : UNPAYABLE;
  return amountIn + divideUp(amountIn * feePips, PIPS - feePips);
}

/** Whether an input without its fee changes the tick within the step from a rung; by floats. */
export function movesTick(rung: Rung, amountInLessFee: number, zeroForOne: boolean): boolean {
  const price = Number(rung.sqrtPriceX96) / 2 ** 96;
  const liquidity = Number(rung.liquidity);
  return zeroForOne
    ? (liquidity * price) / (liquidity + amountInLessFee * price) < 1.0001 ** (rung.tick / 2)
    : price + amountInLessFee / liquidity >= 1.0001 ** ((rung.tick + 1) / 2);
}
