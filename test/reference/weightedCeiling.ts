import type { WeightedPool } from "../markets/manyTokenMarket.ts";

const PIPS = 1_000_000;
const HALVINGS = 200;
const ROUNDS = 400;
/** A round that lowers the bound by less than this part is the last. */
const GAIN_MIN = 1e-12;

interface FloatPool {
  readonly tokens: ReadonlyArray<number>;
  readonly weights: ReadonlyArray<number>;
  readonly balances: ReadonlyArray<number>;
  readonly keep: number;
}

/**
 * The most that any routing of an amount gives, over any number of paths of any length: the convex
 * dual over token prices ν (Diamandis, Resnick, Chitra, Angeris 2023),
 *
 *   min over ν > 0, ν_out = 1:  ν_in × amount + Σ over pools of what arbitrage takes at ν
 *
 * It is a bound at any prices, so how well they are found decides its tightness alone. What a pool
 * trades at once, between all its tokens, it is worth at least what swaps of pairs are.
 */
export function weightedCeiling(
  tokenCount: number,
  pools: ReadonlyArray<WeightedPool>,
  tokenIn: number,
  tokenOut: number,
  amountIn: number,
): number {
  const floats = pools
    .filter(({ balances }) => balances.every((balance) => balance > 0n))
    .map(
      ({ tokens, weights, balances, feePips }): FloatPool => ({
        ...{ tokens, weights: weights.map(Number), balances: balances.map(Number) },
        keep: (PIPS - feePips) / PIPS,
      }),
    );
  const dual = (logs: ReadonlyArray<number>) => {
    const prices = logs.map(Math.exp);
    const flows: number[] = Array(tokenCount).fill(0); // what all pools give of each token
    let value = prices[tokenIn]! * amountIn;
    flows[tokenIn]! += amountIn;
    for (const pool of floats) value += arbitrage(pool, prices, flows);
    // By the logarithm of each price.
    return { value, gradient: flows.map((flow, token) => flow * prices[token]!) };
  };
  let logs = startingPrices(tokenCount, floats, tokenOut).map(Math.log);
  let { value, gradient } = dual(logs);
  // BFGS: the inverse of the curvature, learnt step by step.
  let inverse = identity(tokenCount, 1 / value);
  for (let round = 0; round < ROUNDS; round++) {
    gradient[tokenOut] = 0;
    const step = inverse.map(
      (row) => -row.reduce((sum, each, at) => sum + each * gradient[at]!, 0),
    );
    step[tokenOut] = 0;
    const longest = Math.max(...step.map(Math.abs));
    const scale = longest > 1 ? 1 / longest : 1;
    let next: { logs: number[]; value: number; gradient: number[] } | undefined;
    for (let part = scale; part > 1e-12; part /= 2) {
      const tried = logs.map((log, token) => log + part * step[token]!);
      const found = dual(tried);
      if (!(found.value < value)) continue;
      next = { logs: tried, ...found };
      break;
    }
    if (next === undefined) {
      if (round > 0 && isIdentity(inverse)) break;
      inverse = identity(tokenCount, 1 / value);
      continue;
    }
    next.gradient[tokenOut] = 0;
    const moved = next.logs.map((log, token) => log - logs[token]!);
    const bent = next.gradient.map((each, token) => each - gradient[token]!);
    inverse = learnt(inverse, moved, bent);
    const gain = value - next.value;
    ({ logs, value, gradient } = next);
    if (gain < GAIN_MIN * value && round > 20) break;
  }
  return value;
}

/**
 * What the best trade with a pool is worth at some prices; adds what comes out of it to `flows`.
 * After it a token's price × balance / weight is λ where it came out, λ × (1 − fee) where it went
 * in, and between where it stayed; and ∏ balance^weight, fees apart, is what it was.
 */
function arbitrage(
  { tokens, weights, balances, keep }: FloatPool,
  prices: ReadonlyArray<number>,
  flows: number[],
): number {
  const after = (lambda: number, at: number) => {
    const even = (lambda * weights[at]!) / prices[tokens[at]!]!;
    const own = balances[at]!;
    return even < own ? even : Math.max(even * keep, own);
  };
  const growth = (lambda: number) =>
    tokens.reduce(
      (sum, _, at) => sum + weights[at]! * Math.log(after(lambda, at) / balances[at]!),
      0,
    );
  const values = tokens.map((token, at) => (prices[token]! * balances[at]!) / weights[at]!);
  let low = Math.min(...values);
  let high = Math.max(...values) / keep;
  for (let halving = 0; halving < HALVINGS && high > low * (1 + 1e-15); halving++) {
    const middle = Math.sqrt(low * high);
    if (growth(middle) < 0) low = middle;
    else high = middle;
  }
  // With the lesser λ more is taken than the pool gives: a bound all the same.
  let worth = 0;
  for (const [at, token] of tokens.entries()) {
    const out = balances[at]! - after(low, at);
    const flow = out > 0 ? out : out / keep;
    flows[token]! += flow;
    worth += flow * prices[token]!;
  }
  return Math.max(worth, 0);
}

/** Prices along a tree of pools from the token that is bought; any positive ones would do. */
function startingPrices(
  tokenCount: number,
  pools: ReadonlyArray<FloatPool>,
  root: number,
): number[] {
  const prices: number[] = Array(tokenCount).fill(0);
  prices[root] = 1;
  for (let round = 0; round < tokenCount; round++) {
    for (const { tokens, weights, balances } of pools) {
      const known = tokens.findIndex((token) => prices[token]! > 0);
      if (known < 0) continue;
      const unit = (prices[tokens[known]!]! * balances[known]!) / weights[known]!;
      for (const [at, token] of tokens.entries()) {
        if (prices[token] === 0) prices[token] = (unit * weights[at]!) / balances[at]!;
      }
    }
  }
  return prices.map((price) => (price > 0 ? price : 1));
}

function identity(size: number, scale: number): number[][] {
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => (row === column ? scale : 0)),
  );
}

function isIdentity(matrix: ReadonlyArray<ReadonlyArray<number>>): boolean {
  return matrix.every((row, at) => row.every((each, column) => column === at || each === 0));
}

/** The update of Broyden, Fletcher, Goldfarb and Shanno. */
function learnt(inverse: number[][], moved: number[], bent: number[]): number[][] {
  const dot = (a: number[], b: number[]) => a.reduce((sum, each, at) => sum + each * b[at]!, 0);
  const bend = dot(moved, bent);
  if (!(bend > 1e-300)) return inverse;
  const pushed = inverse.map((row) => dot(row, bent));
  const scale = (1 + dot(bent, pushed) / bend) / bend;
  return inverse.map((row, i) =>
    row.map(
      (each, j) =>
        each +
        scale * moved[i]! * moved[j]! -
        (moved[i]! * pushed[j]! + pushed[i]! * moved[j]!) / bend,
    ),
  );
}
