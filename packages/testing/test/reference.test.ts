import { law, surely } from "@millrace/testing";
import {
  type ConstantProductPool,
  exactSwap,
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  limitsOf,
  MAX_SQRT_RATIO,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
  poolOf,
  readMarket,
  swapConcentrated,
  swapConstantProduct,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("the reference that judges the engine", () => {
  it("has the contract's ends of the price range", () => {
    expect(getSqrtRatioAtTick(MIN_TICK)).toBe(MIN_SQRT_RATIO);
    expect(getSqrtRatioAtTick(MAX_TICK)).toBe(MAX_SQRT_RATIO);
    expect(getSqrtRatioAtTick(0)).toBe(1n << 96n);
    expect(getTickAtSqrtRatio(MAX_SQRT_RATIO - 1n)).toBe(MAX_TICK - 1);
  });

  it("has √1.0001^tick within a 2^-32nd part at every power of two", () => {
    for (let bit = 0; bit < 20; bit++) {
      for (const tick of [2 ** bit, -(2 ** bit)].filter((tick) => Math.abs(tick) <= MAX_TICK)) {
        const ratio = Number(getSqrtRatioAtTick(tick)) / 2 ** 96;
        const exact = Math.exp((tick * Math.log(1.0001)) / 2);
        // Q64.96 keeps at least 32 significant bits at the lowest price.
        expect(Math.abs(ratio / exact - 1)).toBeLessThan(2 ** -31);
      }
    }
  });

  it("asks for the least input that reaches an output", () => {
    const dustPool = fc.record({
      feePips: fc.constantFrom(0, 3000, 10_000, 500_000),
      rule: fc.constantFrom("feeInside" as const, "feeFirst" as const),
      reserve0: fc.bigInt({ min: 1n, max: 60n }),
      reserve1: fc.bigInt({ min: 2n, max: 60n }),
    });
    fc.assert(
      fc.property(
        dustPool,
        fc.bigInt({ min: 1n, max: 59n }),
        (pool: ConstantProductPool, wanted) => {
          const asked = swapConstantProduct(pool, true, "exactOut", wanted)?.amountIn;
          if (wanted >= pool.reserve1) {
            expect(asked).toBe(undefined);
            return;
          }
          let least = 1n;
          while (swapConstantProduct(pool, true, "exactIn", least)!.amountOut < wanted) least++;
          expect(asked).toBe(least);
        },
      ),
      law("reference: least input for an output", 300).options,
    );
  });

  it("gives the same fast, with steps worked out once, as slowly, step by step", () => {
    const swapOfPool = poolOf("concentratedLiquidity", 0, 0, 1).chain((pool) => {
      const limits = [...limitsOf(pool, true), ...limitsOf(pool, false)];
      const near = fc.constantFrom(...limits).chain((limit) => fc.bigInt(limit - 2n, limit + 2n));
      const amount = fc.oneof(fc.bigInt(1n, 50n), fc.bigInt(1n, 10n ** 24n), near);
      return fc.tuple(fc.constant(pool), fc.boolean(), fc.boolean(), amount);
    });
    fc.assert(
      fc.property(swapOfPool, ([pool, zeroForOne, forward, amount]) => {
        if (pool.family !== "concentratedLiquidity" || amount < 1n) return;
        const kind = forward ? "exactIn" : "exactOut";
        const slow = swapConcentrated(pool, zeroForOne, kind, amount);
        const fast = exactSwap(pool, zeroForOne)(kind, amount);
        expect(fast).toEqual(slow && { in: slow.amountIn, out: slow.amountOut });
      }),
      law("reference: fast as slowly", 60).options,
    );
  });

  it("gives the same fast as slowly on the concentrated pools of universe a", () => {
    let filled = 0;
    const pools = readMarket("ethereum-2026-03/universe-a.json").pools.flatMap((pool) =>
      pool.family === "concentratedLiquidity" ? [pool] : [],
    );
    const swaps = law("reference: fast as slowly on universe a", 250);
    for (const [, random] of swaps.sources()) {
      const [pool, zeroForOne] = [random.pick(pools), random.chance(0.5)];
      const amount = random.pick([1n, 10n ** 6n, 10n ** 18n, 10n ** 22n]);
      const kind = amount === 10n ** 6n ? "exactOut" : "exactIn";
      const slow = swapConcentrated(pool, zeroForOne, kind, amount);
      if (slow) filled++;
      const fast = exactSwap(pool, zeroForOne)(kind, amount);
      expect(fast).toEqual(slow && { in: slow.amountIn, out: slow.amountOut });
    }
    expect(filled).toBeGreaterThanOrEqual(surely(0.5 * swaps.cases));
  });
});
