import {
  type ConcentratedPool,
  directionFeePips,
  leastBuying,
  stepsOf,
} from "./concentratedLiquidity.ts";
import { Reverted, require, uint, unlessReverted } from "./solidity.ts";
import {
  getSqrtRatioAtTick,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
} from "./tickMath.ts";
import type { StepText } from "./tickPools.ts";

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
 * One direction of one pool: inputs and outputs of the whole steps from the current price, computed
 * once. The amounts are those of `swapConcentrated`, only faster; a test compares them.
 */
export class StepCache {
  private readonly pool: ConcentratedPool;
  private readonly text: StepText;
  private readonly feePips: bigint;
  private readonly zeroForOne: boolean;
  private readonly limitX96: bigint;
  /** Initialised ticks in this direction, the nearest last. */
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
    this.text = stepsOf(pool);
    this.feePips = BigInt(directionFeePips(pool, zeroForOne));
    this.zeroForOne = zeroForOne;
    this.limitX96 = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
    ({ tick: this.tick, sqrtPriceX96: this.sqrtPriceX96, liquidity: this.liquidity } = pool);
    this.ahead = [...pool.ticks.keys()]
      .filter((tick) => (zeroForOne ? tick <= pool.tick : tick > pool.tick))
      .sort((a, b) => (zeroForOne ? a - b : b - a));
    // At or beyond its limit the contract refuses any swap.
    this.ended = zeroForOne
      ? pool.sqrtPriceX96 <= this.limitX96
      : pool.sqrtPriceX96 >= this.limitX96;
  }

  swap(kind: "exactIn" | "exactOut", amount: bigint): { in: bigint; out: bigint } | undefined {
    if (amount > this.text.amountMax) return undefined;
    const done = (step: WholeStep) => (kind === "exactIn" ? step.inBefore : step.outBefore);
    const reached = () => (kind === "exactIn" ? this.amountIn : this.amountOut);
    while (reached() < amount && this.extend());
    if (reached() < amount) return undefined;
    let low = 0;
    let high = this.steps.length;
    // The last step that begins before the amount is reached.
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (done(this.steps[middle]!) < amount) low = middle;
      else high = middle;
    }
    const swap = unlessReverted(() => {
      const step = this.steps[low]!;
      const remaining = amount - done(step);
      const last = this.text.step(
        step.startX96,
        step.targetX96,
        step.liquidity,
        kind === "exactIn" ? remaining : -remaining,
        this.feePips,
      );
      if ((kind === "exactIn" ? last.amountIn : last.amountOut) !== remaining) {
        throw new Error("a last step that is not the last");
      }
      const arrives = last.nextX96 === step.targetX96;
      require(!(arrives && this.crossingReverts && low === this.steps.length - 1), "LA, LS");
      const total = { in: step.inBefore + last.amountIn, out: step.outBefore + last.amountOut };
      require(total.in <= this.text.amountMax && total.out <= this.text.amountMax, "too wide");
      return total;
    });
    if (swap === undefined || kind === "exactIn") return swap;
    const least = leastBuying(amount, swap.in, (given) => this.swap("exactIn", given)?.out);
    return least === undefined ? undefined : { in: least, out: amount };
  }

  /** The largest input, and its output. */
  capacity(): { in: bigint; out: bigint } {
    while (this.extend());
    return { in: this.amountIn, out: this.amountOut };
  }

  /** √price of an infinitely small trade, which is where liquidity begins; undefined if nowhere. */
  firstPriceX96(): bigint | undefined {
    const holds = (step: WholeStep) => step.liquidity > 0n && step.startX96 !== step.targetX96;
    while (!this.steps.some(holds) && this.extend());
    return this.steps.find(holds)?.startX96;
  }

  /** Computes one more whole step; false when there is none. */
  private extend(): boolean {
    if (this.ended || this.steps.length === this.text.stepsMax) return false;
    const lastEnd = this.text.endsAtWords ? this.wordEnd() : this.zeroForOne ? MIN_TICK : MAX_TICK;
    const candidate = this.ahead.at(-1);
    const initialized =
      candidate !== undefined && (this.zeroForOne ? candidate >= lastEnd : candidate <= lastEnd);
    const tick = Math.min(Math.max(initialized ? candidate : lastEnd, MIN_TICK), MAX_TICK);
    const tickX96 = getSqrtRatioAtTick(tick);
    const beyond = this.zeroForOne ? tickX96 < this.limitX96 : tickX96 > this.limitX96;
    const targetX96 = beyond ? this.limitX96 : tickX96;
    const start = [this.sqrtPriceX96, targetX96, this.liquidity] as const;
    const step = this.text.step(...start, (1n << 255n) - 1n, this.feePips);
    this.steps.push({
      startX96: this.sqrtPriceX96,
      targetX96,
      liquidity: this.liquidity,
      inBefore: this.amountIn,
      outBefore: this.amountOut,
    });
    this.amountIn += step.amountIn;
    this.amountOut += step.amountOut;
    this.sqrtPriceX96 = targetX96;
    this.tick = this.zeroForOne ? tick - 1 : tick;
    if (targetX96 === this.limitX96) this.ended = true;
    else if (initialized) this.cross(this.pool.ticks.get(this.ahead.pop()!)!);
    return true;
  }

  /** The last tick of the bitmap word that contains the price, or that it enters next. */
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
