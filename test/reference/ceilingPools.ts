import type { StablePool, WeightedPool } from "../markets/manyTokenMarket.ts";
import type { CeilingPool } from "./routingCeiling.ts";

const PIPS = 1_000_000;
const E10 = 1e10;
const E18 = 1e18;
const AMP_PRECISION = 100;
const HALVINGS = 200;
const NEWTON_ROUNDS = 40;
/** The range of the search for a stable pool's multiplier, in powers of e. */
const EXPONENT_MAX = 60;

/** A pool of ∏ balance^weight = k, with its fee on the input. */
export function weightedCeilingPool(pool: WeightedPool): CeilingPool {
  const { tokens } = pool;
  const weights = pool.weights.map(Number);
  const balances = pool.balances.map(Number);
  const keep = (PIPS - pool.feePips) / PIPS;
  const worths = weights.map((weight, at) => weight / balances[at]!);
  /**
   * After the best trade, a token's price × balance / weight is λ if it came out, λ × (1 − fee) if
   * it went in, and between them if it did neither. Without fees, ∏ balance^weight is unchanged.
   */
  const arbitrage = (prices: ReadonlyArray<number>, flows: number[]) => {
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
    // With the lesser λ, the trade takes more than the pool gives: still a bound.
    let worth = 0;
    for (const [at, token] of tokens.entries()) {
      const out = balances[at]! - after(low, at);
      const flow = out > 0 ? out : out / keep;
      flows[token]! += flow;
      worth += flow * prices[token]!;
    }
    return Math.max(worth, 0);
  };
  return { tokens, worths, arbitrage };
}

/**
 * A pool of StableSwap, with its fee on the output, which leaves the pool. With S the sum and Π the
 * product of the scaled balances, no trade lowers U = An·S − K/Π, K = Dⁿ⁺¹/nⁿ, which is concave.
 * For any λ ≥ 0, the maximum of the taken value plus λ × the growth of U is at least the value of
 * the best trade. So λ needs no more precision than floats give.
 */
export function stableCeilingPool(pool: StablePool): CeilingPool {
  const { tokens } = pool;
  const count = tokens.length;
  const rates = pool.rates.map((rate) => Number(rate) / E18);
  const before = pool.balances.map((balance, at) => Number(balance) * rates[at]!);
  const keep = (E10 - Number(pool.fee)) / E10;
  const ann = (Number(pool.amp) * count) / AMP_PRECISION;
  const d = invariant(before, ann);
  const logK = (count + 1) * Math.log(d) - count * Math.log(count);
  const quotientBefore = Math.exp(logK - sumOf(before.map(Math.log)));
  const after = before.map(() => 0);
  const worths = before.map((balance, at) => (ann + quotientBefore / balance) * rates[at]!);

  /** Sets the balances after the best trade at λ, and gives their K/Π. */
  const settle = (scaled: ReadonlyArray<number>, lambda: number): number => {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    let log = Math.log(quotientBefore);
    for (let round = 0; round < NEWTON_ROUNDS; round++) {
      const quotient = Math.exp(log);
      let [excess, moving] = [log - logK, 1];
      for (const [at, price] of scaled.entries()) {
        const own = before[at]!;
        const paid = price / lambda - ann;
        const given = (price * keep) / lambda - ann;
        const isIn = quotient > own * paid;
        const isOut = quotient < own * given;
        after[at] = isIn ? quotient / paid : isOut ? quotient / given : own;
        excess += Math.log(after[at]!);
        if (isIn || isOut) moving++;
      }
      if (excess > 0) high = log;
      else low = log;
      const next = log - excess / moving;
      if (Math.abs(next - log) < 1e-15 * Math.abs(log)) break;
      log = next > low && next < high ? next : (low + high) / 2;
    }
    return Math.exp(logK - sumOf(after.map(Math.log)));
  };

  const arbitrage = (prices: ReadonlyArray<number>, flows: number[]) => {
    const scaled = tokens.map((token, at) => prices[token]! / rates[at]!);
    const most = Math.min(...scaled) / ann;
    const growth = (lambda: number) => {
      const quotient = settle(scaled, lambda);
      const added = sumOf(after.map((balance, at) => balance - before[at]!));
      return ann * added - (quotient - quotientBefore);
    };
    const lambdaAt = (exponent: number) => most / (1 + Math.exp(exponent));
    let low = -EXPONENT_MAX;
    let high = EXPONENT_MAX;
    while (high - low > 1e-13 * (1 + Math.abs(low))) {
      const middle = (low + high) / 2;
      if (middle === low || middle === high) break;
      if (growth(lambdaAt(middle)) > 0) low = middle;
      else high = middle;
    }
    const lambda = lambdaAt(low);
    let worth = lambda * growth(lambda);
    for (const [at, token] of tokens.entries()) {
      const out = before[at]! - after[at]!;
      const flow = (out > 0 ? out * keep : out) / rates[at]!;
      flows[token]! += flow;
      worth += flow * prices[token]!;
    }
    return Math.max(worth, 0);
  };
  return { tokens, worths, arbitrage };
}

/** D, by Newton's method. */
function invariant(balances: ReadonlyArray<number>, ann: number): number {
  const count = balances.length;
  const sum = sumOf(balances);
  let d = sum;
  for (let round = 0; round < 255; round++) {
    let product = d;
    for (const balance of balances) product *= d / (balance * count);
    const next = ((ann * sum + product * count) * d) / ((ann - 1) * d + (count + 1) * product);
    if (Math.abs(next - d) <= 1e-16 * d) return next;
    d = next;
  }
  return d;
}

const sumOf = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, each) => sum + each, 0);
