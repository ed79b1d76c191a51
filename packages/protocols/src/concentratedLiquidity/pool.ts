import {
  BOOK_WORDS,
  type Book,
  bookOf,
  ESTIMATE_ERROR,
  furthestPrice,
  type PiecewiseCurve,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolShape,
  type PoolState,
  type PoolSwap,
  type Protocol,
  REFUSED,
  readWords,
  readWords2,
  SQRT_RATIO_MAX_X96,
  SQRT_RATIO_MIN_X96,
  sqrtRatioAtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtRatio,
  writeWords,
} from "@millrace/core";
import {
  heldAmounts,
  Ladder,
  movesTick,
  partialStepExactIn,
  partialStepExactOut,
  type Rung,
  STEP_COUNT_MAX,
  tickCurve,
} from "./math.ts";

/** State: sqrtPriceX96 (three words), liquidity (two), tick (one, two's complement). */
export const SQRT_PRICE_WORDS = 3;
export const LIQUIDITY_AT = 3;
const LIQUIDITY_WORDS = 2;
export const TICK_AT = 5;
const STATE_WORDS = 6;

const PIPS = 1_000_000;
/** Depth is what moves the price by 2 %. */
const DEPTH_MOVE = 0.98;
const TICK_SPACING_MAX = 16_384;
/**
 * Gas on the published bytecode: a swap within one step costs 95k to 130k with its transfers, a
 * further word of the bitmap up to 8.1k, an initialised tick that is crossed 24k more, and 34k on
 * top the first time, when both its slots of fee growth are empty.
 */
const SWAP_GAS = 150_000;
const STEP_GAS = 8_100;
const CROSSING_GAS = 58_000;
/**
 * What swaps add as a rule, measured with executor and Universal Router (`test/swapGas.test.ts`): a
 * swap between two ticks; one that changes the tick, and so writes an observation; a further word;
 * an initialised tick that has been crossed before, and what the first one reads of the oracle.
 */
const TYPICAL_GAS = 56_000;
const TYPICAL_MOVE_GAS = 6_700;
const TYPICAL_WORD_GAS = 7_300;
const TYPICAL_CROSSING_GAS = 23_000;
const TYPICAL_ORACLE_GAS = 7_000;
/** Rungs kept over all pools, about 30 MB; past that all ladders start anew. */
const RUNG_COUNT_MAX = 1 << 17;

/** Pools of Uniswap V3 and its forks; `parameter` of a pool is its tick spacing. */
export const concentratedLiquidity: Protocol = {
  name: "concentrated-liquidity",
  stateWords: STATE_WORDS,
  check,
  open,
};

/** What a pool of this family holds. `ticks` ascend; without them the pool keeps those it has. */
export interface ConcentratedState {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly ticks?: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
}

/** The state of a pool as the graph keeps it. Throws for numbers wider than the contract's. */
export function encodeConcentrated(state: ConcentratedState): PoolState {
  const words = new BigUint64Array(STATE_WORDS);
  writeWords(words, 0, SQRT_PRICE_WORDS, state.sqrtPriceX96);
  writeWords(words, LIQUIDITY_AT, LIQUIDITY_WORDS, state.liquidity);
  words[TICK_AT] = BigInt.asUintN(64, BigInt(state.tick));
  return state.ticks === undefined ? { words } : { words, book: encodeTicks(state.ticks) };
}

function encodeTicks(ticks: NonNullable<ConcentratedState["ticks"]>): Book {
  const keys = new Int32Array(ticks.length);
  const words = new BigInt64Array(BOOK_WORDS * ticks.length);
  for (let place = 0; place < ticks.length; place++) {
    const [tick, net] = ticks[place]!;
    if (BigInt.asIntN(128, net) !== net) throw new RangeError(`liquidityNet ${net}`);
    keys[place] = tick;
    words[BOOK_WORDS * place] = BigInt.asIntN(64, net);
    words[BOOK_WORDS * place + 1] = net >> 64n;
  }
  return { keys, words };
}

function check(pool: PoolShape, state: PoolState | undefined): string | undefined {
  if (pool.tokenCount !== 2) return `${pool.tokenCount} tokens`;
  if (pool.feePips >= PIPS) return `a fee of ${pool.feePips} pips`;
  if (pool.parameter < 1 || pool.parameter >= TICK_SPACING_MAX) {
    return `a tick spacing of ${pool.parameter}`;
  }
  if (state === undefined) return undefined;
  const price = readWords(state.words, 0, SQRT_PRICE_WORDS);
  if (price === 0n) return undefined; // created, not initialised: nothing to quote
  if (price < SQRT_RATIO_MIN_X96 || price >= SQRT_RATIO_MAX_X96) return `sqrtPriceX96 ${price}`;
  // A price that has just crossed a tick downwards stands on it, with the tick below as its own.
  const tick = Number(BigInt.asIntN(64, state.words[TICK_AT]!));
  const tickOfPrice = tickAtSqrtRatio(price);
  const onTick = sqrtRatioAtTick(tickOfPrice) === price;
  if (tick !== tickOfPrice && !(onTick && tick === tickOfPrice - 1)) {
    return `tick ${tick} at the price of tick ${tickOfPrice}`;
  }
  return state.book === undefined ? undefined : checkBook(state.book, pool.parameter);
}

function checkBook(book: Book, tickSpacing: number): string | undefined {
  if (book.words.length !== BOOK_WORDS * book.keys.length) return "a torn book";
  let previous = TICK_MIN - 1;
  for (const tick of book.keys) {
    if (tick <= previous || tick > TICK_MAX) return `tick ${tick} after ${previous}`;
    if (tick % tickSpacing !== 0) return `tick ${tick} with spacing ${tickSpacing}`;
    previous = tick;
  }
  return undefined;
}

function open(graph: PoolGraph): PoolFamily {
  // Index: 2 × pool + (zeroForOne ? 1 : 0). Each is of one version of its pool.
  const ladders: Array<Versioned<Ladder> | undefined> = [];
  const curves: Array<Versioned<PiecewiseCurve> | undefined> = [];
  let rungCount = 0;

  function start(pool: PoolIndex): Rung {
    const at = graph.poolStateStart[pool]!;
    return {
      amountIn: 0n,
      amountOut: 0n,
      sqrtPriceX96: readWords(graph.stateWords, at, SQRT_PRICE_WORDS),
      liquidity: readWords2(graph.stateWords, at + LIQUIDITY_AT),
      tick: Number(BigInt.asIntN(64, graph.stateWords[at + TICK_AT]!)),
      stepCount: 0,
      crossingCount: 0,
    };
  }

  function ladderOf(pool: PoolIndex, zeroForOne: boolean): Ladder {
    const key = 2 * pool + (zeroForOne ? 1 : 0);
    const version = graph.poolVersion[pool]!;
    const kept = ladders[key];
    if (kept?.version === version) return kept.value;
    if (kept !== undefined) rungCount -= kept.value.rungs.length;
    const ladderPool = {
      feePips: BigInt(graph.poolFeePips[pool]!),
      tickSpacing: graph.poolParameter[pool]!,
      book: () => bookOf(graph, pool),
    };
    const value = new Ladder(ladderPool, start(pool), zeroForOne);
    ladders[key] = { version, value };
    rungCount++;
    return value;
  }

  function curveOf(pool: PoolIndex, zeroForOne: boolean): PiecewiseCurve {
    const key = 2 * pool + (zeroForOne ? 1 : 0);
    const version = graph.poolVersion[pool]!;
    const kept = curves[key];
    if (kept?.version === version) return kept.value;
    const gamma = (PIPS - graph.poolFeePips[pool]!) / PIPS;
    const spacing = graph.poolParameter[pool]!;
    const end = furthestPrice(start(pool).tick, spacing, zeroForOne, STEP_COUNT_MAX);
    const value = tickCurve(() => bookOf(graph, pool), start(pool), end, gamma, zeroForOne);
    curves[key] = { version, value };
    return value;
  }

  /** Drops all ladders when they have grown too large together. */
  function countRungs(added: number): void {
    rungCount += added;
    if (rungCount <= RUNG_COUNT_MAX) return;
    ladders.length = 0;
    rungCount = 0;
  }

  function placeIn(pool: PoolIndex, tokenIn: number, amountIn: bigint, ladder: Ladder): number {
    if (!ladder.covers(amountIn)) {
      // Far past its capacity the ladder need not be built to know it.
      if (!couldTake(pool, tokenIn, Number(amountIn))) return -1;
      const before = ladder.rungs.length;
      const place = ladder.placeIn(amountIn);
      countRungs(ladder.rungs.length - before);
      return place;
    }
    return ladder.placeIn(amountIn);
  }

  function quoteExactIn(pool: PoolIndex, tokenIn: number, _out: number, amountIn: bigint): bigint {
    const zeroForOne = tokenIn === 0;
    const ladder = ladderOf(pool, zeroForOne);
    const place = placeIn(pool, tokenIn, amountIn, ladder);
    if (place < 0) return REFUSED;
    const reached = ladder.rungs[place]!;
    if (reached.amountIn === amountIn) return reached.amountOut;
    const rung = ladder.rungs[place - 1]!;
    const { feePips } = ladder.pool;
    const step = partialStepExactIn(rung, amountIn - rung.amountIn, feePips, zeroForOne);
    return rung.amountOut + step.amountOut;
  }

  function swapExactIn(pool: PoolIndex, tokenIn: number, amountIn: bigint): PoolSwap | undefined {
    const amountOut = quoteExactIn(pool, tokenIn, 1 - tokenIn, amountIn);
    if (amountOut <= 0n) return undefined;
    const zeroForOne = tokenIn === 0;
    const ladder = ladderOf(pool, zeroForOne);
    const place = ladder.placeIn(amountIn);
    const reached = ladder.rungs[place]!;
    if (reached.amountIn === amountIn) {
      return { pool, amountIn, amountOut, state: after(reached.sqrtPriceX96, reached) };
    }
    const rung = ladder.rungs[place - 1]!;
    const { feePips } = ladder.pool;
    const step = partialStepExactIn(rung, amountIn - rung.amountIn, feePips, zeroForOne);
    return { pool, amountIn, amountOut, state: after(step.sqrtPriceX96, rung) };
  }

  function exactOut(pool: PoolIndex, tokenIn: number, amountOut: bigint) {
    const zeroForOne = tokenIn === 0;
    if (curveOf(pool, zeroForOne).exactOut(Number(amountOut)) === Number.POSITIVE_INFINITY) {
      return undefined;
    }
    const ladder = ladderOf(pool, zeroForOne);
    const before = ladder.rungs.length;
    const place = ladder.placeOut(amountOut);
    countRungs(ladder.rungs.length - before);
    if (place < 0) return undefined;
    const reached = ladder.rungs[place]!;
    const rung = ladder.rungs[place - 1]!;
    const rest = amountOut - rung.amountOut;
    const step = partialStepExactOut(rung, rest, ladder.pool.feePips, zeroForOne);
    if (step === undefined) return undefined;
    const { sqrtPriceX96 } = step;
    // Rounding the price against the trader may bring it all the way: then the tick is crossed.
    const at = sqrtPriceX96 === reached.sqrtPriceX96 ? reached : rung;
    return { amountIn: rung.amountIn + step.amountIn, sqrtPriceX96, rung: at };
  }

  /** The state after a swap that ended at a price within, or at the start of, a rung's step. */
  function after(sqrtPriceX96: bigint, rung: Rung): PoolState {
    const tick = sqrtPriceX96 === rung.sqrtPriceX96 ? rung.tick : tickAtSqrtRatio(sqrtPriceX96);
    return encodeConcentrated({ sqrtPriceX96, tick, liquidity: rung.liquidity });
  }

  function capacityIn(pool: PoolIndex, tokenIn: number): number {
    return curveOf(pool, tokenIn === 0).capacity() * (1 + ESTIMATE_ERROR) + roundingIn(pool);
  }

  /** Whether an input is within `capacityIn`, without a walk past it. */
  function couldTake(pool: PoolIndex, tokenIn: number, amountIn: number): boolean {
    const least = (amountIn - roundingIn(pool)) / (1 + ESTIMATE_ERROR);
    return curveOf(pool, tokenIn === 0).takes(least);
  }

  /** Each step rounds up twice and the fee once more. */
  function roundingIn(pool: PoolIndex): number {
    return (3 * STEP_COUNT_MAX * PIPS) / (PIPS - graph.poolFeePips[pool]!);
  }

  function typicalGas(pool: PoolIndex, tokenIn: number, amountIn: bigint): number {
    const ladder = ladderOf(pool, tokenIn === 0);
    const place = placeIn(pool, tokenIn, amountIn, ladder);
    const reached = ladder.rungs.at(place)!; // the last, past the end
    const isWhole = place < 0 || reached.amountIn === amountIn;
    const { stepCount, crossingCount } = isWhole ? reached : ladder.rungs[place - 1]!;
    if (stepCount === 0) {
      const gamma = (PIPS - graph.poolFeePips[pool]!) / PIPS;
      const isMoved = movesTick(ladder.rungs[0]!, Number(amountIn) * gamma, tokenIn === 0);
      return TYPICAL_GAS + (isMoved ? TYPICAL_MOVE_GAS : 0);
    }
    const oracleGas = TYPICAL_MOVE_GAS + (crossingCount > 0 ? TYPICAL_ORACLE_GAS : 0);
    const wordGas = (stepCount - crossingCount) * TYPICAL_WORD_GAS;
    return TYPICAL_GAS + oracleGas + wordGas + crossingCount * TYPICAL_CROSSING_GAS;
  }

  function midPrice(pool: PoolIndex, tokenIn: number): number {
    const { sqrtPriceX96 } = start(pool);
    const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
    return sqrtPriceX96 === 0n ? 0 : tokenIn === 0 ? price : 1 / price;
  }

  return {
    quoteExactIn,
    quoteExactOut: (pool, tokenIn, _tokenOut, amountOut) =>
      exactOut(pool, tokenIn, amountOut)?.amountIn ?? REFUSED,
    swapExactIn: (pool, tokenIn, _tokenOut, amountIn) => swapExactIn(pool, tokenIn, amountIn),
    swapExactOut: (pool, tokenIn, _tokenOut, amountOut): PoolSwap | undefined => {
      const swap = exactOut(pool, tokenIn, amountOut);
      if (swap === undefined) return undefined;
      const { amountIn, sqrtPriceX96, rung } = swap;
      return { pool, amountIn, amountOut, state: after(sqrtPriceX96, rung) };
    },
    leadingPiece: (pool, tokenIn, _tokenOut, into, at) =>
      curveOf(pool, tokenIn === 0).leading(into, at),
    estimateExactIn: (pool, tokenIn, _tokenOut, amountIn) =>
      curveOf(pool, tokenIn === 0).exactIn(amountIn),
    estimateExactOut: (pool, tokenIn, _tokenOut, amountOut) =>
      curveOf(pool, tokenIn === 0).exactOut(amountOut),
    pieceAt: (pool, tokenIn, _tokenOut, amount, into, at) =>
      curveOf(pool, tokenIn === 0).pieceAt(amount, into, at),
    gas: (pool, tokenIn, _tokenOut, amountIn) => {
      const ladder = ladderOf(pool, tokenIn === 0);
      const place = placeIn(pool, tokenIn, amountIn, ladder);
      const { stepCount, crossingCount } = ladder.rungs.at(place)!; // the last, past the end
      return SWAP_GAS + stepCount * STEP_GAS + crossingCount * CROSSING_GAS;
    },
    typicalGas: (pool, tokenIn, _tokenOut, amountIn) => typicalGas(pool, tokenIn, amountIn),
    leastGas: TYPICAL_GAS,
    capacityIn,
    midPrice,
    depth: (pool, tokenIn) => {
      // The curve counts inputs with their fee: taken off, it is what moves the price.
      const gamma = (PIPS - graph.poolFeePips[pool]!) / PIPS;
      return (
        curveOf(pool, tokenIn === 0).depth(midPrice(pool, tokenIn) * DEPTH_MOVE * gamma) * gamma
      );
    },
    tokenAmounts: (pool) => heldAmounts(start(pool), bookOf(graph, pool)),
    priceAndLiquidity: start,
  };
}

interface Versioned<A> {
  readonly version: number;
  readonly value: A;
}
