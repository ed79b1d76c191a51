import { ESTIMATE_ERROR, PIECE_STRIDE, REFUSED } from "@millrace/core";
import { law, type RandomSource, surely } from "@millrace/testing";
import {
  cryptoKinds,
  drawAmount,
  drawCrypto,
  engineCrypto,
  givenByCrypto,
  type PlainCrypto,
  swapCrypto,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { cryptoFace } from "../../src/curves/cryptoSwap/estimates.ts";
import { drawFromCrypto, settleCrypto, TOO_LITTLE } from "../../src/curves/cryptoSwap/math.ts";
import { leastGain, settledFrom } from "../../src/curves/cryptoSwap/settling.ts";
import { feeFallOf, openCrypto } from "./cryptoPools.ts";

/** A random pool of any contract, open, and two of its tokens. */
function drawOpen(random: RandomSource) {
  const pool = drawCrypto(random, random.pick(cryptoKinds));
  const positions = random.shuffled(pool.balances.map((_, at) => at));
  const [from, to] = positions as [number, number];
  return { pool, ...openCrypto(pool), from, to };
}

describe("crypto pools in a graph", () => {
  it("have estimates that no output exceeds, drained and skewed, of dust and of all they take", () => {
    const bounds = law("crypto bounds", 3_000);
    let given = 0;
    for (const [, random] of bounds.sources()) {
      const { pool, family, index, from, to } = drawOpen(random);
      const amountIn = drawAmount(random, pool.balances[from]!);
      const amountOut = family.quoteExactIn(index, from, to, amountIn);
      if (amountOut <= 0n) continue;
      given++;
      const [taken, gives] = [Number(amountIn), Number(amountOut)];
      const most = family.estimateExactIn(index, from, to, taken) * (1 + ESTIMATE_ERROR);
      expect(most).toBeGreaterThanOrEqual(gives);
      const least = family.estimateExactOut(index, from, to, gives) * (1 - ESTIMATE_ERROR);
      expect(least).toBeLessThanOrEqual(taken);
      expect(family.capacityIn(index, from, to)).toBeGreaterThanOrEqual(taken);
      const piece = new Float64Array(PIECE_STRIDE);
      family.leadingPiece(index, from, to, piece, 0);
      const [x, y, , bonus] = piece as unknown as [number, number, number, number];
      expect(((y * (taken + bonus)) / x) * (1 + ESTIMATE_ERROR)).toBeGreaterThanOrEqual(gives);
    }
    expect(given).toBeGreaterThanOrEqual(surely(bounds.cases / 2));
  });

  it("have estimates that no output exceeds where a tiny gamma costs the contract digits", () => {
    const { family, index } = openCrypto({
      ...{ contract: "two20", aMultiplier: 10_000n, precisions: [1n, 1n] },
      balances: [747086537417326985216000000476n, 43794314273209861081353985295n],
      ...{ priceScale: [17057216421000000000n], D: 1494095632338522920840274123189n },
      ...{ A: 4_741n, gamma: 12025400349n, midFee: 1_034_820n, outFee: 1_035_872n },
      feeGamma: 878995825573959040n,
      ...{ totalSupply: 114400064105995881328794701353n, virtualPrice: 1581131725140822043n },
    });
    for (const part of [1n, 3n, 10n]) {
      const amountIn = 6158442637327208348244165n / part;
      const amountOut = Number(family.quoteExactIn(index, 0, 1, amountIn));
      const most = family.estimateExactIn(index, 0, 1, Number(amountIn)) * (1 + ESTIMATE_ERROR);
      expect(amountOut).toBeGreaterThan(0);
      expect(most).toBeGreaterThanOrEqual(amountOut);
    }
  });

  it("have estimates of small swaps that are what comes out, but for the fee's least", () => {
    const tight = law("crypto tightness", 400);
    let given = 0;
    for (const [, random] of tight.sources()) {
      const { pool, family, index, from, to } = drawOpen(random);
      const amountIn = pool.balances[from]! / 10_000n;
      const amountOut = amountIn === 0n ? REFUSED : family.quoteExactIn(index, from, to, amountIn);
      if (amountOut < 10n ** 6n) continue;
      given++;
      const estimate = family.estimateExactIn(index, from, to, Number(amountIn));
      const fees = Number(pool.outFee - pool.midFee) / Number(10n ** 10n - pool.outFee);
      expect(estimate / Number(amountOut)).toBeLessThanOrEqual((1 + fees) * (1 + 1e-5));
    }
    expect(given).toBeGreaterThanOrEqual(surely(tight.cases / 4));
  });

  it("ask for an input that gives the output, where one unit less does not", () => {
    const outputs = law("crypto exact outputs", 250);
    let asked = 0;
    for (const [, random] of outputs.sources()) {
      const { pool, family, index, from, to } = drawOpen(random);
      const wanted = drawAmount(random, pool.balances[to]! / 2n);
      const amountIn = family.quoteExactOut(index, from, to, wanted);
      if (amountIn === REFUSED) continue;
      asked++;
      expect(family.quoteExactIn(index, from, to, amountIn)).toBeGreaterThanOrEqual(wanted);
      if (amountIn === 1n) continue;
      expect(family.quoteExactIn(index, from, to, amountIn - 1n)).toBeLessThan(wanted);
    }
    expect(asked).toBeGreaterThanOrEqual(surely(outputs.cases / 3));
  });

  it("ask for dust what a search of every bit finds", () => {
    const outputs = law("crypto dust asked for", 120);
    let asked = 0;
    for (const [, random] of outputs.sources()) {
      const { pool, family, index, from, to } = drawOpen(random);
      const wanted = dustOf(random, pool.balances[to]!);
      const amountIn = family.quoteExactOut(index, from, to, wanted);
      expect(amountIn).toBe(swapCrypto(pool, from, to, "exactOut", wanted)?.amountIn ?? REFUSED);
      if (amountIn !== REFUSED) asked++;
    }
    expect(asked).toBeGreaterThanOrEqual(surely(outputs.cases / 20));
  });

  it("ask for the input that every bit leads to where some larger ones are too little", () => {
    // A unit of the output is worth 27 of the input, and the fee of dust rounds to nothing.
    const pool: PlainCrypto = {
      contract: "two20",
      aMultiplier: 10_000n,
      precisions: [10n ** 12n, 10n ** 12n],
      balances: [1755258101066n, 47895491397074n],
      priceScale: [36669956000000000n],
      midFee: 2853870n,
      outFee: 6877008n,
      A: 5352n,
      gamma: 33910296547n,
      D: 3511583521743323947794271n,
      feeGamma: 398733236901052160n,
      totalSupply: 4917768727472353991207255n,
      virtualPrice: 1864445579350046936n,
    };
    const given = [27n, 28n, 80n, 69_632n, 69_633n].map((amountIn) => {
      const swap = givenByCrypto(pool, 1, 0, amountIn);
      return typeof swap === "string" ? swap : swap.amountOut;
    });
    expect(given).toEqual(["too little", 1n, "too little", "too little", 2552n]);
    const { family, index } = openCrypto(pool);
    expect(family.quoteExactOut(index, 1, 0, 1n)).toBe(69_633n);
    expect(swapCrypto(pool, 1, 0, "exactOut", 1n)?.amountIn).toBe(69_633n);
  });

  it("ask for an input that brings them back near to balance, where less is refused", () => {
    // Out of balance by a factor of 29, which is more than the contract allows with such a gamma.
    const pool: PlainCrypto = {
      contract: "two21",
      aMultiplier: 10_000n,
      precisions: [1n, 10n ** 10n],
      balances: [222217680000000309n, 793n],
      priceScale: [802387514543917000000000n],
      midFee: 1087320n,
      outFee: 1087389n,
      A: 6262678n,
      gamma: 176143420494808704n,
      D: 5437594715649547822n,
      feeGamma: 58057217405089624n,
      totalSupply: 1522122515941129n,
      virtualPrice: 1994045885568758300n,
    };
    const { family, index } = openCrypto(pool);
    expect(givenByCrypto(pool, 0, 1, 17231453119751708n)).toBe("refused");
    const asked = [1n, 14n, 15n, 16n].map((wanted) => family.quoteExactOut(index, 0, 1, wanted));
    const least = 17231453119751709n;
    expect(asked).toEqual([least, least, 17564110120908412n, 18809506837452364n]);
    expect(swapCrypto(pool, 0, 1, "exactOut", 1n)?.amountIn).toBe(least);
  });

  it("ask bit by bit where the fee rises faster than what comes out", () => {
    // Past equal balances the fee rises from 0.7 to 4.6 %, within an input of 0.1 % of a balance.
    const pool: PlainCrypto = {
      contract: "two21b",
      aMultiplier: 10_000n,
      precisions: [1n, 1n],
      balances: [50839266043000000306n, 5594328980390454421n],
      priceScale: [6176438350000000000n],
      midFee: 68992460n,
      outFee: 463581153n,
      A: 111416n,
      gamma: 13920609234584n,
      D: 83838781555806898861n,
      feeGamma: 10487797868n,
      totalSupply: 16737347457897708855n,
      virtualPrice: 1007765008993064148n,
    };
    const { family, index } = openCrypto(pool);
    const given = [1192748149110106880n, 1197000000000000000n, 1204641102589964417n].map(
      (amountIn) => family.quoteExactIn(index, 1, 0, amountIn),
    );
    expect(given).toEqual([8852749080349799512n, 8540764946346390248n, 8578128578906789075n]);
    for (let tenths = 1n; tenths < 10n; tenths++) {
      const wanted = given[1]! + ((given[0]! - given[1]!) * tenths) / 10n;
      const amountIn = family.quoteExactOut(index, 1, 0, wanted);
      expect(amountIn).toBe(swapCrypto(pool, 1, 0, "exactOut", wanted)?.amountIn);
      expect(family.quoteExactIn(index, 1, 0, amountIn)).toBeGreaterThanOrEqual(wanted);
    }
    expect(family.quoteExactOut(index, 1, 0, 8578128578906789071n)).toBe(1204641102589964417n);
  });

  it("ask for no more than they take where the third balance is most of the pool", () => {
    const pool: PlainCrypto = {
      contract: "tri",
      aMultiplier: 10_000n,
      precisions: [1n, 1n, 10n ** 16n],
      balances: [36602587040000000258n, 1301565964040953358675738n, 449n],
      priceScale: [36041000000000n, 7398663168141000000000n],
      midFee: 3054690n,
      outFee: 3054742n,
      A: 15419502n,
      gamma: 345508053432064n,
      D: 1223563560263893433489n,
      feeGamma: 35385564996827244n,
      totalSupply: 387278736857168933522n,
      virtualPrice: 1636181949277962240n,
    };
    const { family, index } = openCrypto(pool);
    const asked = 880139782810821844n;
    expect(family.quoteExactOut(index, 0, 1, 30552486419557335836965n)).toBe(asked);
    expect(swapCrypto(pool, 0, 1, "exactOut", 30552486419557335836965n)?.amountIn).toBe(asked);
    // Far below a third of D, but less of the output would be left than the contract allows.
    expect(givenByCrypto(pool, 0, 1, 100n * asked)).toBe("refused");
  });

  it("lose by no swap that gives as much as is sure to settle", () => {
    const dust = law("crypto dust settled", 600);
    let lost = 0;
    for (const [, random] of dust.sources()) {
      const { pool, from, to } = drawOpen(random);
      const plain = engineCrypto(pool);
      const face = cryptoFace(plain, from, to);
      if (face === undefined) continue;
      const settled = settledFrom(face, leastGain(plain));
      for (let swap = 0; swap < 20; swap++) {
        const draw = drawFromCrypto(plain, from, to, dustOf(random, pool.balances[from]!));
        if (typeof draw === "bigint" || settleCrypto(plain, draw) !== TOO_LITTLE) continue;
        lost++;
        expect(Number(draw.amountOut)).toBeLessThan(settled);
      }
    }
    expect(lost).toBeGreaterThanOrEqual(surely(dust.cases / 10));
  });

  it("ask for no more than an input that gave as much, but for the roundings of the contract", () => {
    for (const [, random] of law("crypto inputs again", 250).sources()) {
      const { pool, family, index, from, to } = drawOpen(random);
      const amountIn = pool.balances[from]! / BigInt(random.between(3, 3_000));
      const amountOut = amountIn === 0n ? REFUSED : family.quoteExactIn(index, from, to, amountIn);
      if (amountOut < 1n) continue;
      const again = family.quoteExactOut(index, from, to, amountOut);
      expect(again).not.toBe(REFUSED);
      expect(family.quoteExactIn(index, from, to, again)).toBeGreaterThanOrEqual(amountOut);
      if (feeFallOf(pool, to) > 0) continue;
      const [most, rounding] = [Number(amountIn), roundingOf(pool, from)];
      expect(Number(again)).toBeLessThanOrEqual(most * (1 + 1e-9) + rounding);
    }
  });

  it("take one swap of a transaction, since the next one's price depends on the block's time", () => {
    for (const [, random] of law("crypto pools once", 10).sources()) {
      const { family, index } = drawOpen(random);
      expect(family.feeFollowsSwaps?.(index)).toBe(true);
    }
  });

  it("refuse or give exact outputs where a fee takes all", () => {
    for (const [, random] of law("crypto pools that take all", 20).sources()) {
      const drawn = drawOpen(random);
      for (const midFee of [0n, 10n ** 10n]) {
        const { family, index } = openCrypto({ ...drawn.pool, midFee, outFee: 10n ** 10n });
        for (const wanted of [1n, drawn.pool.balances[drawn.to]! / 2n + 1n]) {
          const asked = family.quoteExactOut(index, drawn.from, drawn.to, wanted);
          if (midFee > 0n) expect(asked).toBe(REFUSED);
          if (asked === REFUSED) continue;
          const given = family.quoteExactIn(index, drawn.from, drawn.to, asked);
          expect(given).toBeGreaterThanOrEqual(wanted);
        }
      }
    }
  });

  it("give nothing while they are empty, or hold what their D does not tell", () => {
    for (const [, random] of law("crypto pools unsound", 40).sources()) {
      const { pool, from, to } = drawOpen(random);
      const unsound: ReadonlyArray<PlainCrypto> = [
        { ...pool, D: 0n, balances: pool.balances.map(() => 0n), totalSupply: 0n },
        { ...pool, totalSupply: 0n },
        { ...pool, D: pool.D / 2n },
        { ...pool, balances: pool.balances.map((balance, at) => (at === to ? 0n : balance)) },
      ];
      for (const each of unsound) {
        const { family, index } = openCrypto(each);
        const amountIn = pool.balances[from]! / 100n + 1n;
        expect(family.quoteExactIn(index, from, to, amountIn)).toBe(REFUSED);
        expect(family.quoteExactOut(index, from, to, amountIn)).toBe(REFUSED);
        expect(family.midPrice(index, from, to)).toBe(0);
        expect(family.capacityIn(index, from, to)).toBe(0);
      }
    }
  });
});

/** From a unit to all, as often of each order of magnitude. */
function dustOf(random: RandomSource, balance: bigint): bigint {
  return BigInt(Math.ceil(Number(balance) ** random.next()));
}

/** Units of the input within which the contract's roundings may decide. */
function roundingOf({ balances }: PlainCrypto, from: number): number {
  return 2 + Number(balances[from]!) * 1e-9;
}
