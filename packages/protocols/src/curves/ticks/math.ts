import {
  amount0Down,
  amount1Down,
  amountInBetween,
  amountOutBetween,
  type Book,
  divideUp,
  nextTick,
  PiecewiseCurve,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1In,
  priceAfterToken1Out,
  SQRT_RATIO_MAX_X96,
  SQRT_RATIO_MIN_X96,
  sqrtRatioAtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtRatio,
} from "@millrace/core";

/**
 * Swaps of Uniswap V3 and its forks (`UniswapV3Pool.swap`, `SwapMath.computeSwapStep`,
 * `TickBitmap.nextInitializedTickWithinOneWord`), as pure integers.
 *
 * A swap walks step by step to the next initialised tick or the end of a word of the tick bitmap,
 * whichever comes first, and rounds at each. A whole step costs and gives the same whatever the
 * request is, so a pool's steps in one direction form a *ladder* with running totals: a quote finds
 * its rung and computes one partial step.
 */

const PIPS = 1_000_000n;
const LIQUIDITY_MAX = (1n << 128n) - 1n;

/**
 * The most steps of one swap. An empty word of the bitmap costs the contract 7,200 gas and more
 * (measured on its published bytecode: 2,203 of them fit a transaction of 16,777,216 gas, the limit
 * of EIP-7825), so a longer swap cannot execute, and no request can make the walk long.
 */
export const STEP_COUNT_MAX = 2_250;

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

  /**
   * Index of the first rung where at least `amountIn` (≥ 1) has gone in: an exact-input swap of it
   * ends there, or within the step that leads there. -1 when the pool cannot take all of it.
   */
  rungIn(amountIn: bigint): number {
    if (this.#last().amountIn < amountIn) this.#extendUntil((rung) => rung.amountIn >= amountIn);
    if (this.#last().amountIn < amountIn) return -1;
    return firstReaching(this.#amountsIn, amountIn);
  }

  /** Index of the first rung where at least `amountOut` (≥ 1) has come out, or -1. */
  rungOut(amountOut: bigint): number {
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

/** Index of the first total after the first that reaches an amount, as the last one does. */
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

/** What a ladder needs of its pool. */
export interface SwapLadderPool {
  readonly feePips: bigint;
  readonly tickSpacing: number;
  /** The ticks now. Key: initialised tick. Words: liquidityNet, an int128, low word first. */
  readonly book: () => Book;
}

/**
 * The rung after `rung`, or undefined when there is none: the price is at its limit, the contract
 * would revert (liquidity below 0 or too large, no price yet), or the steps are used up.
 */
function nextRung(
  pool: SwapLadderPool,
  book: Book,
  rung: Rung,
  zeroForOne: boolean,
): Rung | undefined {
  const limit = zeroForOne ? SQRT_RATIO_MIN_X96 + 1n : SQRT_RATIO_MAX_X96 - 1n;
  const price = rung.sqrtPriceX96;
  // At its limit the contract refuses to move the price, and it never moves one that is not set.
  if (zeroForOne ? price <= limit : price >= limit || price === 0n) return undefined;
  let { tick, stepCount, crossingCount } = rung;
  let next: number;
  let index: number;
  let isInitialised: boolean;
  for (;;) {
    if (stepCount === STEP_COUNT_MAX) return undefined;
    stepCount++;
    index = lastAtOrBelow(book.keys, tick) + (zeroForOne ? 0 : 1);
    next = nextTick(book.keys[index], pool.tickSpacing, tick, zeroForOne);
    isInitialised = book.keys[index] === next;
    // Without liquidity a step moves nothing but the price: only where it ends counts.
    if (rung.liquidity > 0n || isInitialised || next === TICK_MIN || next === TICK_MAX) break;
    tick = zeroForOne ? next - 1 : next;
  }
  const ratio = sqrtRatioAtTick(next);
  const target = zeroForOne ? (ratio < limit ? limit : ratio) : ratio > limit ? limit : ratio;
  const step = wholeStep(rung.sqrtPriceX96, target, rung.liquidity, pool.feePips, zeroForOne);
  let liquidity = rung.liquidity;
  // At the limit the contract stops before it crosses the tick.
  if (isInitialised && target === ratio) {
    liquidity += zeroForOne ? -liquidityNet(book, index) : liquidityNet(book, index);
    if (liquidity < 0n || liquidity > LIQUIDITY_MAX) return undefined;
    crossingCount++;
  }
  return {
    amountIn: rung.amountIn + step.amountIn,
    amountOut: rung.amountOut + step.amountOut,
    sqrtPriceX96: target,
    liquidity,
    tick: target !== ratio ? tickAtSqrtRatio(target) : zeroForOne ? next - 1 : next,
    stepCount,
    crossingCount,
  };
}

function wholeStep(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  feePips: bigint,
  zeroForOne: boolean,
): { amountIn: bigint; amountOut: bigint } {
  if (liquidity === 0n) return { amountIn: 0n, amountOut: 0n };
  const amountIn = amountInBetween(price, target, liquidity, zeroForOne);
  return {
    amountIn: amountIn + feeOn(amountIn, feePips),
    amountOut: amountOutBetween(price, target, liquidity, zeroForOne),
  };
}

/** The partial step that spends all of `amountIn`, which is less than the whole step takes. */
export function partialStepExactIn(
  rung: Rung,
  amountIn: bigint,
  feePips: bigint,
  zeroForOne: boolean,
): { amountOut: bigint; sqrtPriceX96: bigint } {
  const { sqrtPriceX96: price, liquidity } = rung;
  const amountInLessFee = (amountIn * (PIPS - feePips)) / PIPS;
  const sqrtPriceX96 = zeroForOne
    ? priceAfterToken0In(price, liquidity, amountInLessFee)
    : priceAfterToken1In(price, liquidity, amountInLessFee);
  return { amountOut: amountOutBetween(price, sqrtPriceX96, liquidity, zeroForOne), sqrtPriceX96 };
}

/**
 * The partial step that gives exactly `amountOut`, which is less than the whole step gives;
 * undefined where the contract reverts.
 */
export function partialStepExactOut(
  rung: Rung,
  amountOut: bigint,
  feePips: bigint,
  zeroForOne: boolean,
): { amountIn: bigint; sqrtPriceX96: bigint } | undefined {
  const { sqrtPriceX96: price, liquidity } = rung;
  const sqrtPriceX96 = zeroForOne
    ? priceAfterToken1Out(price, liquidity, amountOut)
    : priceAfterToken0Out(price, liquidity, amountOut);
  if (sqrtPriceX96 === undefined) return undefined;
  const amountIn = amountInBetween(price, sqrtPriceX96, liquidity, zeroForOne);
  return { amountIn: amountIn + feeOn(amountIn, feePips), sqrtPriceX96 };
}

/** Whether an input without its fee changes the tick within the step from a rung; by floats. */
export function movesTick(rung: Rung, amountInLessFee: number, zeroForOne: boolean): boolean {
  const price = Number(rung.sqrtPriceX96) / 2 ** 96;
  const liquidity = Number(rung.liquidity);
  return zeroForOne
    ? (liquidity * price) / (liquidity + amountInLessFee * price) < 1.0001 ** (rung.tick / 2)
    : price + amountInLessFee / liquidity >= 1.0001 ** ((rung.tick + 1) / 2);
}

/** The fee on top of an amount that was priced without it; for the pool, so rounded up. */
function feeOn(amountIn: bigint, feePips: bigint): bigint {
  return divideUp(amountIn * feePips, PIPS - feePips);
}

/** Index of the greatest key that is at most `key`, or -1. */
export function lastAtOrBelow(keys: Int32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The int128 at an index of the book. */
export function liquidityNet(book: Book, index: number): bigint {
  return (book.words[2 * index + 1]! << 64n) | BigInt.asUintN(64, book.words[2 * index]!);
}

/** What all ranges hold: token1 below the price, token0 above it, each range rounded down. */
export function heldAmounts(pool: Rung, book: Book): bigint[] {
  if (pool.sqrtPriceX96 === 0n) return [0n, 0n];
  let amount0 = 0n;
  let amount1 = 0n;
  const middle = lastAtOrBelow(book.keys, pool.tick);
  let liquidity = pool.liquidity;
  let price = pool.sqrtPriceX96;
  for (let index = middle; index >= 0 && liquidity >= 0n; index--) {
    const ratio = sqrtRatioAtTick(book.keys[index]!);
    amount1 += amount1Down(ratio, price, liquidity);
    liquidity -= liquidityNet(book, index);
    price = ratio;
  }
  liquidity = pool.liquidity;
  price = pool.sqrtPriceX96;
  for (let index = middle + 1; index < book.keys.length && liquidity >= 0n; index++) {
    const ratio = sqrtRatioAtTick(book.keys[index]!);
    amount0 += amount0Down(price, ratio, liquidity);
    liquidity += liquidityNet(book, index);
    price = ratio;
  }
  return [amount0, amount1];
}

/** The swap curve of a tick book. */
export function tickCurve(
  book: () => Book,
  from: Rung,
  end: bigint,
  gamma: number,
  zeroForOne: boolean,
): PiecewiseCurve {
  let price = from.sqrtPriceX96;
  let liquidity = from.liquidity;
  let index = lastAtOrBelow(book().keys, from.tick) + (zeroForOne ? 0 : 1);

  /** Walks to the end of the next range that holds liquidity, and appends it. */
  return new PiecewiseCurve((curve) => {
    while (price !== 0n && (zeroForOne ? price > end : price < end)) {
      const ticks = book();
      const tick = ticks.keys[index];
      const ratio = tick === undefined ? end : sqrtRatioAtTick(tick);
      const target = zeroForOne ? (ratio < end ? end : ratio) : ratio > end ? end : ratio;
      const holds = liquidity > 0n && target !== price;
      if (holds) appendRange(curve, Number(liquidity), price, target, gamma, zeroForOne);
      price = target;
      if (tick !== undefined && target === ratio) {
        liquidity += zeroForOne ? -liquidityNet(ticks, index) : liquidityNet(ticks, index);
        if (liquidity < 0n) price = end; // the contract reverts from here on
      }
      index += zeroForOne ? -1 : 1;
      if (holds) return true;
    }
    return false;
  });
}

/** Appends the curve between two prices: x·y = k with virtual reserves L/√P and L√P. */
function appendRange(
  curve: PiecewiseCurve,
  liquidity: number,
  fromX96: bigint,
  toX96: bigint,
  gamma: number,
  zeroForOne: boolean,
): void {
  const from = Number(fromX96) / 2 ** 96;
  const to = Number(toX96) / 2 ** 96;
  // Of the integers: a difference of two near floats would have no digits left.
  const change = Number(toX96 - fromX96) / 2 ** 96;
  if (zeroForOne) {
    const x = liquidity / from;
    curve.append(x / gamma, liquidity * from, (x * -change) / to / gamma);
  } else {
    curve.append((liquidity * from) / gamma, liquidity / from, (liquidity * change) / gamma);
  }
}
