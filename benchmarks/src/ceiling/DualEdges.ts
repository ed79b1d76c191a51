import type { ConstantProductPool } from "./ConstantProductPool.ts";
import type { SparseFactor } from "./SparseFactor.ts";

const PIPS = 1_000_000;

/**
 * Both directions of every pool as terms of the dual. Amounts are values at the start's prices, and
 * each token's root of price is 1 + its offset. Arbitrage takes max(0, b (1 + offset_out) − a (1 +
 * offset_in))² from an edge, where a² and b² are the values of the pool's sides, the input's
 * divided by 1 − fee. Offsets replace roots because a small trade moves deep pools by less than the
 * float precision of 1. Gradient and quadratic are of half the dual.
 */
export class DualEdges {
  readonly count: number;
  readonly tokenIn: Int32Array;
  readonly tokenOut: Int32Array;
  readonly #a: Float64Array;
  readonly #b: Float64Array;
  readonly #rise: Float64Array; // b − a
  readonly #entry: Int32Array; // of the factor

  constructor(
    pools: ReadonlyArray<ConstantProductPool>,
    prices: Float64Array,
    factor: SparseFactor,
  ) {
    this.count = 2 * pools.length;
    this.tokenIn = new Int32Array(this.count);
    this.tokenOut = new Int32Array(this.count);
    this.#a = new Float64Array(this.count);
    this.#b = new Float64Array(this.count);
    this.#rise = new Float64Array(this.count);
    this.#entry = new Int32Array(this.count);
    for (const [index, { token0, token1, reserve0, reserve1, feePips }] of pools.entries()) {
      const value0 = reserve0 * prices[token0]!;
      const value1 = reserve1 * prices[token1]!;
      const perUnit = PIPS / (PIPS - feePips);
      const entry = factor.entryOf(token0, token1);
      this.#set(2 * index, token0, token1, value0 * perUnit, value1, entry);
      this.#set(2 * index + 1, token1, token0, value1 * perUnit, value0, entry);
    }
  }

  #set(
    edge: number,
    tokenIn: number,
    tokenOut: number,
    valueIn: number,
    valueOut: number,
    entry: number,
  ): void {
    this.tokenIn[edge] = tokenIn;
    this.tokenOut[edge] = tokenOut;
    this.#a[edge] = Math.sqrt(valueIn);
    this.#b[edge] = Math.sqrt(valueOut);
    this.#rise[edge] = this.#b[edge]! - this.#a[edge]!;
    this.#entry[edge] = entry;
  }

  /** What all pools hold of each token. */
  weights(tokenCount: number): Float64Array {
    const weights = new Float64Array(tokenCount).fill(1e-300);
    for (let edge = 0; edge < this.count; edge++) {
      weights[this.tokenIn[edge]!]! += this.#a[edge]! ** 2;
    }
    return weights;
  }

  /** The value that arbitrage takes from all pools. */
  arbitrage(offsets: Float64Array): number {
    let sum = 0;
    for (let edge = 0; edge < this.count; edge++) {
      const rest = this.#rest(offsets, edge);
      if (rest > 0) sum += rest * rest;
    }
    return sum;
  }

  /** What arbitrage at these offsets pays into a pool; 0 where it takes nothing. */
  amountIn(offsets: Float64Array, edge: number): number {
    const rest = this.#rest(offsets, edge);
    return rest > 0 ? (this.#a[edge]! * rest) / (1 + offsets[this.tokenIn[edge]!]!) : 0;
  }

  /** A pool's output for an amount. */
  amountOut(edge: number, amountIn: number): number {
    return (this.#b[edge]! ** 2 * amountIn) / (this.#a[edge]! ** 2 + amountIn);
  }

  /**
   * Adds gradient and quadratic of the edges in use, without the couplings of the token `fixed`.
   */
  addQuadratic(
    offsets: Float64Array,
    fixed: number,
    gradient: Float64Array,
    factor: SparseFactor,
  ): void {
    for (let edge = 0; edge < this.count; edge++) {
      const rest = this.#rest(offsets, edge);
      if (rest <= 0) continue;
      const tokenIn = this.tokenIn[edge]!;
      const tokenOut = this.tokenOut[edge]!;
      const a = this.#a[edge]!;
      const b = this.#b[edge]!;
      gradient[tokenIn]! -= a * rest;
      gradient[tokenOut]! += b * rest;
      factor.addDiagonal(tokenIn, a * a);
      factor.addDiagonal(tokenOut, b * b);
      if (tokenIn !== fixed && tokenOut !== fixed) {
        factor.addCoupling(this.#entry[edge]!, -a * b);
      }
    }
  }

  /** The slope of half the dual along the step at `offsets + length × step`, and its curvature. */
  slopeAlong(
    offsets: Float64Array,
    step: Float64Array,
    length: number,
    start: number,
    value: number,
  ): { readonly slope: number; readonly curvature: number } {
    let slope = value * (1 + offsets[start]! + length * step[start]!) * step[start]!;
    let curvature = value * step[start]! * step[start]!;
    for (let edge = 0; edge < this.count; edge++) {
      const growth = this.#growth(step, edge);
      if (growth === 0) continue;
      const rest = this.#rest(offsets, edge) + length * growth;
      if (rest <= 0) continue;
      slope += rest * growth;
      curvature += growth * growth;
    }
    return { slope, curvature };
  }

  #rest(offsets: Float64Array, edge: number): number {
    return this.#rise[edge]! + this.#growth(offsets, edge);
  }

  #growth(step: Float64Array, edge: number): number {
    return (
      this.#b[edge]! * step[this.tokenOut[edge]!]! - this.#a[edge]! * step[this.tokenIn[edge]!]!
    );
  }
}
