import { afterAll, assert, describe, it } from "@effect/vitest";
import type { MarketBlock, PoolIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { encodeConcentrated, encodeReserves } from "@millrace/protocols";
import {
  DAI,
  DOLLARS,
  mockAddress,
  testMarket,
  tokensOf,
  USDC,
  USDT,
  universeAtEnd,
  WETH,
} from "../markets/recordedMarkets.ts";

const FORGED = 100;
const first = await universeAtEnd("universe-a");

describe("a poisoned market", () => {
  const poison = (pools: ReadonlyArray<Poison>): MarketBlock => ({
    ...emptyBlock,
    tokens: Array.from({ length: FORGED + 1 }, (_, place) => ({
      address: mockAddress(0xbad000 + place),
      decimals: 18,
      symbol: "USDC",
      name: "USD Coin",
    })),
    pools: pools.map(({ tokens }, place) => ({
      address: mockAddress(0xb00000 + place),
      dexId: "UNISWAP_V2",
      tokens,
      feePips: 3_000,
      parameter: 0,
    })),
    states: pools.map(({ reserves }, place) => ({
      pool: mockAddress(0xb00000 + place),
      state: encodeReserves(reserves),
    })),
  });
  const honest = testMarket(first);
  const honestData = honest.data();
  afterAll(honest.close);
  const worthless = (place: number) => mockAddress(0xbad000 + place);
  const wethOf = (usd: number) =>
    BigInt(Math.round(usd)) * (10n ** 18n / BigInt(Math.round(priceOf(honestData, WETH))));

  it("one pool at a thousand times the price, deep enough to count, moves no price at all", () => {
    // 150,000 dollars a side: 2 % is moved by 1,500.
    const wbtc = "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599";
    const honestWbtc = BigInt(Math.round((150_000 / priceOf(honestData, wbtc)) * 1e8));
    const market = testMarket(first);
    const data = market.data();
    market.apply(
      poison([{ tokens: [wbtc, WETH], reserves: [honestWbtc, wethOf(150_000) / 1_000n] }]),
    );
    data.settle();
    expectPricesOf(data, honestData, 1e-12);
    const weth = market.graph.findToken(WETH)!;
    // It had a weight, but was outvoted.
    assert.isBelow(data.price(weth).confidence, honestData.price(weth).confidence);
    market.close();
  });

  it("many pools behind one entry weigh no more than the entry, and printed tokens count little", () => {
    // Two honest pools of 150,000 dollars a side back the token by 1,500 each. The forger's single
    // entry is deeper, 2,000; behind it are his printed tokens, each with a pool in which the token
    // is worth a thousand times as much.
    const token = worthless(FORGED);
    const printed = 10n ** 30n;
    const pools: Poison[] = [
      { tokens: [USDC.address, token], reserves: [150_000n * 10n ** 6n, 150_000n * 10n ** 18n] },
      { tokens: [USDC.address, token], reserves: [150_000n * 10n ** 6n, 150_000n * 10n ** 18n] },
      { tokens: [USDC.address, worthless(0)], reserves: [200_000n * 10n ** 6n, printed] },
    ];
    for (let place = 1; place < FORGED; place++) {
      pools.push({ tokens: [worthless(0), worthless(place)], reserves: [printed, printed] });
      pools.push({ tokens: [worthless(place), token], reserves: [printed, 200n * 10n ** 18n] });
    }
    const market = testMarket(first);
    const data = market.data();
    market.apply(poison(pools));
    data.settle();
    assert.isAbove(priceOf(data, worthless(FORGED - 1)), 0);
    assert.closeTo(priceOf(data, token), 1, 1e-9);
    expectPricesOf(data, honestData, 1e-12);
    const index = market.graph.findToken(token)!;
    assert.closeTo(data.price(index).depthUsd, 3_000, 50);
    assert.isBelow(data.price(index).confidence, 0.5);
    const shown = tokensOf(data)
      .filter((other) => other >= honest.graph.tokenCount && other !== index)
      .reduce((sum, other) => sum + data.token(other).liquidityUsd, 0);
    // A hundred times the entry for each of the two steps.
    assert.isBelow(shown, 2 * 100 * 200_000);
    market.close();
  });

  it("a ring of printed tokens is worth nothing, though a pool below the floor joins it to a dollar", () => {
    const printed = 10n ** 33n;
    const ring = Array.from({ length: FORGED }, (_, place) => ({
      tokens: [worthless(place), worthless((place + 1) % FORGED)] as const,
      reserves: [printed, printed],
    }));
    const market = testMarket(first);
    const data = market.data();
    // 90,000 dollars a side: 2 % is moved by 900.
    const reserves = [90_000n * 10n ** 6n, printed];
    market.apply(poison([...ring, { tokens: [USDC.address, worthless(0)], reserves }]));
    data.settle();
    for (let place = 0; place < FORGED; place++) {
      const token = data.token(market.graph.findToken(worthless(place))!);
      assert.deepStrictEqual([token.priceUsd, token.liquidityUsd], [0, 0]);
    }
    expectPricesOf(data, honestData, 0);
    market.close();
  });

  it("a doubtful source between the honest ones takes no more confidence than its weight", () => {
    const token = worthless(FORGED);
    const doubtful = worthless(0);
    const dollars = (usd: bigint) => usd * 10n ** 6n;
    const whole = (count: bigint) => count * 10n ** 18n;
    const pools: Poison[] = [
      { tokens: [USDC.address, token], reserves: [dollars(150_000n), whole(150_000n)] },
      { tokens: [USDC.address, token], reserves: [dollars(150_600n), whole(150_000n)] },
      // It is worth a dollar in one pool and two in the other, and gives the token a price of
      // 1.002.
      { tokens: [USDC.address, doubtful], reserves: [dollars(400_000n), whole(400_000n)] },
      { tokens: [USDC.address, doubtful], reserves: [dollars(398_000n), whole(199_000n)] },
      { tokens: [doubtful, token], reserves: [whole(120_240n), whole(120_000n)] },
    ];
    const market = testMarket(first);
    const data = market.data();
    market.apply(poison(pools));
    data.settle();
    const price = data.price(market.graph.findToken(token)!);
    // The price goes through it, and is as good as any; but confidence does not depend on it.
    assert.strictEqual(price.path.at(-2), market.graph.findToken(doubtful));
    assert.closeTo(price.priceUsd, 1.002, 1e-6);
    assert.isBelow(data.price(market.graph.findToken(doubtful)!).confidence, 0.5);
    assert.isAbove(price.confidence, 0.6);
    market.close();
  });

  it.each([
    ["DAI, which little is priced by", DAI, 0.99, 0.002],
    ["USDT, which most is priced by", USDT, 0.8, 0.15],
  ])(
    "an anchor that is worth 0.88 lowers the confidence of what pools with it price: %s",
    (_name, depegged, confidencePart, tolerance) => {
      const weth = honest.graph.findToken(WETH)!;
      const before = honestData.price(weth);
      // The same as if its pools gave 1 / 0.88 times as many for a WETH, and its price were still
      // 1.
      const others = DOLLARS.filter((anchor) => anchor !== depegged);
      const seen = honest.data([...others, { ...depegged, priceUsd: 1 / 0.88 }]);
      const after = seen.price(weth);
      assert.isBelow(after.confidence, confidencePart * before.confidence);
      assert.closeTo(after.priceUsd, before.priceUsd, tolerance * before.priceUsd);
      seen.close();
    },
  );

  it("an anchor without a pool has its price, and one that is unknown does no harm", () => {
    const market = testMarket(first);
    market.apply(poison([]));
    const lonely = market.graph.findToken(worthless(7))!;
    const unknown = { address: mockAddress(0x404), priceUsd: 3 };
    const data = market.data([...DOLLARS, { address: worthless(7), priceUsd: 5 }, unknown]);
    const { priceUsd, path, confidence } = data.price(lonely);
    assert.deepStrictEqual([priceUsd, path, confidence], [5, [lonely], 1]);
    assert.strictEqual(data.token(lonely).liquidityUsd, 0);
    expectPricesOf(data, honestData, 0);
    market.close();
  });

  it("all the money of a pool right below its price, and none above, backs nothing", () => {
    const market = testMarket(first);
    const data = market.data();
    const printed = 10n ** 24n;
    // Liquidity of a unit at the price, and a million WETH from there one tick down.
    market.apply(
      rangePool(worthless(0), 1n, [
        [-60, printed],
        [0, 1n - printed],
        [60, -1n],
      ]),
    );
    data.settle();
    assert.strictEqual(priceOf(data, worthless(0)), 0);
    market.close();
  });

  it.each([
    ["none", 0n],
    ["a little", 10n ** 18n],
  ])(
    "printed tokens at the price, real ones far from it and %s near it make no pool deep",
    (_much, little) => {
      const market = testMarket(first);
      const data = market.data();
      // Any WETH that comes in buys printed tokens; the WETH to take out is far below.
      const printed = 10n ** 30n;
      const far = 10n ** 22n;
      const book = [
        [-60_000, far],
        [-54_000, -far],
        [-60, little],
        [0, printed - little],
        [6_000, -printed],
      ] as const;
      market.apply(rangePool(worthless(0), printed, book));
      data.settle();
      const pool = market.graph.findPool(RANGE_POOL)!;
      assert.isAbove(market.familyOf(pool).depth(pool, 1, 0), 1e24);
      assert.strictEqual(priceOf(data, worthless(0)), 0);
      const held = Number(market.familyOf(pool).tokenAmounts(pool)[1]!) / 1e18;
      assert.closeTo(data.pool(pool)!.liquidityUsd, held * priceOf(data, WETH), 1);
      assert.isAbove(held, 100);
      market.close();
    },
  );

  it("printed tokens in a pool without better ones count no more than what backs their price", () => {
    const market = testMarket(first);
    const data = market.data();
    const printed = 10n ** 30n;
    market.apply(poison([{ tokens: [WETH, worthless(0)], reserves: [wethOf(150_000), printed] }]));
    market.apply(
      rangePool(worthless(0), printed, [
        [0, printed],
        [6_000, -printed],
      ]),
    );
    data.settle();
    const pool = market.graph.findPool(RANGE_POOL)!;
    const token = data.token(market.graph.findToken(worthless(0))!);
    const held = Number(market.familyOf(pool).tokenAmounts(pool)[0]!) / 1e18;
    assert.isAbove(held * token.priceUsd, 30_000);
    assert.closeTo(data.pool(pool)!.liquidityUsd, data.price(token.index).depthUsd, 1e-6);
    market.close();
  });

  it("extreme reserves, decimals and supplies give no number that is not finite and ≥ 0", () => {
    const market = testMarket(first);
    const most = (1n << 112n) - 1n;
    const tokens = [0, 18, 77, 255].map((decimals, place) => ({
      address: worthless(place),
      decimals,
      symbol: "∞",
      name: "",
    }));
    const extremes = [1n, 2n, 10n ** 21n, most];
    const reserves = extremes.flatMap((x) => extremes.map((y) => [x, y]));
    const forged = tokens.flatMap(({ address }, at) =>
      reserves.flatMap((both) => [
        { tokens: [WETH, address] as const, reserves: both },
        { tokens: [worthless((at + 1) % 4), address] as const, reserves: both },
      ]),
    );
    const data = market.data(DOLLARS, 0);
    const supplies = tokens.map(({ address }) => ({
      token: address,
      totalSupply: (1n << 256n) - 1n,
    }));
    market.apply({ ...poison(forged), tokens, supplies });
    data.settle();
    for (const token of tokensOf(data)) {
      for (const value of [
        ...Object.values(data.token(token)),
        ...Object.values(data.price(token)),
      ]) {
        if (typeof value === "number") assert.isTrue(Number.isFinite(value) && value >= 0);
      }
    }
    for (let pool = 0 as PoolIndex; pool < market.graph.poolCount; pool++) {
      const { liquidityUsd } = data.pool(pool)!;
      assert.isTrue(Number.isFinite(liquidityUsd) && liquidityUsd >= 0);
    }
    market.close();
  });
});

interface Poison {
  readonly tokens: readonly [`0x${string}`, `0x${string}`];
  readonly reserves: ReadonlyArray<bigint>;
}

const RANGE_POOL = mockAddress(0xc0ffee);

/** A pool of a new token and WETH at a price of one; a range begins there. */
function rangePool(
  token: `0x${string}`,
  liquidity: bigint,
  book: ReadonlyArray<readonly [number, bigint]>,
): MarketBlock {
  const ticks = book.filter(([, net]) => net !== 0n);
  const listing = {
    dexId: "UNISWAP_V3",
    tokens: [token, WETH] as const,
    feePips: 3_000,
    parameter: 60,
  };
  return {
    ...emptyBlock,
    tokens: [{ address: token, decimals: 18, symbol: "FORGED", name: "Forged" }],
    pools: [{ ...listing, address: RANGE_POOL }],
    states: [
      {
        pool: RANGE_POOL,
        state: encodeConcentrated({ sqrtPriceX96: 1n << 96n, tick: 0, liquidity, ticks }),
      },
    ],
  };
}

const emptyBlock: MarketBlock = {
  ...first,
  stamp: { ...first.stamp, number: first.stamp.number + 1 },
  dexes: [],
  tokens: [],
  pools: [],
  states: [],
};

function priceOf(data: MarketData, address: string): number {
  const { items } = data.tokens({ page: 1, limit: 1_000_000, sort: "address" });
  return items.find((token) => token.address === address)!.priceUsd;
}

function expectPricesOf(data: MarketData, honest: MarketData, tolerance: number): void {
  for (const token of tokensOf(honest)) {
    const expected = honest.price(token).priceUsd;
    assert.closeTo(data.price(token).priceUsd, expected, tolerance * expected, `token ${token}`);
  }
}
