import { law, surely } from "@millrace/testing";
import {
  cryptoKinds,
  drawAmount,
  drawCrypto,
  engineCrypto,
  givenByCrypto,
  type PlainCrypto,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { cryptoFace } from "../../src/curves/cryptoSwap/estimates.ts";
import { drawFromCrypto, settleCrypto, TOO_LITTLE } from "../../src/curves/cryptoSwap/math.ts";
import { cubeRootE18, integerRoot } from "../../src/curves/cryptoSwap/roots.ts";
import { isSureToSettle, leastGain } from "../../src/curves/cryptoSwap/settling.ts";

const DIRECTIONS = {
  2: [
    [0, 1],
    [1, 0],
  ],
  3: [
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 2],
    [2, 0],
    [2, 1],
  ],
} as const;

/** What the engine says of a swap, as the reference puts it. */
function engineAnswer(pool: PlainCrypto, from: number, to: number, amountIn: bigint) {
  const plain = engineCrypto(pool);
  if (cryptoFace(plain, from, to) === undefined) return "refused";
  const draw = drawFromCrypto(plain, from, to, amountIn);
  const swap = typeof draw === "bigint" ? draw : settleCrypto(plain, draw);
  if (typeof swap !== "bigint") return [swap.amountOut, swap.d, swap.virtualPrice];
  // What floats are sure of has to be so.
  const isSure = typeof draw !== "bigint" && isSureToSettle(plain, leastGain(plain), draw.x);
  if (isSure) return "settled after all";
  return swap === TOO_LITTLE ? "too little" : "refused";
}

function trueAnswer(pool: PlainCrypto, from: number, to: number, amountIn: bigint) {
  const swap = givenByCrypto(pool, from, to, amountIn);
  if (typeof swap === "string") return swap;
  return [swap.amountOut, swap.after.D, swap.after.virtualPrice];
}

/** A pool with less of a token is no market, whatever its contract would give. */
const FEW_UNITS = 100n;

/** What the contract gives, which the engine has to, but for pools with a few units of a token. */
function agreedAnswer(pool: PlainCrypto, from: number, to: number, amountIn: bigint) {
  const truth = trueAnswer(pool, from, to, amountIn);
  const answer = engineAnswer(pool, from, to, amountIn);
  const isAlmostEmpty = pool.balances.some((balance) => balance < FEW_UNITS);
  if (answer !== "refused" || !isAlmostEmpty) expect(answer).toEqual(truth);
  return truth;
}

describe.each(cryptoKinds)("pools of Curve's crypto contract %s", (contract) => {
  it("give and leave what the contract gives and leaves, or refuse as it does", () => {
    const swaps = law(`crypto swaps of ${contract}`, 1_700);
    const met = { refused: 0, "too little": 0, filled: 0 };
    for (const [, random] of swaps.sources()) {
      const pool = drawCrypto(random, contract);
      const [from, to] = random.pick(DIRECTIONS[pool.balances.length as 2 | 3]);
      const amountIn = drawAmount(random, pool.balances[from]!);
      const truth = agreedAnswer(pool, from, to, amountIn);
      met[typeof truth === "string" ? truth : "filled"]++;
    }
    expect(met.filled).toBeGreaterThanOrEqual(surely(swaps.cases / 2));
    expect(met.refused).toBeGreaterThanOrEqual(surely(swaps.cases / 200));
    expect(met["too little"]).toBeGreaterThanOrEqual(surely(swaps.cases / 200));
  });

  it("swap on from what a swap has left as the contract does, again and again", () => {
    for (const [, random] of law(`crypto swaps in a row of ${contract}`, 60).sources()) {
      let pool = drawCrypto(random, contract);
      for (let swap = 0; swap < 8; swap++) {
        const [from, to] = random.pick(DIRECTIONS[pool.balances.length as 2 | 3]);
        const amountIn = drawAmount(random, pool.balances[from]!);
        agreedAnswer(pool, from, to, amountIn);
        const after = givenByCrypto(pool, from, to, amountIn);
        if (typeof after === "object") pool = after.after;
      }
    }
  });
});

describe("a pool of Curve's crypto contract triNG", () => {
  it("refuses a swap where D grows until the product of its shares overflows", () => {
    const pool: PlainCrypto = {
      contract: "triNG",
      aMultiplier: 10_000n,
      precisions: [1n, 10n ** 12n, 10n ** 12n],
      balances: [1432598969777165172736000000827n, 428432710518730143329n, 188488847029643513770n],
      priceScale: [4077311000000000n, 11915370000000000n],
      D: 5334011241794808654100328599580n,
      A: 117170635n,
      gamma: 28526594895n,
      midFee: 35849440n,
      outFee: 35849443n,
      feeGamma: 10n ** 18n,
      totalSupply: 46647546450294852924440374902140n,
      virtualPrice: 1044584094985087146n,
    };
    expect(agreedAnswer(pool, 0, 1, 2788612031988398102702668644352n)).toBe("refused");
  });
});

describe("the roots of the crypto contracts", () => {
  it("are the floors of square roots", () => {
    const roots = law("square roots", 2_000);
    for (const [, random] of roots.sources()) {
      const value = near(random.bigint(1n << BigInt(1 + random.integer(255))), 2n, random.next());
      const root = integerRoot(value);
      expect(root * root <= value && (root + 1n) ** 2n > value).toBe(true);
    }
  });

  it("are the cube roots that seven rounds come to", () => {
    for (const [, random] of law("cube roots", 3_000).sources()) {
      const value = near(random.bigint(1n << BigInt(1 + random.integer(255))), 3n, random.next());
      expect(cubeRootE18(value)).toBe(sevenRoundsOf(value));
    }
  });
});

/** The value, or one next to a power. */
function near(value: bigint, power: bigint, chance: number): bigint {
  if (chance < 0.5) return value;
  let root = 0n;
  for (let bit = 1n << 128n; bit > 0n; bit >>= 1n) {
    if ((root + bit) ** power <= value) root += bit;
  }
  const offset = BigInt(Math.floor((chance - 0.5) * 10) - 2);
  return root ** power + offset < 0n ? 0n : root ** power + offset;
}

/** `_cbrt` as it is written. */
function sevenRoundsOf(x: bigint): bigint {
  const wide = 115792089237316195423570985008687907853269n;
  const xx = x >= wide * 10n ** 18n ? x : x >= wide ? x * 10n ** 18n : x * 10n ** 36n;
  let log = 0n;
  for (let value = xx; value > 1n; value >>= 1n) log++;
  let a = (2n ** (log / 3n) * 1260n ** (log % 3n)) / 1000n ** (log % 3n);
  for (let round = 0; round < 7; round++) a = (2n * a + (a === 0n ? 0n : xx / (a * a))) / 3n;
  return x >= wide * 10n ** 18n ? a * 10n ** 12n : x >= wide ? a * 10n ** 6n : a;
}
