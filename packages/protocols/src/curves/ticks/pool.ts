import {
  bookOf,
  type Curve,
  ESTIMATE_ERROR,
  FEE_IN_STATE,
  furthestPrice,
  isZeroForOne,
  type PiecewiseCurve,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolState,
  type PoolSwap,
  REFUSED,
  type TokenPosition,
  tickAtSqrtRatio,
} from "@millrace/core";
import {
  heldAmounts,
  movesTick,
  partialStepExactIn,
  partialStepExactOut,
  type Rung,
  STEP_COUNT_MAX,
  SwapLadder,
  tickCurve,
} from "./math.ts";
import { check, decodeConcentrated, encodeConcentrated, feeIn, STATE_WORDS } from "./state.ts";

const PIPS = 1_000_000;
/** Depth is what moves the price by 2 %. */
const DEPTH_MOVE = 0.98;
/**
 * Gas on the published bytecode: a swap within one step costs 95k to 130k with its transfers, a
 * further word of the bitmap up to 8.1k, an initialised tick that is crossed 24k more, and 34k on
 * top the first time, when both its slots of fee growth are empty.
 */
const SWAP_GAS = 150_000;
const STEP_GAS = 8_100;
const CROSSING_GAS = 58_000;
/**
 * What swaps add as a rule, measured with executor and Universal Router (`swapGas.test.ts`): a
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
export const concentratedLiquidity: Curve = {
  name: "concentrated-liquidity",
  stateWords: () => STATE_WORDS,
  check,
  open,
};

function open(graph: PoolGraph): PoolFamily {
  // Index: 2 × pool + positionIn. Each is of one version of its pool.
  const ladders: Array<Versioned<SwapLadder> | undefined> = [];
  const curves: Array<Versioned<PiecewiseCurve> | undefined> = [];
  let rungCount = 0;

  function feePipsOf(pool: PoolIndex, positionIn: TokenPosition): number {
    const feePips = graph.poolFeePips[pool]!;
    if (feePips !== FEE_IN_STATE) return feePips;
    return feeIn(graph.stateWords, graph.poolStateStart[pool]!, positionIn);
  }

  /** What the fee leaves of an input. */
  function gammaOf(pool: PoolIndex, positionIn: TokenPosition): number {
    return (PIPS - feePipsOf(pool, positionIn)) / PIPS;
  }

  function start(pool: PoolIndex): Rung {
    return {
      amountIn: 0n,
      amountOut: 0n,
      ...decodeConcentrated(graph.stateWords, graph.poolStateStart[pool]!),
      stepCount: 0,
      crossingCount: 0,
    };
  }

  function ladderOf(pool: PoolIndex, positionIn: TokenPosition): SwapLadder {
    const key = 2 * pool + positionIn;
    const zeroForOne = isZeroForOne(positionIn);
    const version = graph.poolVersion[pool]!;
    const kept = ladders[key];
    if (kept?.version === version) return kept.value;
    if (kept !== undefined) rungCount -= kept.value.rungs.length;
    const ladderPool = {
      feePips: BigInt(feePipsOf(pool, positionIn)),
      tickSpacing: graph.poolParameter[pool]!,
      book: () => bookOf(graph, pool),
    };
    const value = new SwapLadder(ladderPool, start(pool), zeroForOne);
    ladders[key] = { version, value };
    rungCount++;
    return value;
  }

  function curveOf(pool: PoolIndex, positionIn: TokenPosition): PiecewiseCurve {
    const key = 2 * pool + positionIn;
    const zeroForOne = isZeroForOne(positionIn);
    const version = graph.poolVersion[pool]!;
    const kept = curves[key];
    if (kept?.version === version) return kept.value;
    const gamma = gammaOf(pool, positionIn);
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

  function rungIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountIn: bigint,
    ladder: SwapLadder,
  ): number {
    if (!ladder.covers(amountIn)) {
      // Far past its capacity the ladder need not be built to know it.
      if (!couldTake(pool, positionIn, Number(amountIn))) return -1;
      const before = ladder.rungs.length;
      const index = ladder.rungIn(amountIn);
      countRungs(ladder.rungs.length - before);
      return index;
    }
    return ladder.rungIn(amountIn);
  }

  function quoteExactIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    _positionOut: TokenPosition,
    amountIn: bigint,
  ): bigint {
    const zeroForOne = isZeroForOne(positionIn);
    const ladder = ladderOf(pool, positionIn);
    const index = rungIn(pool, positionIn, amountIn, ladder);
    if (index < 0) return REFUSED;
    const reached = ladder.rungs[index]!;
    if (reached.amountIn === amountIn) return reached.amountOut;
    const rung = ladder.rungs[index - 1]!;
    const { feePips } = ladder.pool;
    const step = partialStepExactIn(rung, amountIn - rung.amountIn, feePips, zeroForOne);
    return rung.amountOut + step.amountOut;
  }

  function swapExactIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountIn: bigint,
  ): PoolSwap | undefined {
    const amountOut = quoteExactIn(pool, positionIn, 1 - positionIn, amountIn);
    if (amountOut <= 0n) return undefined;
    const zeroForOne = isZeroForOne(positionIn);
    const ladder = ladderOf(pool, positionIn);
    const index = ladder.rungIn(amountIn);
    const reached = ladder.rungs[index]!;
    if (reached.amountIn === amountIn) {
      return { pool, amountIn, amountOut, state: after(pool, reached.sqrtPriceX96, reached) };
    }
    const rung = ladder.rungs[index - 1]!;
    const { feePips } = ladder.pool;
    const step = partialStepExactIn(rung, amountIn - rung.amountIn, feePips, zeroForOne);
    return { pool, amountIn, amountOut, state: after(pool, step.sqrtPriceX96, rung) };
  }

  function exactOut(pool: PoolIndex, positionIn: TokenPosition, amountOut: bigint) {
    const zeroForOne = isZeroForOne(positionIn);
    if (curveOf(pool, positionIn).exactOut(Number(amountOut)) === Number.POSITIVE_INFINITY) {
      return undefined;
    }
    const ladder = ladderOf(pool, positionIn);
    const before = ladder.rungs.length;
    const index = ladder.rungOut(amountOut);
    countRungs(ladder.rungs.length - before);
    if (index < 0) return undefined;
    const reached = ladder.rungs[index]!;
    const rung = ladder.rungs[index - 1]!;
    const rest = amountOut - rung.amountOut;
    const step = partialStepExactOut(rung, rest, ladder.pool.feePips, zeroForOne);
    if (step === undefined) return undefined;
    const { sqrtPriceX96 } = step;
    // Rounding the price against the trader may bring it all the way: then the tick is crossed.
    const at = sqrtPriceX96 === reached.sqrtPriceX96 ? reached : rung;
    return { amountIn: rung.amountIn + step.amountIn, sqrtPriceX96, rung: at };
  }

  /** The state after a swap that ended at a price within, or at the start of, a rung's step. */
  function after(pool: PoolIndex, sqrtPriceX96: bigint, rung: Rung): PoolState {
    const tick = sqrtPriceX96 === rung.sqrtPriceX96 ? rung.tick : tickAtSqrtRatio(sqrtPriceX96);
    const { feesPips } = decodeConcentrated(graph.stateWords, graph.poolStateStart[pool]!);
    return encodeConcentrated({ sqrtPriceX96, tick, liquidity: rung.liquidity, feesPips });
  }

  function capacityIn(pool: PoolIndex, positionIn: TokenPosition): number {
    return (
      curveOf(pool, positionIn).capacity() * (1 + ESTIMATE_ERROR) + roundingIn(pool, positionIn)
    );
  }

  /** Whether an input is within `capacityIn`, without a walk past it. */
  function couldTake(pool: PoolIndex, positionIn: TokenPosition, amountIn: number): boolean {
    const least = (amountIn - roundingIn(pool, positionIn)) / (1 + ESTIMATE_ERROR);
    return curveOf(pool, positionIn).takes(least);
  }

  /** Each step rounds up twice and the fee once more. */
  function roundingIn(pool: PoolIndex, positionIn: TokenPosition): number {
    return (3 * STEP_COUNT_MAX) / gammaOf(pool, positionIn);
  }

  function typicalGas(pool: PoolIndex, positionIn: TokenPosition, amountIn: bigint): number {
    const ladder = ladderOf(pool, positionIn);
    const index = rungIn(pool, positionIn, amountIn, ladder);
    const reached = ladder.rungs.at(index)!; // the last, past the end
    const isWhole = index < 0 || reached.amountIn === amountIn;
    const { stepCount, crossingCount } = isWhole ? reached : ladder.rungs[index - 1]!;
    if (stepCount === 0) {
      const isMoved = movesTick(
        ladder.rungs[0]!,
        Number(amountIn) * gammaOf(pool, positionIn),
        isZeroForOne(positionIn),
      );
      return TYPICAL_GAS + (isMoved ? TYPICAL_MOVE_GAS : 0);
    }
    const oracleGas = TYPICAL_MOVE_GAS + (crossingCount > 0 ? TYPICAL_ORACLE_GAS : 0);
    const wordGas = (stepCount - crossingCount) * TYPICAL_WORD_GAS;
    return TYPICAL_GAS + oracleGas + wordGas + crossingCount * TYPICAL_CROSSING_GAS;
  }

  function midPrice(pool: PoolIndex, positionIn: TokenPosition): number {
    const { sqrtPriceX96 } = start(pool);
    const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
    return sqrtPriceX96 === 0n ? 0 : isZeroForOne(positionIn) ? price : 1 / price;
  }

  return {
    quoteExactIn,
    quoteExactOut: (pool, positionIn, _positionOut, amountOut) =>
      exactOut(pool, positionIn, amountOut)?.amountIn ?? REFUSED,
    swapExactIn: (pool, positionIn, _positionOut, amountIn) =>
      swapExactIn(pool, positionIn, amountIn),
    swapExactOut: (pool, positionIn, _positionOut, amountOut): PoolSwap | undefined => {
      const swap = exactOut(pool, positionIn, amountOut);
      if (swap === undefined) return undefined;
      const { amountIn, sqrtPriceX96, rung } = swap;
      return { pool, amountIn, amountOut, state: after(pool, sqrtPriceX96, rung) };
    },
    leadingPiece: (pool, positionIn, _positionOut, into, at) =>
      curveOf(pool, positionIn).leading(into, at),
    estimateExactIn: (pool, positionIn, _positionOut, amountIn) =>
      curveOf(pool, positionIn).exactIn(amountIn),
    estimateExactOut: (pool, positionIn, _positionOut, amountOut) =>
      curveOf(pool, positionIn).exactOut(amountOut),
    pieceAt: (pool, positionIn, _positionOut, amount, into, at) =>
      curveOf(pool, positionIn).pieceAt(amount, into, at),
    gas: (pool, positionIn, _positionOut, amountIn) => {
      const ladder = ladderOf(pool, positionIn);
      const index = rungIn(pool, positionIn, amountIn, ladder);
      const { stepCount, crossingCount } = ladder.rungs.at(index)!; // the last, past the end
      return SWAP_GAS + stepCount * STEP_GAS + crossingCount * CROSSING_GAS;
    },
    typicalGas: (pool, positionIn, _positionOut, amountIn) =>
      typicalGas(pool, positionIn, amountIn),
    leastGas: TYPICAL_GAS,
    capacityIn,
    feePips: feePipsOf,
    midPrice,
    depth: (pool, positionIn) => {
      // The curve counts inputs with their fee: taken off, it is what moves the price.
      const gamma = gammaOf(pool, positionIn);
      return (
        curveOf(pool, positionIn).depth(midPrice(pool, positionIn) * DEPTH_MOVE * gamma) * gamma
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
