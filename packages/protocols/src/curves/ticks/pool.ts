import {
  bookOf,
  type Curve,
  ESTIMATE_ERROR,
  FEE_IN_STATE,
  heldAmounts,
  isZeroForOne,
  type PiecewiseCurve,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolSwap,
  REFUSED,
  type TokenPosition,
  tickAtSqrtRatio,
  tickCurve,
} from "@millrace/core/pure";
import { type LadderSwap, movesTick, type Rung, SwapLadder, type SwapLadderPool } from "./math.ts";
import { STEP_RULES, type StepRule } from "./StepRule.ts";
import { check, decodeConcentrated, encodeConcentrated, feeIn, STATE_WORDS } from "./state.ts";

const PIPS = 1_000_000;
/** Depth is what moves the price by 2 %. */
const DEPTH_MOVE = 0.98;
/** Rungs kept over all pools, about 30 MB; past that all ladders start anew. */
const RUNG_COUNT_MAX = 1 << 17;

/**
 * Pools with ticks: of Uniswap V3 and V4, their forks, Algebra Integral. `parameter` of a pool is
 * its tick spacing, the first of its constants says how it steps (`STEP_RULES`).
 */
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

  function ruleOf(pool: PoolIndex): StepRule {
    if (graph.poolConstantCount[pool] === 0) return STEP_RULES[0]!;
    return STEP_RULES[Number(graph.constantWords[graph.poolConstantStart[pool]!]!)]!;
  }

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
    const kept = ladders[2 * pool + positionIn];
    if (kept?.version === graph.poolVersion[pool]!) return kept.value;
    if (kept !== undefined) rungCount -= kept.value.rungs.length;
    return newLadder(pool, positionIn);
  }

  // A function of its own: one with closures allocates what they capture at every call.
  function newLadder(pool: PoolIndex, positionIn: TokenPosition): SwapLadder {
    const ladderPool: SwapLadderPool = {
      feePips: BigInt(feePipsOf(pool, positionIn)),
      tickSpacing: graph.poolParameter[pool]!,
      rule: ruleOf(pool),
      book: () => bookOf(graph, pool),
    };
    const value = new SwapLadder(ladderPool, start(pool), isZeroForOne(positionIn));
    ladders[2 * pool + positionIn] = { version: graph.poolVersion[pool]!, value };
    rungCount++;
    return value;
  }

  function curveOf(pool: PoolIndex, positionIn: TokenPosition): PiecewiseCurve {
    const kept = curves[2 * pool + positionIn];
    return kept?.version === graph.poolVersion[pool]! ? kept.value : newCurve(pool, positionIn);
  }

  function newCurve(pool: PoolIndex, positionIn: TokenPosition): PiecewiseCurve {
    const zeroForOne = isZeroForOne(positionIn);
    const gamma = gammaOf(pool, positionIn);
    const spacing = graph.poolParameter[pool]!;
    const end = ruleOf(pool).furthestPrice(start(pool).tick, spacing, zeroForOne);
    const value = tickCurve(() => bookOf(graph, pool), start(pool), end, gamma, zeroForOne);
    curves[2 * pool + positionIn] = { version: graph.poolVersion[pool]!, value };
    return value;
  }

  /** Drops all ladders when they have grown too large together. */
  function countRungs(added: number): void {
    rungCount += added;
    if (rungCount <= RUNG_COUNT_MAX) return;
    ladders.length = 0;
    rungCount = 0;
  }

  /** Returns `found`; counts the rungs that finding it added to the ladder, which had `before`. */
  function counted<A>(ladder: SwapLadder, before: number, found: A): A {
    const added = ladder.rungs.length - before;
    if (added > 0) countRungs(added);
    return found;
  }

  function exactIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountIn: bigint,
  ): LadderSwap | undefined {
    const ladder = ladderOf(pool, positionIn);
    if (ladder.covers(amountIn)) return ladder.exactIn(amountIn);
    // Far past its capacity the ladder need not be built to know it.
    if (!couldTake(pool, positionIn, Number(amountIn))) return undefined;
    return counted(ladder, ladder.rungs.length, ladder.exactIn(amountIn));
  }

  function exactOut(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountOut: bigint,
  ): LadderSwap | undefined {
    if (curveOf(pool, positionIn).exactOut(Number(amountOut)) === Number.POSITIVE_INFINITY) {
      return undefined;
    }
    const ladder = ladderOf(pool, positionIn);
    return counted(ladder, ladder.rungs.length, ladder.exactOut(amountOut));
  }

  function swapped(pool: PoolIndex, swap: LadderSwap | undefined): PoolSwap | undefined {
    if (swap === undefined || swap.amountOut === 0n) return undefined;
    const { amountIn, amountOut, sqrtPriceX96, rung } = swap;
    const tick = sqrtPriceX96 === rung.sqrtPriceX96 ? rung.tick : tickAtSqrtRatio(sqrtPriceX96);
    const { feesPips } = decodeConcentrated(graph.stateWords, graph.poolStateStart[pool]!);
    const after = { sqrtPriceX96, tick, liquidity: rung.liquidity, feesPips };
    return { pool, amountIn, amountOut, state: encodeConcentrated(after) };
  }

  function capacityIn(pool: PoolIndex, positionIn: TokenPosition): number {
    const walked = curveOf(pool, positionIn).capacity() * (1 + ESTIMATE_ERROR);
    return Math.min(walked + roundingIn(pool, positionIn), Number(ruleOf(pool).amountMax));
  }

  /** Whether an input is within `capacityIn`, without a walk past it. */
  function couldTake(pool: PoolIndex, positionIn: TokenPosition, amountIn: number): boolean {
    const least = (amountIn - roundingIn(pool, positionIn)) / (1 + ESTIMATE_ERROR);
    return curveOf(pool, positionIn).takes(least);
  }

  /** Each step rounds up twice and the fee once more. */
  function roundingIn(pool: PoolIndex, positionIn: TokenPosition): number {
    return (3 * ruleOf(pool).stepCountMax) / gammaOf(pool, positionIn);
  }

  /** Index of the rung that a fillable input reaches; -1 for any other. */
  function rungIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountIn: bigint,
    ladder: SwapLadder,
  ): number {
    if (!ladder.covers(amountIn) && !couldTake(pool, positionIn, Number(amountIn))) return -1;
    return counted(ladder, ladder.rungs.length, ladder.rungIn(amountIn));
  }

  function typicalGas(pool: PoolIndex, positionIn: TokenPosition, amountIn: bigint): number {
    const ladder = ladderOf(pool, positionIn);
    const index = rungIn(pool, positionIn, amountIn, ladder);
    const reached = ladder.rungs.at(index)!; // the last, past the end
    const isWhole = index < 0 || reached.amountIn === amountIn;
    const { stepCount, crossingCount } = isWhole ? reached : ladder.rungs[index - 1]!;
    const gas = ladder.pool.rule.typicalGas;
    if (stepCount === 0) {
      const isMoved = movesTick(
        ladder.rungs[0]!,
        Number(amountIn) * gammaOf(pool, positionIn),
        isZeroForOne(positionIn),
      );
      return gas.swap + (isMoved ? gas.move : 0);
    }
    const crossed = crossingCount * gas.crossing + (crossingCount > 0 ? gas.firstCrossing : 0);
    return gas.swap + gas.move + (stepCount - crossingCount) * gas.word + crossed;
  }

  function midPrice(pool: PoolIndex, positionIn: TokenPosition): number {
    const { sqrtPriceX96 } = start(pool);
    const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
    return sqrtPriceX96 === 0n ? 0 : isZeroForOne(positionIn) ? price : 1 / price;
  }

  return {
    quoteExactIn: (pool, positionIn, _positionOut, amountIn) =>
      exactIn(pool, positionIn, amountIn)?.amountOut ?? REFUSED,
    quoteExactOut: (pool, positionIn, _positionOut, amountOut) =>
      exactOut(pool, positionIn, amountOut)?.amountIn ?? REFUSED,
    swapExactIn: (pool, positionIn, _positionOut, amountIn) =>
      swapped(pool, exactIn(pool, positionIn, amountIn)),
    swapExactOut: (pool, positionIn, _positionOut, amountOut) =>
      swapped(pool, exactOut(pool, positionIn, amountOut)),
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
      const { swap, step, crossing } = ladder.pool.rule.gas;
      return swap + stepCount * step + crossingCount * crossing;
    },
    typicalGas: (pool, positionIn, _positionOut, amountIn) =>
      typicalGas(pool, positionIn, amountIn),
    leastGas: Math.min(...STEP_RULES.map(({ typicalGas: { swap } }) => swap)),
    capacityIn,
    feePips: feePipsOf,
    feeFollowsSwaps: (pool) => ruleOf(pool).feeFollowsSwaps,
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
