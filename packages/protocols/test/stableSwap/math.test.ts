import { REFUSED } from "@millrace/core";
import { budget, law, surely } from "@millrace/testing";
import {
  exchangeStableSwap,
  mostStableSwapTakes,
  swapStableSwap,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stableSwapInput } from "../../src/curves/stableSwap/exactOutput.ts";
import { E10, stableSwapMarket } from "../../src/curves/stableSwap/market.ts";
import { balancesAfter, leftOf, stableSwapExchange } from "../../src/curves/stableSwap/math.ts";
import { amountAbout, stableSwapPool, type TestStableSwap } from "./stableSwapPools.ts";

/** For the cases of a long run, on a machine that does other things too. */
const LONG_MS = 900_000;

/** Pools with an amount that matters to one side of a swap. */
function cases(side: "in" | "out") {
  return stableSwapPool.chain((pool) => {
    const [from, to] = pool.pair;
    return fc.tuple(fc.constant(pool), amountAbout(pool.balances[side === "in" ? from : to]!));
  });
}

function quoteIn(pool: TestStableSwap, amountIn: bigint): bigint {
  const output = stableSwapExchange(stableSwapMarket(pool), ...pool.pair, amountIn);
  return output?.amountOut ?? REFUSED;
}

describe("StableSwap pools of two to eight tokens, against their Vyper sources", () => {
  // A hundred thousand cases in a long run.
  it(
    "give what `exchange` gives, refuse where it reverts, and leave the balances it leaves",
    () => {
      const count = 8_500;
      let given = 0;
      fc.assert(
        fc.property(cases("in"), ([pool, amountIn]) => {
          const [i, j] = pool.pair;
          const truth = swapStableSwap(pool, { i, j }, "exactIn", amountIn);
          const output = stableSwapExchange(stableSwapMarket(pool), i, j, amountIn);
          expect(output?.amountOut).toBe(truth?.amountOut);
          if (output === undefined) return;
          expect(balancesAfter(pool, i, j, amountIn, output)).toEqual(truth!.after.balances);
          given++;
        }),
        law("stable swaps", count).options,
      );
      expect(given).toBeGreaterThanOrEqual(surely(budget(count) / 2));
    },
    LONG_MS,
  );

  it(
    "ask for the least input that gives an output",
    () => {
      let asked = 0;
      fc.assert(
        fc.property(cases("out"), ([pool, amountOut]) => {
          const [i, j] = pool.pair;
          const amountIn = stableSwapInput(stableSwapMarket(pool), i, j, amountOut);
          const truth = swapStableSwap(pool, { i, j }, "exactOut", amountOut);
          expect(amountIn).toBe(truth?.amountIn ?? REFUSED);
          if (amountIn === REFUSED) return;
          expect(quoteIn(pool, amountIn)).toBeGreaterThanOrEqual(amountOut);
          for (let less = 1n; less <= 8n && less < amountIn; less++) {
            expect(quoteIn(pool, amountIn - less)).toBeLessThan(amountOut);
          }
          asked++;
        }),
        law("stable swaps of exact outputs", 150).options,
      );
      expect(asked).toBeGreaterThanOrEqual(surely(budget(150) / 4));
    },
    LONG_MS,
  );

  it("ask for the least input of all, where all can be tried", () => {
    let asked = 0;
    fc.assert(
      fc.property(stableSwapPool, fc.integer({ min: 1, max: 400 }), (drawn, units) => {
        // An input of so few decimals that a thousand units are a part of the pool.
        const [i, j] = drawn.pair;
        const rates = drawn.rates.map((rate, at) => (at === i ? 10n ** 36n : rate));
        const worth = (drawn.balances[i]! * drawn.rates[i]!) / 10n ** 36n;
        const balances = drawn.balances.map((balance, at) => (at === i ? worth : balance));
        if (worth === 0n || worth > 2_000n) return;
        const pool = { ...drawn, rates, balances };
        const amountOut = quoteIn(pool, BigInt(units));
        if (amountOut <= 0n) return;
        let least = 1n;
        while (quoteIn(pool, least) < amountOut) least++;
        const amountIn = stableSwapInput(stableSwapMarket(pool), i, j, amountOut);
        if (amountIn === REFUSED) return;
        expect(amountIn).toBe(least);
        asked++;
      }),
      law("stable swaps of all inputs", 400).options,
    );
    expect(asked).toBeGreaterThanOrEqual(surely(budget(400) / 50));
  });

  // The search for the input at which the fee rises went past the last one that fits.
  it("ask for the least input of all that a pool gives which is full before its fee rises", () => {
    const pool: TestStableSwap = {
      address: `0x${"b0".repeat(20)}`,
      pair: [1, 0],
      rates: [10n ** 30n, 10n ** 30n, 10n ** 36n],
      balances: [65102862898660831322n, 41077129492597160340n, 41077129492597n],
      ...{ amp: 200_000n, aPrecision: 100n, fee: 500_000n, adminFee: 0n, rules: 18 },
      offpegFeeMultiplier: 1_272_590_589_796n,
    };
    const most = mostStableSwapTakes(pool, { i: 1 });
    const all = quoteIn(pool, most);
    expect(quoteIn(pool, most + 1n)).toBe(REFUSED);
    const leastFor = (amountOut: bigint) =>
      stableSwapInput(stableSwapMarket(pool), ...pool.pair, amountOut);
    for (const amountOut of [all, all - 1n, 1n]) {
      const amountIn = leastFor(amountOut);
      expect(quoteIn(pool, amountIn)).toBeGreaterThanOrEqual(amountOut);
      if (amountIn > 1n) expect(quoteIn(pool, amountIn - 1n)).toBeLessThan(amountOut);
    }
    expect(leastFor(all + 1n)).toBe(REFUSED);
  });

  it("leave no more of the output for more of the input, and no less of it is given", () => {
    fc.assert(
      fc.property(cases("in"), fc.bigInt(1n, 1_000n), ([pool, amountIn], more) => {
        const market = stableSwapMarket(pool);
        const [i, j] = pool.pair;
        if (quoteIn(pool, amountIn) === REFUSED) return;
        const x = market.scaled[i]! + amountIn;
        const [less, least] = [leftOf(market, i, j, x), leftOf(market, i, j, x + more)];
        if (less < 32n || least < 32n) return;
        expect(least).toBeLessThanOrEqual(less);
        const [given, afterMore] = [quoteIn(pool, amountIn), quoteIn(pool, amountIn + more)];
        if (pool.offpegFeeMultiplier > E10 || afterMore === REFUSED) return;
        expect(afterMore).toBeGreaterThanOrEqual(given);
      }),
      law("stable swaps are monotone", 500).options,
    );
  });

  it("see with a second swap what the first has left", () => {
    const twice = cases("in").chain(([pool, amount]) =>
      fc.tuple(
        fc.constant(pool),
        fc.constant(amount),
        fc.nat(pool.balances.length - 2),
        amountAbout(pool.balances[pool.pair[1]]!),
      ),
    );
    let swapped = 0;
    fc.assert(
      fc.property(twice, ([pool, first, other, second]) => {
        const [i, j] = pool.pair;
        const output = stableSwapExchange(stableSwapMarket(pool), i, j, first);
        if (output === undefined) return;
        const balances = balancesAfter(pool, i, j, first, output);
        const k = other >= j ? other + 1 : other;
        const after = { ...swapStableSwap(pool, { i, j }, "exactIn", first)!.after };
        const truth = exchangeStableSwap(after, { i: j, j: k }, second);
        const again = stableSwapExchange(stableSwapMarket({ ...pool, balances }), j, k, second);
        expect(again?.amountOut).toBe(truth?.dy);
        swapped++;
      }),
      law("stable swaps one after the other", 500).options,
    );
    expect(swapped).toBeGreaterThanOrEqual(surely(budget(500) / 4));
  });

  it("revert with old pools' own end of rounds or without it, whatever the amount is", () => {
    const any = fc.oneof(
      fc.constantFrom(0n, 1n, 1n << 128n, 1n << 255n, (1n << 256n) - 1n),
      fc.bigInt(0n, (1n << 128n) - 1n),
    );
    fc.assert(
      fc.property(
        stableSwapPool,
        fc.array(any, { minLength: 8, maxLength: 8 }),
        any,
        (pool, wide, amount) => {
          const balances = pool.balances.map((_, at) => wide[at]! % (1n << 128n));
          const market = stableSwapMarket({ ...pool, balances });
          const [i, j] = pool.pair;
          const truth = exchangeStableSwap({ ...pool, balances }, { i, j }, amount);
          const output = stableSwapExchange(market, i, j, amount);
          expect(output?.amountOut).toBe(truth?.dy);
          if (amount > 0n)
            expect(stableSwapInput(market, i, j, amount)).toBeGreaterThanOrEqual(REFUSED);
        },
      ),
      law("stable swaps of any numbers", 500).options,
    );
  });
});
