import { EMPTY_PIECE, ESTIMATE_ERROR, PIECE_STRIDE, REFUSED } from "@millrace/core";
import { DIVIDES_EACH_PLUS_ONE, FEE_OF_UNITS } from "@millrace/protocols";
import { budget, law, surely } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amountAbout,
  openStableSwap,
  sound,
  stableSwapPool,
  type TestStableSwap,
} from "./stableSwapPools.ts";

const E10 = 10n ** 10n;
const E18 = 10n ** 18n;
const UP = 1 + ESTIMATE_ERROR;
/** For the cases of a long run, on a machine that does other things too. */
const LONG_MS = 900_000;
/** Of the estimates' own allowances for floats. */
const LOOSE = 1 + 2 ** -33;

function cases(side: "in" | "out") {
  return stableSwapPool.chain((pool) => {
    const [from, to] = pool.pair;
    return fc.tuple(fc.constant(pool), amountAbout(pool.balances[side === "in" ? from : to]!));
  });
}

/** The pool in a graph, the direction of its pair, and that direction's leading piece. */
function opened(pool: TestStableSwap) {
  const { family, index, open } = openStableSwap(pool);
  const [from, to] = pool.pair;
  const piece = new Float64Array(PIECE_STRIDE);
  family.leadingPiece(index, from, to, piece, 0);
  const [x, y, , bonus] = piece as unknown as [number, number, number, number];
  return { open, family, index, from, to, piece, rate: y / x, bonus };
}

/** What the contract's roundings of input, balance that is left, fee and output may cost. */
function roundingOf(pool: TestStableSwap, rate: number, bonus: number): number {
  const { balances, rates, rules } = pool;
  const [from, to] = pool.pair;
  const units = (Number(E18) / Number(rates[to])) * 64;
  const unitIn = Math.max(1, Number(E18) / Number(rates[from]));
  return 2 + units + 2 * rate * (bonus + unitIn) + Number(balances[to]) * lostToOnes();

  /** The part of a balance that the product's 1 beside each balance may cost. */
  function lostToOnes(): number {
    if ((rules & DIVIDES_EACH_PLUS_ONE) === 0) return 0;
    const scaled = balances.map((balance, k) => (Number(balance) * Number(rates[k])) / 1e18);
    return scaled.reduce((sum, each) => sum + 1 / (each * scaled.length), 0);
  }
}

describe("StableSwap pools in a graph", () => {
  it(
    "have estimates that no output exceeds, and no input falls short of",
    () => {
      let given = 0;
      fc.assert(
        fc.property(cases("in"), ([pool, amountIn]) => {
          const { family, index, from, to, rate, bonus } = opened(pool);
          const amountOut = family.quoteExactIn(index, from, to, amountIn);
          if (amountOut <= 0n) return;
          const most = family.estimateExactIn(index, from, to, Number(amountIn)) * UP;
          expect(most).toBeGreaterThanOrEqual(Number(amountOut));
          const byRate = rate * (Number(amountIn) + bonus) * UP;
          expect(byRate).toBeGreaterThanOrEqual(Number(amountOut));
          const least = family.estimateExactOut(index, from, to, Number(amountOut));
          expect(least * (1 - ESTIMATE_ERROR)).toBeLessThanOrEqual(Number(amountIn));
          expect(family.capacityIn(index, from, to)).toBeGreaterThanOrEqual(Number(amountIn));
          given++;
        }),
        law("stable swap bounds", 2_000).options,
      );
      expect(given).toBeGreaterThanOrEqual(surely(budget(2_000) / 3));
    },
    LONG_MS,
  );

  it("have estimates that are what comes out, but for roundings, where the fee stays", () => {
    let given = 0;
    fc.assert(
      fc.property(cases("in"), ([drawn, amountIn]) => {
        // A fee of whole units is no part of the formula.
        const pool = { ...drawn, offpegFeeMultiplier: 0n, rules: drawn.rules & ~FEE_OF_UNITS };
        const { family, index, from, to, rate, bonus } = opened(pool);
        const amountOut = family.quoteExactIn(index, from, to, amountIn);
        if (amountOut === REFUSED) return;
        const estimate = family.estimateExactIn(index, from, to, Number(amountIn));
        const rounding = roundingOf(pool, rate, bonus);
        expect(estimate).toBeLessThanOrEqual((Number(amountOut) + rounding) * LOOSE);
        given++;
      }),
      law("stable swap estimates are tight", 800).options,
    );
    expect(given).toBeGreaterThanOrEqual(surely(budget(800) / 3));
  });

  it("estimate too much by no more than the fee may rise, where it depends on balances", () => {
    fc.assert(
      fc.property(cases("in"), ([pool, amountIn]) => {
        const { family, index, from, to, rate, bonus } = opened(pool);
        const amountOut = family.quoteExactIn(index, from, to, amountIn);
        if (amountOut === REFUSED || pool.offpegFeeMultiplier <= E10) return;
        const estimate = family.estimateExactIn(index, from, to, Number(amountIn));
        const highest = Number(pool.offpegFeeMultiplier * pool.fee) / 1e20;
        const rounding = roundingOf(pool, rate, bonus);
        // What is paid is rounded down behind the fee, which may be nearly all.
        const most = ((Number(amountOut) + 1) / (1 - highest) + rounding) * LOOSE;
        expect(estimate).toBeLessThanOrEqual(most);
      }),
      law("stable swap estimates of dynamic fees", 800).options,
    );
  });

  it("estimate inputs whose estimated outputs are the wanted ones, of half a balance at most", () => {
    fc.assert(
      fc.property(cases("out"), ([pool, drawn]) => {
        const { family, index, from, to } = opened(pool);
        const amountOut = Number(drawn % (pool.balances[to]! / 2n + 1n));
        const amountIn = family.estimateExactOut(index, from, to, amountOut);
        if (!Number.isFinite(amountIn) || amountIn === 0) return;
        const again = family.estimateExactIn(index, from, to, amountIn);
        expect(Math.abs(again - amountOut)).toBeLessThanOrEqual(amountOut * 2 ** -30);
      }),
      law("stable swap inverse estimates", 500).options,
    );
  });

  it("answer whatever float they are asked for with a number, or Infinity", () => {
    const wild = fc.oneof(
      fc.constantFrom(0, 1e-9, 1, 2 ** 128, 2 ** 256, Number.MAX_VALUE, Number.POSITIVE_INFINITY),
      fc.double({ min: -50, max: 0, noNaN: true }).map((exponent) => 1 - 2 ** exponent),
      fc.double({ min: -50, max: 0, noNaN: true }).map((exponent) => 1 + 2 ** exponent),
    );
    fc.assert(
      fc.property(stableSwapPool, wild, (pool, part) => {
        const { family, index, from, to, piece } = opened(pool);
        const middle = new Float64Array(5);
        family.pieceAt(index, from, to, Number(pool.balances[from]) * part, middle, 0);
        const answers = [
          family.estimateExactIn(index, from, to, Number(pool.balances[from]) * part),
          family.estimateExactOut(index, from, to, Number(pool.balances[to]) * part),
          family.midPrice(index, from, to),
          family.depth(index, from, to),
          ...piece,
          ...middle,
        ];
        for (const answer of answers) expect(answer).toBeGreaterThanOrEqual(0);
      }),
      law("stable swap wild floats", 300).options,
    );
  });

  it("give nothing of a token that is all but gone, and something of the others", () => {
    const [first, , third] = sound.balances as [bigint, bigint, bigint];
    const { family, index } = openStableSwap({ ...sound, balances: [first, 2n, third] });
    expect(family.quoteExactIn(index, 0, 1, 10n ** 18n)).toBe(REFUSED);
    expect(family.quoteExactOut(index, 0, 1, 1n)).toBe(REFUSED);
    const piece = new Float64Array(PIECE_STRIDE);
    family.leadingPiece(index, 0, 1, piece, 0);
    expect([...piece]).toEqual(EMPTY_PIECE);
    expect(family.capacityIn(index, 0, 1)).toBe(0);
    expect(family.quoteExactIn(index, 0, 2, 10n ** 18n)).toBeGreaterThan(9n * 10n ** 17n);
    expect(family.quoteExactIn(index, 1, 2, 10n ** 6n)).toBeGreaterThan(10n ** 18n);
  });

  it("tell the fee of a direction now, and a price of one in balance", () => {
    const { family, index } = openStableSwap(sound);
    expect(family.feePips(index, 0, 2)).toBe(400);
    expect(family.midPrice(index, 0, 2)).toBeCloseTo(1, 12);
    expect(family.midPrice(index, 0, 1) * 1e12).toBeCloseTo(1, 12);
    const drained = openStableSwap({
      ...sound,
      balances: [E18 * 10n ** 6n, 10n ** 12n, E18 * 10n ** 5n],
    });
    const fee = drained.family.feePips(drained.index, 0, 2);
    // 4·a·b/(a + b)² is 40/121.
    expect(fee).toBeCloseTo((2 * 400) / (40 / 121 + 1), 3);
    expect(drained.family.feePips(drained.index, 2, 0)).toBe(fee);
  });

  it("hold what they are said to, with all else as it was", () => {
    const { family, index } = openStableSwap(sound);
    const { words } = family.stateHolding!(index, [1n, 2n, 3n]);
    expect([words[0], words[2], words[4]]).toEqual([1n, 2n, 3n]);
    expect(words.slice(6)).toEqual(openStableSwap(sound).open.graph.stateWords.slice(6, 16));
    expect(() => family.stateHolding!(index, [-1n, 2n, 3n])).toThrow(RangeError);
    expect(() => family.stateHolding!(index, [1n << 128n, 2n, 3n])).toThrow(RangeError);
  });
});
