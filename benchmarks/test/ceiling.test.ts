import { law, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { Ceiling } from "../src/ceiling/Ceiling.ts";
import {
  type ConstantProductPool,
  constantProductPools,
} from "../src/ceiling/ConstantProductPool.ts";
import { SeededRandom } from "../src/SeededRandom.ts";
import { constantProductBlock, openBlock, splitQueries } from "../src/splits/queries.ts";
import { slowOptimum } from "./slowOptimum.ts";

/** Pairs that `splitQueries` has for a market. */
const PAIRS_MAX = 60;
/** Of which the slow search is known to come close to the top. */
const MARKETS_MAX = 100;

/** What a pool gives is y × a / (x + a), the fee in x. */
interface Curve {
  readonly x: number;
  readonly y: number;
}

const curveOf = ({ reserve0, reserve1, feePips }: ConstantProductPool): Curve => ({
  x: reserve0 / (1 - feePips / 1e6),
  y: reserve1,
});

const output = ({ x, y }: Curve, amount: number) => (y * amount) / (x + amount);

/** Two pools one after the other are a curve of the same kind. */
const chained = (first: Curve, second: Curve): Curve => ({
  x: (first.x * second.x) / (second.x + first.y),
  y: (first.y * second.y) / (second.x + first.y),
});

/** Side by side at one marginal price; all of them are in use at the amounts of these tests. */
function parallelOutput(curves: ReadonlyArray<Curve>, amount: number): number {
  const depth = curves.reduce((sum, { x }) => sum + x, amount);
  const root = curves.reduce((sum, { x, y }) => sum + Math.sqrt(x * y), 0) / depth;
  return curves.reduce((sum, curve) => {
    const part = Math.sqrt(curve.x * curve.y) / root - curve.x;
    expect(part).toBeGreaterThan(0);
    return sum + output(curve, part);
  }, 0);
}

const pool = (
  [token0, token1]: readonly [number, number],
  [reserve0, reserve1]: readonly [number, number],
  feePips = 3_000,
): ConstantProductPool => ({ token0, token1, reserve0, reserve1, feePips });

function expectCeiling(
  tokenCount: number,
  pools: ReadonlyArray<ConstantProductPool>,
  amount: number,
  expected: number,
  tolerance = 1e-10,
): void {
  const { upper, lower } = new Ceiling(tokenCount, pools).solve(0, tokenCount - 1, amount);
  expect(Math.abs(upper / expected - 1)).toBeLessThan(tolerance);
  expect(Math.abs(lower / expected - 1)).toBeLessThan(tolerance);
}

describe("the ceiling", () => {
  it("of one pool is what the pool gives, for dust and for far more than it holds", () => {
    const only = pool([0, 1], [5e24, 7e12]);
    for (const amount of [1e12, 5e22, 5e24, 5e27]) {
      expectCeiling(2, [only], amount, output(curveOf(only), amount));
    }
  });

  it("of two parallel pools is where their marginal prices meet", () => {
    const pools = [pool([0, 1], [1e21, 2.0e9]), pool([0, 1], [4e21, 8.02e9], 2_500)];
    expectCeiling(2, pools, 3e20, parallelOutput(pools.map(curveOf), 3e20));
  });

  it("leaves a parallel pool alone whose price is never reached", () => {
    const good = pool([0, 1], [1e21, 2e9]);
    const worse = pool([0, 1], [1e21, 1.992e9]);
    expectCeiling(2, [good, worse], 1e18, output(curveOf(good), 1e18));
  });

  it("of two hops is one output put into the other pool", () => {
    const pools = [pool([0, 1], [1e21, 3e9]), pool([1, 2], [8e9, 5e17], 500)];
    const [first, second] = pools.map(curveOf);
    expectCeiling(3, pools, 2e20, output(second!, output(first!, 2e20)));
  });

  it("of parallel chains is where the marginal prices of the chains meet", () => {
    const pools = [
      pool([0, 1], [1e21, 3e9]),
      pool([1, 3], [3e9, 2e15]),
      pool([0, 2], [5e20, 1e24]),
      pool([2, 3], [2e24, 2e15]),
    ];
    const [a, b, c, d] = pools.map(curveOf);
    const expected = parallelOutput([chained(a!, b!), chained(c!, d!)], 4e20);
    expectCeiling(4, pools, 4e20, expected);
  });

  it("of tokens that nothing links is nothing", () => {
    const pools = [pool([0, 1], [1e21, 3e9]), pool([2, 3], [3e9, 2e15])];
    const { upper, lower } = new Ceiling(4, pools).solve(0, 3, 1e20);
    expect(lower).toBe(0);
    expect(upper).toBeLessThan(1e-6);
  });

  it("is still a bound in a market with arbitrage in it", () => {
    const pools = [
      pool([0, 1], [1e21, 3e9]),
      pool([1, 2], [3e9, 2e15]),
      pool([2, 0], [2e15, 1.1e21]),
      pool([2, 3], [2e15, 5e8]),
    ];
    const [first, second, , last] = pools.map(curveOf);
    const { upper, lower } = new Ceiling(4, pools).solve(0, 3, 1e20);
    expect(upper).toBeGreaterThan(output(last!, output(second!, output(first!, 1e20))));
    expect(upper).toBeGreaterThanOrEqual(lower);
  });

  it("is what a slow search over all flows comes to, on tiny markets", () => {
    const cases = Math.min(law("ceilings: a slow search over all flows", 25).cases, MARKETS_MAX);
    const random = new SeededRandom(7);
    let met = 0;
    let split = 0;
    for (let round = 0; round < cases; round++) {
      const pools = tinyMarket(random);
      const amount = pools[0]!.reserve0 / 10 ** (random.below(50) / 10);
      const { upper, lower } = new Ceiling(5, pools).solve(0, 4, amount);
      expect(1 - lower / upper).toBeLessThan(1e-9);
      const slow = slowOptimum(5, pools, 0, 4, amount);
      expect(slow.output / upper).toBeLessThan(1 + 1e-9);
      // It moves between two pools at a time, and seldom rests a little below the top.
      expect(slow.output / upper).toBeGreaterThan(1 - 1e-4);
      if (slow.output / upper > 1 - 1e-7) met++;
      if (slow.edgesUsed > 4) split++;
    }
    expect(met).toBeGreaterThanOrEqual(0.9 * cases);
    expect(split).toBeGreaterThanOrEqual(surely(0.5 * cases));
  });

  it("is tight on a market of thousands of pools, and above every single path", () => {
    const market = openBlock(constantProductBlock(2_000));
    const ceiling = new Ceiling(market.graph.tokenCount, constantProductPools(market));
    const pairs = Math.min(law("ceilings: thousands of pools", 12).cases, PAIRS_MAX);
    for (const { tokenIn, tokenOut, amount } of splitQueries(market, pairs, "entered")) {
      const { upper, lower } = ceiling.solve(tokenIn, tokenOut, Number(amount));
      expect(1 - lower / upper).toBeLessThan(1e-6);
      const request = { tokenIn, tokenOut, kind: "exactIn", amount, maxHops: 3 } as const;
      const single = market.router.quote(request);
      const part = single.found ? Number(single.amountOut) / upper : 0;
      expect(part).toBeGreaterThan(0);
      expect(part).toBeLessThan(1 + 1e-9);
    }
  });
});

/** Five tokens, most pairs of them with a pool, at prices that agree up to the fees. */
function tinyMarket(random: SeededRandom): ReadonlyArray<ConstantProductPool> {
  const prices = Array.from({ length: 5 }, () => 10 ** random.below(12));
  const pools: ConstantProductPool[] = [];
  for (let token0 = 0; token0 < 5; token0++) {
    for (let token1 = token0 + 1; token1 < 5; token1++) {
      const isLink = token1 === token0 + 1; // all tokens hang together
      if (!isLink && random.below(10) < 3) continue;
      const value = 10 ** (random.below(20) / 10 + 30);
      const stray = 1 + (random.below(100) - 50) / 20_000;
      const reserves = [value / prices[token0]!, (stray * value) / prices[token1]!] as const;
      pools.push(pool([token0, token1], reserves));
    }
  }
  return pools;
}
