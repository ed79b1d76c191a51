import { EMPTY_PIECE, ESTIMATE_ERROR, PIECE_STRIDE, REFUSED } from "@millrace/core";
import { budget, law, surely } from "@millrace/testing";
import { type FamilyPool, openPool, stablePool } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountAbout, pairOf, unevennessOf, unitsUneven } from "./solidlyPairs.ts";

type StablePool = Extract<FamilyPool, { family: "solidlyStable" }>;

const RUNS = budget(300);

/** A million of each. */
const balanced: StablePool = {
  family: "solidlyStable",
  address: `0x${"b0".repeat(20)}`,
  dexId: "STABLE",
  token0: `0x${"a0".repeat(20)}`,
  token1: `0x${"a1".repeat(20)}`,
  feePips: 500,
  decimals0: 6,
  decimals1: 18,
  reserve0: 10n ** 12n,
  reserve1: 10n ** 24n,
};

const anyPool = stablePool as fc.Arbitrary<StablePool>;

/** Skewed as far as 10^14 to one, of little: where roundings count most. */
const skewedPool: fc.Arbitrary<StablePool> = fc
  .record({
    more: fc.double({ min: -1, max: 10, noNaN: true }),
    less: fc.double({ min: -14, max: 0, noNaN: true }),
    isTurned: fc.boolean(),
    decimals: fc.constantFrom([18, 18] as const, [18, 24] as const, [24, 18] as const),
    feePips: fc.constantFrom(0, 500),
  })
  .map(({ more, less, isTurned, decimals: [decimals0, decimals1], feePips }) => {
    const tokens = isTurned ? [10 ** less, 10 ** more] : [10 ** more, 10 ** less];
    const [reserve0, reserve1] = [tokens[0]! * 10 ** decimals0, tokens[1]! * 10 ** decimals1];
    return {
      ...{ ...balanced, decimals0, decimals1, feePips },
      reserve0: BigInt(Math.ceil(reserve0)),
      reserve1: BigInt(Math.ceil(reserve1)),
    };
  });

function directed(pool: fc.Arbitrary<StablePool>, side: "reserveIn" | "reserveOut") {
  return fc.tuple(pool, fc.boolean()).chain(([drawn, zeroForOne]) => {
    const amount = amountAbout(pairOf(drawn, zeroForOne)[side]);
    return fc.tuple(fc.constant(drawn), fc.constant(zeroForOne), amount);
  });
}

/** The pool in a graph, one direction of it, and that direction's leading piece. */
function opened(pool: StablePool, zeroForOne: boolean) {
  const { family, index } = openPool(pool);
  const [from, to] = zeroForOne ? [0, 1] : [1, 0];
  const piece = new Float64Array(PIECE_STRIDE);
  family.leadingPiece(index, from, to, piece, 0);
  const [x, y, , bonus] = piece as unknown as [number, number, number, number];
  return { family, index, from, to, piece, rate: y / x, bonus };
}

describe("stable pools in a graph", () => {
  it("have estimates that no output exceeds where roundings count most", () => {
    let given = 0;
    fc.assert(
      fc.property(directed(skewedPool, "reserveIn"), ([pool, zeroForOne, amountIn]) => {
        const { family, index, from, to, rate, bonus } = opened(pool, zeroForOne);
        const amountOut = family.quoteExactIn(index, from, to, amountIn);
        if (amountOut <= 0n) return;
        const up = 1 + ESTIMATE_ERROR;
        const most = family.estimateExactIn(index, from, to, Number(amountIn)) * up;
        expect(most).toBeGreaterThanOrEqual(Number(amountOut));
        const byRate = rate * (Number(amountIn) + bonus) * up;
        expect(byRate).toBeGreaterThanOrEqual(Number(amountOut));
        const least = family.estimateExactOut(index, from, to, Number(amountOut));
        expect(least * (1 - ESTIMATE_ERROR)).toBeLessThanOrEqual(Number(amountIn));
        given++;
      }),
      law("solidly bounds of skewed pools", 300).options,
    );
    expect(given).toBeGreaterThanOrEqual(surely(RUNS / 10));
  });

  it("have estimates that are what comes out, but for roundings, in pools of more than dust", () => {
    let given = 0;
    fc.assert(
      fc.property(directed(anyPool, "reserveIn"), ([pool, zeroForOne, amountIn]) => {
        const pair = pairOf(pool, zeroForOne);
        if (unevennessOf(pair) > 10) return;
        const { family, index, from, to, rate, bonus } = opened(pool, zeroForOne);
        const amountOut = family.quoteExactIn(index, from, to, amountIn);
        if (amountOut === REFUSED) return;
        const estimate = family.estimateExactIn(index, from, to, Number(amountIn));
        const rounding = 1 + unitsUneven(pair) + 2 * rate * bonus;
        // Of tiny units in, a part of a unit out is taken as a part of any output.
        const raise = pair.multiplierIn > 10n ** 18n ? 64 / 63 : 1;
        const most = (Number(amountOut) + rounding) * raise * (1 + ESTIMATE_ERROR);
        expect(estimate).toBeLessThanOrEqual(most);
        given++;
      }),
      law("solidly tight estimates", 300).options,
    );
    expect(given).toBeGreaterThanOrEqual(surely(RUNS / 4));
  });

  it("estimate inputs whose estimated outputs are the wanted ones", () => {
    fc.assert(
      fc.property(directed(anyPool, "reserveOut"), ([pool, zeroForOne, amountOut]) => {
        const { family, index, from, to, rate, bonus } = opened(pool, zeroForOne);
        const amountIn = family.estimateExactOut(index, from, to, Number(amountOut));
        if (!Number.isFinite(amountIn) || amountIn === 0) return;
        const again = family.estimateExactIn(index, from, to, amountIn);
        const rounding = Number(amountOut) * 4 * ESTIMATE_ERROR + 2 * rate * bonus * ESTIMATE_ERROR;
        expect(Math.abs(again - Number(amountOut))).toBeLessThanOrEqual(rounding);
      }),
      law("solidly inverse estimates", 300).options,
    );
  });

  it("answer whatever float they are asked for with a number, or Infinity", () => {
    const wild = fc.oneof(
      fc.constantFrom(0, 1e-9, 1, 2 ** 128, 2 ** 256, Number.MAX_VALUE, Number.POSITIVE_INFINITY),
      fc.double({ min: -50, max: 0, noNaN: true }).map((exponent) => 1 - 2 ** exponent),
      fc.double({ min: -50, max: 0, noNaN: true }).map((exponent) => 1 + 2 ** exponent),
    );
    const cases = fc.tuple(fc.oneof(anyPool, skewedPool), fc.boolean(), wild);
    fc.assert(
      fc.property(cases, ([pool, zeroForOne, part]) => {
        const { family, index, from, to, piece } = opened(pool, zeroForOne);
        const { reserveIn, reserveOut } = pairOf(pool, zeroForOne);
        const answers = [
          family.estimateExactIn(index, from, to, Number(reserveIn) * part),
          family.estimateExactOut(index, from, to, Number(reserveOut) * part),
          family.midPrice(index, from, to),
          family.depth(index, from, to),
          ...piece,
        ];
        for (const answer of answers) expect(answer).toBeGreaterThanOrEqual(0);
      }),
      law("solidly wild floats", 300).options,
    );
  });

  it("give nothing of dust, whose k is all rounding, and nothing of a side that is empty", () => {
    const dust = { ...balanced, reserve0: 82n, reserve1: 22n * 10n ** 12n };
    const overflowing = { ...balanced, reserve0: 1n << 127n, reserve1: 1n << 127n };
    for (const pool of [dust, overflowing, { ...balanced, reserve0: 0n }]) {
      const { family, index, piece } = opened(pool, true);
      expect(family.quoteExactIn(index, 0, 1, 10n)).toBe(REFUSED);
      expect(family.quoteExactOut(index, 0, 1, 10n)).toBe(REFUSED);
      expect([...piece]).toEqual(EMPTY_PIECE);
      expect(family.capacityIn(index, 0, 1)).toBe(0);
      expect(family.tokenAmounts(index)).toEqual([pool.reserve0, pool.reserve1]);
    }
  });

  it("have a price of one in balance, by whole tokens, and a fee of both directions", () => {
    const { family, index } = openPool(balanced);
    expect(family.midPrice(index, 0, 1) / 1e12).toBeCloseTo(1, 12);
    expect(family.midPrice(index, 1, 0) * 1e12).toBeCloseTo(1, 12);
    expect([family.feePips(index, 0, 1), family.feePips(index, 1, 0)]).toEqual([500, 500]);
  });
});
