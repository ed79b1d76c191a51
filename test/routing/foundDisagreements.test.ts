import { type Address, GAS_LIMIT_DEFAULT, REFUSED, TRANSACTION_GAS } from "@millrace/core";
import {
  engineMarket,
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  limitsOf,
  MAX_TICK,
  MIN_SQRT_RATIO,
  MIN_TICK,
  openPool,
  type PlainPool,
  type PlainRequest,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { Judge } from "../reference/Judge.ts";

// Failures that random markets once found, each minimised.

const token = (number: number): Address =>
  `0x${"aa".repeat(19)}${number.toString(16).padStart(2, "0")}`;
const address = (number: number): Address =>
  `0x${"bb".repeat(19)}${number.toString(16).padStart(2, "0")}`;

const product: PlainPool & { family: "constantProduct" } = {
  family: "constantProduct",
  address: address(0),
  dexId: "PRODUCT",
  token0: token(0),
  token1: token(1),
  feePips: 3000,
  rule: "feeInside",
  reserve0: 10n ** 9n,
  reserve1: 10n ** 9n,
};

const concentrated: PlainPool & { family: "concentratedLiquidity" } = {
  ...product,
  family: "concentratedLiquidity",
  dexId: "CONCENTRATED",
  tickSpacing: 60,
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity: 10n ** 18n,
  ticks: new Map([
    [-600, 10n ** 18n],
    [600, -(10n ** 18n)],
  ]),
};

function disagreement(pools: ReadonlyArray<PlainPool>, request: Partial<PlainRequest>) {
  const whole = { tokenIn: token(0), tokenOut: token(1), kind: "exactIn", maxHops: 1, ...request };
  return new Judge({ chainId: 1, block: 1, pools }).disagreement(whole as PlainRequest);
}

describe("of a pool that takes its fee first", () => {
  // ⌊amountIn × fee⌋ is nothing for dust: rounding gives to the trader there.
  const pool: PlainPool = {
    ...product,
    rule: "feeFirst",
    reserve0: 10n ** 9n,
    reserve1: 10n ** 9n + 1n,
  };

  it("the one unit out that one unit in buys is found", () => {
    expect(disagreement([pool], { amount: 1n })).toBe(undefined);
  });

  it("the better output for dust beats a pool that seems better before rounding", () => {
    const dear: PlainPool = { ...pool, feePips: 10_000, reserve1: 10n ** 21n };
    const cheap: PlainPool = {
      ...product,
      address: address(1),
      feePips: 3000,
      reserve1: 10n ** 21n,
    };
    for (let amount = 1n; amount <= 120n; amount++) {
      expect(disagreement([dear, cheap], { amount })).toBe(undefined);
    }
  });

  it("dust comes out of a pool that has room for little more than the fee on it", () => {
    // By the formula a unit costs 10^6, which is more than the pool can hold; rounding sells it for
    // 1.
    const full: PlainPool = {
      ...pool,
      feePips: 999_999,
      reserve0: (1n << 128n) - 707n,
      reserve1: (1n << 128n) - 733n,
    };
    for (const [tokenIn, tokenOut] of [
      [token(0), token(1)],
      [token(1), token(0)],
    ] as const) {
      for (let amount = 1n; amount <= 4n; amount++) {
        const request = { tokenIn, tokenOut, kind: "exactOut", amount } as const;
        expect(disagreement([full], request)).toBe(undefined);
      }
    }
  });

  it("the input that dust costs is found", () => {
    const [dear, cheap] = [
      { ...pool, feePips: 10_000 },
      { ...product, address: address(1) },
    ];
    for (let amount = 1n; amount <= 120n; amount++) {
      expect(disagreement([dear, cheap], { kind: "exactOut", amount })).toBe(undefined);
    }
  });
});

describe("of a concentrated pool", () => {
  it("all that it takes is taken though its fee leaves a millionth", () => {
    const pool: PlainPool = { ...concentrated, feePips: 999_999 };
    const [most] = limitsOf(pool, true);
    expect(disagreement([pool], { amount: most! })).toBe(undefined);
    expect(disagreement([pool], { amount: most! + 1n })).toBe(undefined);
  });

  it("all that it takes is taken when the price is a hair from the end of its liquidity", () => {
    for (let bits = 1n; bits < 90n; bits++) {
      const sqrtPriceX96 = getSqrtRatioAtTick(600) - (1n << bits);
      const pool: PlainPool = {
        ...concentrated,
        sqrtPriceX96,
        tick: getTickAtSqrtRatio(sqrtPriceX96),
        liquidity: 10n ** 28n,
        ticks: new Map([
          [-600, 10n ** 28n],
          [600, -(10n ** 28n)],
        ]),
      };
      const [most, mostOut] = limitsOf(pool, false);
      const request = { tokenIn: token(1), tokenOut: token(0) };
      expect(disagreement([pool], { ...request, amount: most! })).toBe(undefined);
      if (mostOut! < 1n) continue;
      expect(disagreement([pool], { ...request, kind: "exactOut", amount: mostOut! })).toBe(
        undefined,
      );
    }
  });

  it("a unit is given when the price is a hair from the end of its liquidity", () => {
    const pool: PlainPool = {
      ...concentrated,
      feePips: 100,
      tickSpacing: 16_383,
      sqrtPriceX96: 407707462425995750532790320629n,
      tick: 32_765,
      liquidity: 628634181890336182960020n,
      ticks: new Map([
        [-884_682, 628634181890336182960020n],
        [32_766, -628634181890336182960020n],
      ]),
    };
    const request = {
      tokenIn: token(1),
      tokenOut: token(0),
      kind: "exactOut",
      amount: 1n,
    } as const;
    expect(disagreement([pool], request)).toBe(undefined);
  });

  it("there is no depth where no liquidity backs the price", () => {
    // Anybody can leave the price of such a pool anywhere, for nothing.
    const pool: PlainPool = {
      ...concentrated,
      sqrtPriceX96: 10n ** 40n,
      tick: getTickAtSqrtRatio(10n ** 40n),
      liquidity: 0n,
    };
    const { family, index } = openPool(pool);
    expect(family.depth(index, 0, 1)).toBe(0);
    expect(family.depth(index, 1, 0)).toBe(0);
  });

  it("nothing goes in, and no estimate is negative, at the lowest price there is", () => {
    const pool: PlainPool = {
      ...concentrated,
      sqrtPriceX96: MIN_SQRT_RATIO,
      tick: MIN_TICK,
      tickSpacing: 1,
      ticks: new Map([
        [MIN_TICK, 10n ** 18n],
        [MAX_TICK, -(10n ** 18n)],
      ]),
    };
    const { family, index } = openPool(pool);
    for (const amount of [1n, 1_000n, 10n ** 18n]) {
      expect(family.quoteExactIn(index, 0, 1, amount)).toBe(REFUSED);
      expect(family.quoteExactOut(index, 0, 1, amount)).toBe(REFUSED);
      expect(family.estimateExactIn(index, 0, 1, Number(amount))).toBeGreaterThanOrEqual(0);
    }
    expect(family.capacityIn(index, 0, 1)).toBeGreaterThanOrEqual(0);
    expect(family.depth(index, 0, 1)).toBeGreaterThanOrEqual(0);
  });
});

describe("the reason why there is no quote", () => {
  it("is the small amount when a little more would do and much more would not", () => {
    const narrow: PlainPool[] = [
      { ...product, reserve0: 1_000n, reserve1: 999n },
      {
        ...concentrated,
        address: address(1),
        token0: token(1),
        token1: token(2),
        liquidity: 1_000n,
        ticks: new Map([
          [-600, 1_000n],
          [600, -1_000n],
        ]),
      },
    ];
    const request = { tokenOut: token(2), amount: 1n, maxHops: 2 };
    expect(disagreement(narrow, request)).toBe(undefined);
  });
});

describe("beside an empty pool", () => {
  it("a live one between the same tokens still leads on, three pools far and asked backwards", () => {
    const pools: PlainPool[] = [
      { ...product, token0: token(0), token1: token(1), reserve0: 555n, reserve1: 76n, feePips: 1 },
      {
        ...concentrated,
        address: address(1),
        token0: token(1),
        token1: token(2),
        feePips: 500,
        tickSpacing: 10,
        sqrtPriceX96: 1939668942950927603815529498n,
        tick: -74_200,
        liquidity: 979404658699903296440962n,
        ticks: new Map([
          [-200_480, 979404658699903296440374n],
          [-480, -979404658699903296440374n],
          [-887_270, 1050n],
          [-98_150, -462n],
          [40, -588n],
        ]),
      },
      {
        ...product,
        address: address(2),
        token0: token(2),
        token1: token(3),
        feePips: 1,
        reserve0: 3_640n,
        reserve1: 416858053661987875743n,
      },
      {
        ...product,
        address: address(3),
        dexId: "EMPTY",
        token0: token(2),
        token1: token(3),
        rule: "feeFirst",
        reserve0: 0n,
        reserve1: 0n,
      },
    ];
    const request = {
      tokenIn: token(3),
      tokenOut: token(0),
      kind: "exactOut",
      amount: 1n,
    } as const;
    expect(disagreement(pools, { ...request, maxHops: 3 })).toBe(undefined);
    expect(disagreement(pools.slice(0, 3), { ...request, maxHops: 3 })).toBe(undefined);
  });
});

describe("where a swap passes thousands of empty words of the tick bitmap", () => {
  // From one end of the prices to the other: 2,100 words. By the bound of their gas, a transaction
  // passes 2,044 of them, and usually some more.
  const words: PlainPool = {
    ...concentrated,
    tickSpacing: 1,
    sqrtPriceX96: getSqrtRatioAtTick(270_000),
    tick: 270_000,
    liquidity: 10n ** 6n,
    ticks: new Map([
      [-280_000, 10n ** 6n],
      [280_000, -(10n ** 6n)],
    ]),
  };
  const request = { tokenIn: token(0), tokenOut: token(1), kind: "exactIn", maxHops: 1 } as const;
  const [amount] = limitsOf(words, true) as [bigint];

  it("what it gives is quoted where a transaction may take as much gas as it likes", () => {
    expect(disagreement([words], { ...request, amount })).toBe(undefined);
  });

  it("it is refused where the bound of its gas is beyond a transaction's, and quoted before", () => {
    const open = engineMarket({ chainId: 1, block: 1, pools: [words] });
    const quote = (amountIn: bigint) =>
      open.router.quote({
        ...request,
        tokenIn: open.graph.findToken(token(0))!,
        tokenOut: open.graph.findToken(token(1))!,
        amount: amountIn,
      });
    expect(quote(amount)).toEqual({ found: false, reason: "InsufficientLiquidity" });
    const { family, index } = openPool(words);
    expect(family.gas(index, 0, 1, amount)).toBeGreaterThan(GAS_LIMIT_DEFAULT);
    let [low, high] = [1n, amount];
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (quote(middle).found) low = middle;
      else high = middle;
    }
    const most = GAS_LIMIT_DEFAULT - TRANSACTION_GAS;
    expect(family.gas(index, 0, 1, low)).toBeLessThanOrEqual(most);
    expect(family.gas(index, 0, 1, high)).toBeGreaterThan(most);
  });
});
