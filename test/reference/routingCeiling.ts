const ROUNDS = 400;
/** The search ends with a round that lowers the bound by less than this part. */
const GAIN_MIN = 1e-12;

/** A pool as the ceiling sees it, in floats. */
export interface CeilingPool {
  /** The market's numbers of its tokens. */
  readonly tokens: ReadonlyArray<number>;
  /** The value of a unit of each token in the pool, in any measure. */
  readonly worths: ReadonlyArray<number>;
  /**
   * The value of the best trade with the pool at the market's prices, or a little more by rounding
   * of floats; adds its outputs to `flows`, and its inputs as negative numbers.
   */
  readonly arbitrage: (prices: ReadonlyArray<number>, flows: number[]) => number;
}

/**
 * The most that any routing of an amount gives, over any number of paths of any length: the convex
 * dual over token prices ν (Diamandis, Resnick, Chitra, Angeris 2023),
 *
 *   min over ν > 0, ν_out = 1:  ν_in × amount + Σ over pools of what arbitrage takes at ν
 *
 * It is a bound at any prices, so their precision affects only its tightness. One trade of a pool
 * between all its tokens is worth at least as much as swaps of pairs.
 */
export function routingCeiling(
  tokenCount: number,
  pools: ReadonlyArray<CeilingPool>,
  tokenIn: number,
  tokenOut: number,
  amountIn: number,
): number {
  const dual = (logs: ReadonlyArray<number>) => {
    const prices = logs.map(Math.exp);
    const flows: number[] = Array(tokenCount).fill(0); // what all pools give of each token
    let value = prices[tokenIn]! * amountIn;
    flows[tokenIn]! += amountIn;
    for (const pool of pools) value += pool.arbitrage(prices, flows);
    // The gradient is by the logarithm of each price.
    return { value, gradient: flows.map((flow, token) => flow * prices[token]!) };
  };
  let logs = startingPrices(tokenCount, pools, tokenOut).map(Math.log);
  let { value, gradient } = dual(logs);
  // BFGS: approximates the inverse of the curvature, step by step.
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

/** Starting prices along a tree of pools from the bought token; any positive ones would do. */
function startingPrices(
  tokenCount: number,
  pools: ReadonlyArray<CeilingPool>,
  root: number,
): number[] {
  const prices: number[] = Array(tokenCount).fill(0);
  prices[root] = 1;
  for (let round = 0; round < tokenCount; round++) {
    for (const { tokens, worths } of pools) {
      const known = tokens.findIndex((token) => prices[token]! > 0);
      if (known < 0) continue;
      const unit = prices[tokens[known]!]! / worths[known]!;
      for (const [at, token] of tokens.entries()) {
        if (prices[token] === 0) prices[token] = unit * worths[at]!;
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
