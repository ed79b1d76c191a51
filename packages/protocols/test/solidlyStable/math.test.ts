import { REFUSED } from "@millrace/core";
import { budget, law, surely } from "@millrace/testing";
import { type SolidlyPool, solidlyPool, swapSolidlyStable } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type SolidlyPair,
  solidlyAmountIn,
  solidlyAmountOut,
  solidlyFee,
  solidlyInvariant,
} from "../../src/curves/solidlyStable/math.ts";
import { amountAbout, pairOf, unevennessOf, unitsUneven } from "./solidlyPairs.ts";

const RUNS = budget(300);
const E18 = 10n ** 18n;

/** A million of each. */
const BALANCED: SolidlyPool = {
  reserve0: 10n ** 12n,
  reserve1: 10n ** 24n,
  decimals0: 6,
  decimals1: 18,
  feePips: 500,
};

type Holds = (pair: SolidlyPair, amount: bigint, pool: SolidlyPool) => void;

/** Runs a law on random pools, in both directions, with amounts about the reserve `of`. */
function always(name: string, of: "reserveIn" | "reserveOut", holds: Holds): void {
  const cases = fc.tuple(solidlyPool, fc.boolean()).chain(([pool, zeroForOne]) => {
    const pair = pairOf(pool, zeroForOne);
    return fc.tuple(fc.constant(pair), amountAbout(pair[of]), fc.constant(pool));
  });
  fc.assert(
    fc.property(cases, (values) => holds(...values)),
    law(name, 300).options,
  );
}

/** Whether the contract reverts for some of the inputs that are less. */
function revertsBelow(pair: SolidlyPair, amountIn: bigint): boolean {
  const parts = Array.from({ length: 20 }, (_, at) => (amountIn * BigInt(at + 1)) / 21n);
  return parts.some((less) => less > 0n && solidlyAmountOut(pair, less) === REFUSED);
}

describe("exact swaps of stable pools", () => {
  it("give for an input what the contract would, or refuse as it does", () => {
    let given = 0;
    always("solidly exact input", "reserveIn", (pair, amountIn, pool) => {
      const amountOut = solidlyAmountOut(pair, amountIn);
      const swap = swapSolidlyStable(pool, pair.zeroForOne, "exactIn", amountIn);
      expect(amountOut).toBe(swap?.amountOut ?? REFUSED);
      if (amountOut > 0n) given++;
    });
    expect(given).toBeGreaterThanOrEqual(surely(RUNS / 4));
  });

  it("ask for an output what the reference finds", () => {
    let asked = 0;
    always("solidly exact output", "reserveOut", (pair, amountOut, pool) => {
      const amountIn = solidlyAmountIn(pair, amountOut);
      const swap = swapSolidlyStable(pool, pair.zeroForOne, "exactOut", amountOut);
      expect(amountIn).toBe(swap?.amountIn ?? REFUSED);
      if (amountIn !== REFUSED) asked++;
    });
    expect(asked).toBeGreaterThanOrEqual(surely(RUNS / 4));
  });

  it("ask for an input that gives the output, where one unit less does not", () => {
    always("solidly asked input", "reserveOut", (pair, amountOut) => {
      const amountIn = solidlyAmountIn(pair, amountOut);
      if (amountIn === REFUSED) return;
      expect(solidlyAmountOut(pair, amountIn)).toBeGreaterThanOrEqual(amountOut);
      if (amountIn > 1n) expect(solidlyAmountOut(pair, amountIn - 1n)).toBeLessThan(amountOut);
    });
  });

  it("ask for no more than an input that gave as much, in pools of more than dust", () => {
    let asked = 0;
    always("solidly least input", "reserveIn", (pair, amountIn) => {
      const amountOut = solidlyAmountOut(pair, amountIn);
      if (amountOut <= 0n || unevennessOf(pair) > 10 || revertsBelow(pair, amountIn)) return;
      const least = solidlyAmountIn(pair, amountOut);
      expect(least).toBeGreaterThanOrEqual(1n);
      expect(least).toBeLessThanOrEqual(amountIn);
      for (let less = 1n; less <= 30n && less < least; less++) {
        expect(solidlyAmountOut(pair, least - less)).toBeLessThan(amountOut);
      }
      asked++;
    });
    expect(asked).toBeGreaterThanOrEqual(surely(RUNS / 4));
  });

  it("ask for an input that gives the output where whole stretches of inputs revert", () => {
    const pool: SolidlyPool = {
      ...{ decimals0: 8, decimals1: 18, feePips: 3_000 },
      ...{ reserve0: 99999999999999177n, reserve1: 999999999999991774559020996n },
    };
    const pair = pairOf(pool, false);
    const inputs = [0n, 10n ** 6n, 10n ** 9n, 10n ** 11n].map((more) => 140737488355328n + more);
    const given = inputs.map((amountIn) => solidlyAmountOut(pair, amountIn));
    expect(given).toEqual([14_031n, REFUSED, 14_031n, REFUSED]);
    for (const wanted of [1n, 14_030n, 14_031n, 14_032n, 10n ** 10n]) {
      const amountIn = solidlyAmountIn(pair, wanted);
      expect(solidlyAmountOut(pair, amountIn)).toBeGreaterThanOrEqual(wanted);
      expect(solidlyAmountOut(pair, amountIn - 1n)).toBeLessThan(wanted);
      expect(swapSolidlyStable(pool, false, "exactOut", wanted)?.amountIn).toBe(amountIn);
    }
  });

  it("ask for the least input of all, where all can be tried", () => {
    const cases = fc.record({
      decimals: fc.constantFrom(
        [0, 18] as const,
        [0, 6] as const,
        [2, 2] as const,
        [2, 18] as const,
      ),
      reserve0: fc.bigInt(100n, 2_000n),
      tokens1: fc.integer({ min: 10, max: 10_000 }),
      feePips: fc.constantFrom(0, 500, 3_000),
      part: fc.double({ min: 0, max: 0.9, noNaN: true }),
    });
    const holds = fc.property(cases, ({ decimals, reserve0, tokens1, feePips, part }) => {
      const [decimals0, decimals1] = decimals;
      const reserve1 = BigInt(tokens1) * 10n ** BigInt(decimals1);
      const pair = pairOf({ decimals0, decimals1, feePips, reserve0, reserve1 }, true);
      const amountOut = (reserve1 * BigInt(Math.floor(part * 2 ** 30))) >> 30n;
      if (amountOut === 0n || unevennessOf(pair) > 10) return;
      let least = 1n;
      while (solidlyAmountOut(pair, least) < amountOut && least < 10_000n) least++;
      if (least < 10_000n) expect(solidlyAmountIn(pair, amountOut)).toBe(least);
    });
    fc.assert(holds, law("solidly least of all inputs", 30).options);
  });

  it("give less for more by no more than the unevenness says", () => {
    always("solidly unevenness", "reserveIn", (pair, amountIn) => {
      const allowed = unitsUneven(pair);
      let most = 0n;
      const stride = pair.multiplierIn > E18 ? pair.multiplierIn / E18 : 1n;
      for (let tried = 0n; tried < 20n; tried++) {
        const amountOut = solidlyAmountOut(pair, amountIn + tried * stride);
        if (amountOut === REFUSED) continue;
        expect(Number(most - amountOut)).toBeLessThanOrEqual(allowed);
        if (amountOut > most) most = amountOut;
      }
    });
  });

  it("leave an invariant that is no less, which is what the contract's swap asks", () => {
    always("solidly invariant", "reserveIn", (pair, amountIn) => {
      const amountOut = solidlyAmountOut(pair, amountIn);
      if (amountOut <= 0n) return;
      const reserveIn = pair.reserveIn + amountIn - solidlyFee(amountIn, pair.feePips);
      const after = { ...pair, reserveIn, reserveOut: pair.reserveOut - amountOut };
      if (solidlyInvariant(after) === REFUSED) return;
      expect(solidlyInvariant(after)).toBeGreaterThanOrEqual(solidlyInvariant(pair));
      expect(amountOut).toBeLessThan(pair.reserveOut);
    });
  });

  it("refuse what getAmountOut answers where swap does not take it for the input", () => {
    const cases = [
      [1_239_370_786n, 563_978_502_869_694_048_894_977n, 10, 21, 500, 212_260_745n],
      [61_321_941_435n, 294_827_259_855_375_207_235_585n, 16, 18, 0, 309_094_931_823n],
      [16_374n, 197_009_706_271_306_481_665n, 8, 18, 0, 259_030n],
    ] as const;
    for (const [reserve0, reserve1, decimals0, decimals1, feePips, amountIn] of cases) {
      const pool = { reserve0, reserve1, decimals0, decimals1, feePips };
      expect(swapSolidlyStable(pool, true, "exactIn", amountIn)).toBe(undefined);
      expect(solidlyAmountOut(pairOf(pool, true), amountIn)).toBe(REFUSED);
    }
  });

  it("refuse or answer whatever amount is asked of whatever pool, and never throw", () => {
    const any = fc.oneof(
      fc.constantFrom(0n, 1n, 2n, 1n << 128n, 1n << 255n, (1n << 256n) - 1n),
      fc.bigInt(0n, (1n << 128n) - 1n),
    );
    const reserve = fc
      .oneof(any, fc.constant((1n << 128n) - 1n))
      .map((wide) => wide % (1n << 128n));
    const decimals = fc.integer({ min: 0, max: 77 });
    const cases = fc.tuple(
      fc.record({
        reserve0: reserve,
        reserve1: reserve,
        decimals0: decimals,
        decimals1: decimals,
        feePips: fc.constantFrom(0, 500, 30_000, 999_900),
      }),
      fc.boolean(),
      any,
    );
    fc.assert(
      fc.property(cases, ([pool, zeroForOne, amount]) => {
        const pair = pairOf(pool, zeroForOne);
        const amountOut = solidlyAmountOut(pair, amount);
        const amountIn = amount === 0n ? REFUSED : solidlyAmountIn(pair, amount);
        expect(amountOut).toBeGreaterThanOrEqual(REFUSED);
        expect(amountIn).toBeGreaterThanOrEqual(REFUSED);
        if (pool.reserve0 > 0n && pool.reserve1 > 0n) return;
        expect([amountOut, amountIn]).toEqual([REFUSED, REFUSED]);
      }),
      law("solidly extremes", 300).options,
    );
  });

  it("refuse 2^128, and quote nothing, a unit, 30 %, all and seven times of a balance", () => {
    const pair = pairOf(BALANCED, true);
    const amounts = [0n, 1n, 3n * 10n ** 11n, 10n ** 12n, 7n * 10n ** 12n, 1n << 128n];
    expect(amounts.map((amountIn) => solidlyAmountOut(pair, amountIn))).toEqual([
      0n,
      999999999999n,
      295924462452756573870039n,
      753556191373736562084261n,
      996088619493333445116518n,
      REFUSED,
    ]);
  });
});
