import type { ConstantProductPool } from "./ConstantProductPool.ts";
import { DualEdges } from "./DualEdges.ts";
import { feasibleOutput } from "./feasibleOutput.ts";
import { SparseFactor } from "./SparseFactor.ts";
import { spanningPrices } from "./spanningPrices.ts";

/** Bounds of the output of optimal routing. */
export interface CeilingResult {
  /** No route over any number of paths and hops gives more, float rounding (1e-9) apart. */
  readonly upper: number;
  /** The output of a flow that was found: the optimum is not below it. */
  readonly lower: number;
  /** Newton steps that it took. */
  readonly iterations: number;
}

/** Steps after which the solver stops; the dual is a bound at any prices. */
const ITERATIONS_MAX = 200;
/**
 * The solver stops when a step would gain at most this part of the value. It is this small because
 * the flows, and with them the lower bound, are off by its root.
 */
const GAIN_MIN = 1e-18;
/** Relative; keeps the system solvable where no pool in use links a token to others. */
const DAMPING = 1e-13;

/**
 * The most of one token that an amount of another buys on a market of constant-product pools, by
 * the convex dual over token prices (Diamandis, Resnick, Chitra, Angeris, "An Efficient Algorithm
 * for Optimal Routing Through Constant Function Market Makers", 2023):
 *
 *   min over prices ν ≥ 0, ν_out = 1:  ν_in × amount + Σ over pools of what arbitrage takes at ν
 *
 * From a pool with reserves x, y and γ = 1 − fee, arbitrage at ν takes max(0, √(ν_y y) − √(ν_x x /
 * γ))², and likewise in the other direction. In the roots s = √ν the dual is therefore a sum of
 * squares of positive parts of linear terms: convex and piecewise quadratic. Newton's method with
 * an exact line search ends in a few steps, each of which solves one sparse system over the tokens.
 *
 * Arbitrage within the market is added to every answer; the bound still holds.
 */
export class Ceiling {
  readonly #tokenCount: number;
  readonly #prices: Float64Array;
  readonly #edges: DualEdges;
  readonly #factor: SparseFactor;
  readonly #damping: Float64Array;

  constructor(tokenCount: number, pools: ReadonlyArray<ConstantProductPool>) {
    this.#tokenCount = tokenCount;
    this.#prices = spanningPrices(tokenCount, pools);
    this.#factor = new SparseFactor(
      tokenCount,
      pools.map(({ token0, token1 }) => [token0, token1] as const),
    );
    this.#edges = new DualEdges(pools, this.#prices, this.#factor);
    this.#damping = this.#edges.weights(tokenCount).map((weight) => DAMPING * weight);
  }

  /** Throws a RangeError unless the tokens differ and the amount is above 0. */
  solve(tokenIn: number, tokenOut: number, amountIn: number): CeilingResult {
    if (tokenIn === tokenOut || !(amountIn > 0)) throw new RangeError("nothing to solve");
    const edges = this.#edges;
    const value = amountIn * this.#prices[tokenIn]!;
    const offsets = new Float64Array(this.#tokenCount);
    const step = new Float64Array(this.#tokenCount);
    let upper = dualValue(edges, offsets, tokenIn, value);
    let iterations = 0;
    while (iterations < ITERATIONS_MAX) {
      const slope = this.#newtonStep(offsets, step, tokenIn, tokenOut, value);
      if (-slope <= GAIN_MIN * upper) break;
      iterations++;
      const length = lineMinimum(edges, offsets, step, tokenIn, value);
      for (let token = 0; token < offsets.length; token++) {
        offsets[token] = Math.max(-1, offsets[token]! + length * step[token]!);
      }
      upper = dualValue(edges, offsets, tokenIn, value);
    }
    const lower = feasibleOutput(edges, offsets, tokenIn, tokenOut, value);
    const price = this.#prices[tokenOut]!;
    return { upper: upper / price, lower: lower / price, iterations };
  }

  /** Writes the step to the minimum of the quadratic around `offsets`; gives the slope. */
  #newtonStep(
    offsets: Float64Array,
    step: Float64Array,
    tokenIn: number,
    tokenOut: number,
    value: number,
  ): number {
    const gradient = new Float64Array(this.#tokenCount);
    this.#factor.begin(this.#damping);
    gradient[tokenIn] = value * (1 + offsets[tokenIn]!);
    this.#factor.addDiagonal(tokenIn, value);
    this.#edges.addQuadratic(offsets, tokenOut, gradient, this.#factor);
    gradient[tokenOut] = 0;
    for (let token = 0; token < step.length; token++) step[token] = -gradient[token]!;
    this.#factor.solve(step);
    step[tokenOut] = 0;
    let slope = 0;
    for (let token = 0; token < step.length; token++) slope += gradient[token]! * step[token]!;
    return slope;
  }
}

function dualValue(
  edges: DualEdges,
  offsets: Float64Array,
  tokenIn: number,
  value: number,
): number {
  return value * (1 + offsets[tokenIn]!) ** 2 + edges.arbitrage(offsets);
}

/** The length at which the dual along a step is least: its slope is piecewise linear and grows. */
function lineMinimum(
  edges: DualEdges,
  offsets: Float64Array,
  step: Float64Array,
  tokenIn: number,
  value: number,
): number {
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let length = 1;
  const first = edges.slopeAlong(offsets, step, 0, tokenIn, value).slope;
  for (let trial = 0; trial < 60; trial++) {
    const { slope, curvature } = edges.slopeAlong(offsets, step, length, tokenIn, value);
    if (Math.abs(slope) <= 1e-6 * Math.abs(first)) return length;
    if (slope < 0) low = length;
    else high = length;
    const newton = length - slope / curvature;
    const isInside = newton > low && newton < high;
    length = isInside ? newton : high === Number.POSITIVE_INFINITY ? 2 * length : (low + high) / 2;
  }
  return length;
}
