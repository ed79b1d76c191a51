import type { MarketBlock, PoolListing, SwapEvent, TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { encodeBalances, law, type RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { blockAfter, poolsBlock } from "../markets/marketPools.ts";
import { MIXED_CURVES } from "../markets/mixedMarket.ts";
import { mockAddress, testMarket, USDC } from "../markets/recordedMarkets.ts";
import { plainPrices } from "../reference/plainPrices.ts";

// Token addresses ascend with their places, but the pool has its own order.
const DOLLAR = USDC.address;
const [A, B, C] = [1, 2, 3].map((place) => mockAddress(0xa00000 + place)) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const POOL = mockAddress(0xf00001);
const TOKENS = [DOLLAR, C, A, B];
const ALL = { page: 1, limit: 100, sort: "-liquidityUsd" } as const;

interface Weighted {
  readonly address: `0x${string}`;
  readonly tokens: ReadonlyArray<`0x${string}`>;
  readonly balances: ReadonlyArray<bigint>;
}

const E6 = 10n ** 6n;
/** Smallest units stay below the 2^63 of the test curve: tokens of 18 decimals are few. */
const whole = (tokens: number) => BigInt(Math.round(tokens * 1e9)) * 10n ** 9n;

/** A market of weighted pools of dollars (6 decimals) and tokens of 18. */
function weightedBlock(pools: ReadonlyArray<Weighted>): MarketBlock {
  const first = poolsBlock(4, []);
  return {
    ...first,
    pools: pools.map(
      ({ address, tokens }): PoolListing => ({
        ...{ address, dexId: "UNISWAP_V2", curve: "weighted-for-tests", tokens },
        ...{ feePips: 3_000, parameter: 0 },
        constants: new BigUint64Array(tokens.length).fill(1n),
      }),
    ),
    states: pools.map(({ address, balances }) => ({
      pool: address,
      state: encodeBalances(balances),
    })),
  };
}

/** A million dollars of each token, at 500,000, 250,000 and 125,000 dollars a token. */
const MILLION = 10n ** 12n;
const BALANCES = [MILLION, whole(2), whole(4), whole(8)];

function opened(
  pools: ReadonlyArray<Weighted> = [{ address: POOL, tokens: TOKENS, balances: BALANCES }],
) {
  const market = testMarket(weightedBlock(pools), MIXED_CURVES);
  const data = market.data([USDC]);
  const pool = market.graph.findPool(POOL)!;
  const token = (address: string) => market.graph.findToken(address)!;
  return { market, data, pool, token };
}

/** The next block, a day later: the first interval of the known history may be incomplete. */
function blockOn(number: number, happens: Parameters<typeof blockAfter>[1]): MarketBlock {
  const block = blockAfter(number, happens);
  return { ...block, stamp: { ...block.stamp, timestampMs: block.stamp.timestampMs + 86_400_000 } };
}

let hashes = 0;
function swap(part: Partial<SwapEvent>): SwapEvent {
  return {
    ...{ pool: POOL, logIndex: 0, amountIn: E6, amountOut: whole(1e-6), priceAfter: 0 },
    ...{ tokenIn: DOLLAR, tokenOut: A },
    transactionHash: `0x${(++hashes).toString(16).padStart(64, "0")}`,
    ...part,
  };
}

describe("a pool of four tokens", () => {
  it("is listed with all of its tokens and what it holds of each, its dollars counted once", () => {
    const { data, pool, token } = opened();
    const view = data.pool(pool)!;
    expect([view.token0, view.token1]).toEqual([token(DOLLAR), token(C)]);
    expect(view.holdings).toEqual(
      TOKENS.map((address, at) => ({ token: token(address), amount: BALANCES[at] })),
    );
    expect(view.liquidityUsd).toBeCloseTo(4e6, -2);
    const tokens = data.tokens({ page: 1, limit: 10, sort: "address" }).items;
    const sum = tokens.reduce((all, { liquidityUsd }) => all + liquidityUsd, 0);
    expect(sum).toBeCloseTo(view.liquidityUsd, -2);
    for (const each of TOKENS) {
      expect(data.pools({ ...ALL, token: each }).items.map(({ index }) => index)).toEqual([pool]);
    }
    data.close();
  });

  it("prices its tokens in dollars, each by what moves it", () => {
    const { data, token } = opened();
    for (const [address, priceUsd] of [
      [C, 500_000],
      [A, 250_000],
      [B, 125_000],
    ] as const) {
      const price = data.price(token(address));
      expect(price.priceUsd / priceUsd).toBeCloseTo(1, 3);
      // For a pool worth half a million, 2 % are 1 % of its holding of either token.
      expect(price.depthUsd).toBeGreaterThan(9_000);
      expect(price.depthUsd).toBeLessThan(11_000);
    }
    data.close();
  });

  it("has a series of prices for each pair, in either direction, and its first pair's by default", () => {
    const { market, data, pool, token } = opened();
    const start = market.graph.stamp.number;
    market.apply(
      blockOn(start, {
        swaps: [
          // One C for 490,000 dollars; one A for 1.9 B; one B for 0.6 A.
          swap({ tokenIn: DOLLAR, tokenOut: C, priceAfter: 1e18 / 490_000e6 }),
          swap({ tokenIn: A, tokenOut: B, priceAfter: 1.9, logIndex: 1 }),
          swap({ tokenIn: B, tokenOut: A, priceAfter: 0.5, logIndex: 2 }),
        ],
      }),
    );
    data.settle();
    const candles = (base?: string, quote?: string) =>
      data.poolCandles(
        pool,
        "1m",
        { limit: 10 },
        base === undefined ? undefined : { base: token(base), quote: token(quote!) },
      );
    const [first] = candles();
    expect(first!.close * 490_000).toBeCloseTo(1);
    expect(candles(DOLLAR, C)).toEqual(candles());
    const [turned] = candles(C, DOLLAR);
    expect(turned!.close / 490_000).toBeCloseTo(1);
    expect(turned!.volumeUsd).toBe(first!.volumeUsd);
    const [pair] = candles(A, B);
    expect([pair!.open, pair!.high, pair!.low, pair!.close]).toEqual([1.9, 2, 1.9, 2]);
    const [inverse] = candles(B, A);
    expect(inverse!.open).toBeCloseTo(1 / 1.9);
    expect([inverse!.high, inverse!.low, inverse!.close]).toEqual([inverse!.open, 0.5, 0.5]);
    expect(candles(A, C)).toEqual([]);
    data.close();
  });

  it("tells the trades of a pair, page after page, and its first pair's by default", () => {
    const { market, data, pool, token } = opened();
    const pairs = [
      [DOLLAR, C],
      [A, B],
      [C, DOLLAR],
      [B, A],
      [A, C],
    ] as const;
    const swaps = Array.from({ length: 20 }, (_, logIndex) => {
      const [tokenIn, tokenOut] = pairs[logIndex % pairs.length]!;
      return swap({ tokenIn, tokenOut, logIndex });
    });
    market.apply(blockOn(market.graph.stamp.number, { swaps }));
    data.settle();
    const of = (limit: number, before?: string, pair?: readonly [string, string]) =>
      data
        .trades(pool, limit, before, pair && { base: token(pair[0]), quote: token(pair[1]) })
        .map(({ logIndex, id }) => ({ logIndex, id }));
    const indexes = (trades: ReadonlyArray<{ logIndex: number }>) =>
      trades.map(({ logIndex }) => logIndex);
    expect(indexes(of(50))).toEqual([17, 15, 12, 10, 7, 5, 2, 0]);
    expect(of(50, undefined, [DOLLAR, C])).toEqual(of(50));
    const newest = of(3, undefined, [B, A]);
    expect(indexes(newest)).toEqual([18, 16, 13]);
    expect(indexes(of(3, newest.at(-1)!.id, [B, A]))).toEqual([11, 8, 6]);
    expect(indexes(of(50, undefined, [C, B]))).toEqual([]);
    const volume = data.poolWindows(pool)["24h"];
    expect([volume.transactions, volume.buys + volume.sells]).toEqual([20, 20]);
    data.close();
  });

  it("keeps pairs apart over a save and a reorganisation", () => {
    const { market, data, pool, token } = opened();
    const start = market.graph.stamp.number;
    market.apply(
      blockOn(start, {
        swaps: [
          swap({ tokenIn: A, tokenOut: B, priceAfter: 1.9 }),
          swap({ tokenIn: DOLLAR, tokenOut: C, priceAfter: 2e6, logIndex: 1 }),
        ],
      }),
    );
    data.settle();
    const ab = { base: token(A), quote: token(B) };
    const answers = (of: MarketData) => [
      of.poolCandles(pool, "1m", { limit: 9 }, ab),
      of.poolCandles(pool, "1m", { limit: 9 }),
      of.trades(pool, 9, undefined, ab),
      of.trades(pool, 9),
    ];
    const before = answers(data);
    const again = market.data([USDC], undefined, data.save());
    expect(answers(again)).toEqual(before);
    const { hash } = market.graph.stamp;
    market.apply({ ...blockOn(start + 1, {}), orphaned: [hash] });
    again.settle();
    expect(answers(again)).toEqual([[], [], [], []]);
    market.close();
  });
});

describe("prices through pools of many tokens", () => {
  it("hear a pool once, however many of its tokens say the same", () => {
    // Three quarters of the depth say 250,000 dollars; a pool of four tokens says 260,000 through
    // each.
    const honest = { address: mockAddress(0xf00002), tokens: [DOLLAR, A] };
    const { data, token } = opened([
      { ...honest, balances: [MILLION + MILLION / 2n, whole(6)] },
      {
        ...{ address: POOL, tokens: [DOLLAR, B, C, A] },
        balances: [MILLION, whole(8), whole(2), whole(1e6 / 260_000)],
      },
    ]);
    expect(data.price(token(A)).priceUsd / 250_000).toBeCloseTo(1, 2);
    data.close();
  });

  it("are those of the plain reference, and what the audit finds", () => {
    for (const [index, random] of law("prices through pools of many tokens", 150).sources()) {
      const pools = drawnPools(random);
      const market = testMarket(weightedBlock(pools), MIXED_CURVES);
      const data = market.data([USDC], 500);
      const plain = plainPrices(market.graph, market.familyOf, [USDC], 500);
      for (let token = 0; token < market.graph.tokenCount; token++) {
        const { priceUsd, depthUsd, confidence } = data.price(token as TokenIndex);
        const place = `market ${index}, token ${token}`;
        expect(priceUsd, place).toBeCloseTo(plain[token]!.priceUsd, 6);
        expect(depthUsd / (plain[token]!.depthUsd || 1), place).toBeCloseTo(
          plain[token]!.depthUsd > 0 ? 1 : 0,
          9,
        );
        expect(confidence, place).toBeCloseTo(plain[token]!.confidence, 9);
      }
      expect(data.auditPrices(10), `market ${index}`).toEqual([]);
      market.close();
    }
  });
});

/** Up to four pools of up to four tokens, of any balances. */
function drawnPools(random: RandomSource): Weighted[] {
  return Array.from({ length: random.between(1, 4) }, (_, place) => {
    const others = random.shuffled([A, B, C]).slice(0, random.between(1, 3));
    const tokens = random.shuffled(random.chance(0.8) ? [DOLLAR, ...others] : [...others, DOLLAR]);
    return {
      address: mockAddress(0xf00010 + place),
      tokens,
      balances: tokens.map((token) =>
        token === DOLLAR ? random.amount(45) + E6 : random.amount(62) + 1n,
      ),
    };
  });
}
