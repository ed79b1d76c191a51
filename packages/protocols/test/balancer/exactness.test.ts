import { ESTIMATE_ERROR, PIECE_STRIDE, REFUSED } from "@millrace/core";
import { law, surely } from "@millrace/testing";
import {
  type BalancerPool,
  drawBalancerPool,
  encodeBalancer,
  openBalancerPool,
  swapBalancer,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { drawAmount } from "./drawAmount.ts";

/** With 2,100 states, twelve times as many make 100,800 of states and amounts: a long run's. */
const AMOUNTS_A_POOL = 4;
const CURVES = [
  { name: "weighted", tokensMax: 8 },
  { name: "stable", tokensMax: 6 },
] as const;

describe.each(CURVES)("Balancer's $name pools of two to $tokensMax tokens", (curve) => {
  it("answer what the contracts would, leave what they leave, and estimate no less", () => {
    const drawn = law(`Balancer ${curve.name} swaps`, 2_100);
    const piece = new Float64Array(PIECE_STRIDE);
    let given = 0;
    for (const [, random] of drawn.sources()) {
      const pool = drawBalancerPool(random, curve.name, random.between(2, curve.tokensMax));
      const { family, index } = openBalancerPool(pool);
      for (let count = 0; count < AMOUNTS_A_POOL; count++) {
        const [from, to] = random.shuffled([...pool.tokens.keys()]) as [number, number];
        const isIn = random.chance(0.5);
        const amount = drawAmount(random, pool, isIn ? from : to);
        const truth = swapBalancer(pool, from, to, isIn ? "exactIn" : "exactOut", amount);
        const swap = (isIn ? family.swapExactIn : family.swapExactOut)(index, from, to, amount);
        const quoted = (isIn ? family.quoteExactIn : family.quoteExactOut)(index, from, to, amount);
        expect(quoted).toBe((isIn ? truth?.amountOut : truth?.amountIn) ?? REFUSED);
        if (truth === undefined || truth.amountOut === 0n) {
          expect(swap).toBeUndefined();
          continue;
        }
        const { amountIn, amountOut, after } = truth;
        expect(swap).toEqual({ pool: index, amountIn, amountOut, state: encodeBalancer(after) });
        given++;
        if (isIn) {
          const estimate = family.estimateExactIn(index, from, to, Number(amountIn));
          expect(estimate * (1 + ESTIMATE_ERROR)).toBeGreaterThanOrEqual(Number(amountOut));
          expect(family.capacityIn(index, from, to)).toBeGreaterThanOrEqual(Number(amountIn));
          family.leadingPiece(index, from, to, piece, 0);
          const [x, y, , bonus] = piece as unknown as [number, number, number, number];
          const atFirstRate = (y / x) * (Number(amountIn) + bonus) * (1 + ESTIMATE_ERROR);
          expect(atFirstRate).toBeGreaterThanOrEqual(Number(amountOut));
        } else {
          const estimate = family.estimateExactOut(index, from, to, Number(amountOut));
          expect(estimate * (1 - ESTIMATE_ERROR)).toBeLessThanOrEqual(Number(amountIn));
        }
      }
    }
    expect(given).toBeGreaterThanOrEqual(surely((drawn.cases * AMOUNTS_A_POOL) / 4));
  });
});

describe("a stable pool of V2 with hardly any room for more of a token", () => {
  it("estimates the little that it takes", () => {
    const pool: BalancerPool = {
      address: `0x${"b0".repeat(20)}`,
      tokens: [`0x${"a0".repeat(20)}`, `0x${"a1".repeat(20)}`],
      vault: 2,
      // As floats, the first balance and 2^112 are equal.
      balances: [2n ** 112n - 2_046_928_150_985n, 2n ** 111n],
      decimalScalingFactors: [1n, 1n],
      rates: [10n ** 18n, 10n ** 18n],
      fee: 10n ** 12n,
      aggregateFee: 0n,
      isPaused: false,
      math: {
        ...{ name: "stable", amp: 2_138_733n, isFirstFormula: false, isBounded: false },
        ...{ bptIndex: undefined, surge: undefined },
      },
    };
    const { family, index } = openBalancerPool(pool);
    const amountIn = 2_000_000_000_000n;
    const amountOut = swapBalancer(pool, 0, 1, "exactIn", amountIn)!.amountOut;
    expect(amountOut).toBeGreaterThan(0n);
    expect(family.quoteExactIn(index, 0, 1, amountIn)).toBe(amountOut);
    expect(family.capacityIn(index, 0, 1)).toBeGreaterThanOrEqual(Number(amountIn));
    const estimate = family.estimateExactIn(index, 0, 1, Number(amountIn));
    expect(estimate * (1 + ESTIMATE_ERROR)).toBeGreaterThanOrEqual(Number(amountOut));
  });
});
