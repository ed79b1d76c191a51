import { type ConcentratedPool, STEPS_MAX } from "./concentratedLiquidity.ts";
import { Reverted, require, uint, unlessReverted } from "./solidity.ts";
import { computeSwapStep } from "./swapMath.ts";
import {
  getSqrtRatioAtTick,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "./tickMath.ts";

const WORD_BITS = 256;

interface WholeStep {
  readonly startX96: bigint;
  readonly targetX96: bigint;
  readonly liquidity: bigint;
  /** Amounts of all steps before this one. */
  readonly inBefore: bigint;
  readonly outBefore: bigint;
}

/**
 * One direction of one pool: what the whole steps from the current price cost and give, worked out
 * once. Amounts as `swapConcentrated`, which a test holds it against; only faster.
 */
export class StepCache {
  private readonly pool: ConcentratedPool;
  private readonly zeroForOne: boolean;
  private readonly limitX96: bigint;
  /** Initialised ticks, the next ones in this direction last. */
  private readonly ahead: number[];
  private readonly steps: WholeStep[] = [];
  private tick: number;
  private sqrtPriceX96: bigint;
  private liquidity: bigint;
  private amountIn = 0n;
  private amountOut = 0n;
  private ended = false;
  private crossingReverts = false;

  constructor(pool: ConcentratedPool, zeroForOne: boolean) {
    this.pool = pool;
    this.zeroForOne = zeroForOne;
    this.limitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
    ({ tick: this.tick, sqrtPriceX96: this.sqrtPriceX96, liquidity: this.liquidity } = pool);
    this.ahead = [...pool.ticks.keys()]
      .filter((tick) => (zeroForOne ? tick <= pool.tick : tick > pool.tick))
      .sort((a, b) => (zeroForOne ? a - b : b - a));
    // At or beyond the limit the contract refuses any swap.
    this.ended = zeroForOne
      ? pool.sqrtPriceX96 <= this.limitX96
      : pool.sqrtPriceX96 >= this.limitX96;
  }

  swap(kind: "exactIn" | "exactOut", amount: bigint): { in: bigint; out: bigint } | undefined {
    if (amount >= 1n << 255n) return undefined;
    const done = (step: WholeStep) => (kind === "exactIn" ? step.inBefore : step.outBefore);
    const reached = () => (kind === "exactIn" ? this.amountIn : this.amountOut);
    while (reached() < amount && this.extend());
    if (reached() < amount) return undefined;
    let low = 0;
    let high = this.steps.length;
    // The last step that starts with something left to do.
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (done(this.steps[middle]!) < amount) low = middle;
      else high = middle;
    }
    return unlessReverted(() => {
      const step = this.steps[low]!;
      const remaining = amount - done(step);
      const last = computeSwapStep(
        step.startX96,
        step.targetX96,
        step.liquidity,
        kind === "exactIn" ? remaining : -remaining,
        BigInt(this.pool.feePips),
      );
      const inLast = last.amountIn + last.feeAmount;
      if ((kind === "exactIn" ? inLast : last.amountOut) !== remaining) {
        throw new Error("a last step that is not the last");
      }
      const arrives = last.sqrtRatioNextX96 === step.targetX96;
      require(!(arrives && this.crossingReverts && low === this.steps.length - 1), "LA, LS");
      return { in: step.inBefore + inLast, out: step.outBefore + last.amountOut };
    });
  }

  /** The most that can go in, and what it gives. */
  capacity(): { in: bigint; out: bigint } {
    while (this.extend());
    return { in: this.amountIn, out: this.amountOut };
  }

  /** √price of an infinitely small trade: where the first liquidity is; undefined: nowhere. */
  firstPriceX96(): bigint | undefined {
    const holds = (step: WholeStep) => step.liquidity > 0n && step.startX96 !== step.targetX96;
    while (!this.steps.some(holds) && this.extend());
    return this.steps.find(holds)?.startX96;
  }

  /** Works out one more whole step; false when there is none. */
  private extend(): boolean {
    if (this.ended || this.steps.length === STEPS_MAX) return false;
    const wordEnd = this.wordEnd();
    const candidate = this.ahead.at(-1);
    const initialized =
      candidate !== undefined && (this.zeroForOne ? candidate >= wordEnd : candidate <= wordEnd);
    const tick = Math.min(Math.max(initialized ? candidate : wordEnd, MIN_TICK), MAX_TICK);
    const tickX96 = getSqrtRatioAtTick(tick);
    const beyond = this.zeroForOne ? tickX96 < this.limitX96 : tickX96 > this.limitX96;
    const targetX96 = beyond ? this.limitX96 : tickX96;
    const step = computeSwapStep(
      this.sqrtPriceX96,
      targetX96,
      this.liquidity,
      (1n << 255n) - 1n,
      BigInt(this.pool.feePips),
    );
    this.steps.push({
      startX96: this.sqrtPriceX96,
      targetX96,
      liquidity: this.liquidity,
      inBefore: this.amountIn,
      outBefore: this.amountOut,
    });
    this.amountIn += step.amountIn + step.feeAmount;
    this.amountOut += step.amountOut;
    this.sqrtPriceX96 = targetX96;
    this.tick = this.zeroForOne ? tick - 1 : tick;
    if (targetX96 === this.limitX96) this.ended = true;
    else if (initialized) this.cross(this.pool.ticks.get(this.ahead.pop()!)!);
    return true;
  }

  /** The last tick of the bitmap's word that the price stands in, or comes into next. */
  private wordEnd(): number {
    const { tickSpacing } = this.pool;
    const compressed = Math.floor(this.tick / tickSpacing) + (this.zeroForOne ? 0 : 1);
    const wordStart = Math.floor(compressed / WORD_BITS) * WORD_BITS;
    return (this.zeroForOne ? wordStart : wordStart + WORD_BITS - 1) * tickSpacing;
  }

  /** A crossing that reverts ends the pool just before it. */
  private cross(liquidityNet: bigint): void {
    try {
      this.liquidity = uint(128, this.liquidity + (this.zeroForOne ? -liquidityNet : liquidityNet));
    } catch (error) {
      if (!(error instanceof Reverted)) throw error;
      this.ended = true;
      this.crossingReverts = true;
    }
  }
}
