import { assert, describe, it } from "@effect/vitest";
import type { TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, RandomSource, TEST_SEED } from "@millrace/testing";
import {
  blockAfter,
  type PlainPool,
  poolAt,
  poolsBlock,
  withDust,
} from "../markets/marketPools.ts";
import { PoolTraffic } from "../markets/PoolTraffic.ts";
import {
  DOLLARS,
  testMarket,
  tokensOf,
  universeAtEnd,
  universeBlocks,
  WETH,
} from "../markets/recordedMarkets.ts";
import { type PlainPrice, plainPrices } from "../reference/plainPrices.ts";

const FLOOR_USD = 1_000;
const UNIVERSES = ["universe-a", "universe-b"] as const;

type TestMarket = ReturnType<typeof testMarket>;

describe("settled prices", () => {
  it.each(UNIVERSES)("are those of the plainest computation: %s", async (name) => {
    expectPlainPrices(testMarket(await universeAtEnd(name)));
  });

  it("are those of the plainest computation in generated markets", () => {
    for (const seed of [1, 2, 3]) {
      expectPlainPrices(testMarket(generateMarketBlock({ seed, poolCount: 600 })));
    }
  });
});

describe("prices of a block that is not settled yet", () => {
  it("are to the bit those of the settled block, while no other token is backed better", () => {
    const random = law("prices live: unsettled as settled", 1).random();
    const { tokenCount, pools } = steppedPools(150);
    const first = withDust(poolsBlock(tokenCount, pools));
    const market = testMarket(first);
    const data = market.data(DOLLARS, FLOOR_USD);
    let changed = 0;
    for (let number = 1; number <= 25; number++) {
      const before = pricesOf(data);
      const states = Array.from({ length: 12 }, () => {
        const place = random.integer(pools.length);
        return { pool: poolAt(place), state: encodeReserves(nudged(pools[place]!, random)) };
      });
      market.apply(blockAfter(number, { states }));
      assert.strictEqual(data.settledBlock(), number);
      const now = pricesOf(data);
      assert.deepStrictEqual(data.auditPrices(tokenCount), []);
      data.settle();
      assert.strictEqual(data.settledBlock(), number + 1);
      assert.deepStrictEqual(pricesOf(data), now);
      if (now.some(({ priceUsd }, token) => priceUsd !== before[token]!.priceUsd)) changed++;
    }
    assert.strictEqual(changed, 25);
    // Some pools end below the floor, by chance: 74 to 83 tokens have a price with most seeds.
    assert.isAbove(pricesOf(data).filter(({ priceUsd }) => priceUsd > 0).length, 60);
    market.close();
  });

  it.each(UNIVERSES)(
    "of recorded blocks stand every audit, and are to the bit the settled ones: %s",
    async (name) => {
      const blocks = await universeBlocks(name);
      const market = testMarket(withDust(blocks[0]!));
      const data = market.data();
      for (const block of blocks.slice(1)) {
        market.apply(block);
        assert.isBelow(data.settledBlock(), block.stamp.number);
        const live = pricesOf(data);
        expectSound(market, data);
        assert.deepStrictEqual(data.auditPrices(market.graph.tokenCount), []);
        data.settle();
        assert.deepStrictEqual(data.auditPrices(market.graph.tokenCount), []);
        assert.deepStrictEqual(pricesOf(data), live);
      }
      market.close();
    },
  );

  it.each(UNIVERSES)("of WETH are within 1 % by any anchor alone: %s", async (name) => {
    const blocks = await universeBlocks(name);
    const market = testMarket(withDust(blocks[0]!));
    const byAnchor = DOLLARS.map((anchor) => market.data([anchor]));
    const weth = market.graph.findToken(WETH)!;
    for (const block of blocks.slice(1)) {
      market.apply(block);
      const prices = byAnchor.map((data) => data.price(weth));
      for (const { blockNumber, priceUsd } of prices) {
        assert.strictEqual(blockNumber, block.stamp.number);
        assert.closeTo(priceUsd, prices[0]!.priceUsd, 0.01 * prices[0]!.priceUsd);
      }
      assert.isAbove(prices[0]!.priceUsd, 1_000);
    }
    market.close();
  });

  it("stand every audit while pools come and go, take over indexes, and blocks are taken back", () => {
    const market = testMarket(generateMarketBlock({ seed: 9, poolCount: 2_200 }));
    const data = market.data();
    const traffic = new PoolTraffic(market, generateMarketBlock({ seed: 9, poolCount: 2_200 }));
    const counts = { all: 0, other: 0, bound: 0 };
    const plain = () => plainPrices(market.graph, market.familyOf, DOLLARS, FLOOR_USD);
    let former = plain();
    for (let number = 1; number <= 24; number++) {
      market.apply(blockAfter(number, number % 3 === 0 ? traffic.back() : traffic.next()));
      expectSound(market, data);
      assert.deepStrictEqual(data.auditPrices(300), []);
      if (number % 4 !== 0) continue;
      const live = pricesOf(data);
      data.settle();
      assert.deepStrictEqual(data.auditPrices(300), []);
      const fresh = market.data();
      const settled = pricesOf(fresh);
      fresh.close();
      assert.deepStrictEqual(pricesOf(data), settled);
      const expected = plain();
      const isBound = boundTokens(market, former, expected);
      former = expected;
      for (const [token, price] of settled.entries()) {
        const { priceUsd } = expected[token]!;
        assert.closeTo(price.priceUsd, priceUsd, 1e-9 * priceUsd);
        counts.all++;
        if (Math.abs(live[token]!.priceUsd - price.priceUsd) > 1e-9 * price.priceUsd)
          counts.other++;
        if (!isBound[token]) continue;
        counts.bound++;
        assert.deepStrictEqual(live[token], price);
      }
    }
    // New pools between any tokens at any price sometimes change the order. If a token near the
    // anchors is concerned, most prices of that block may change.
    assert.isAbove(counts.other, 0);
    assert.isAbove(counts.bound, 0.2 * counts.all);
    market.close();
  });

  it("of a token that is made of too many others is the one before at once, and its own when asked again", () => {
    const many = 5_000;
    const side = 10n ** 24n;
    const pools: PlainPool[] = [{ tokens: [0, 1], reserves: [10n ** 12n, side] }];
    for (let between = 2; between < 2 + many; between++) {
      pools.push({ tokens: [1, between], reserves: [side, side] });
      pools.push({ tokens: [between, 2 + many], reserves: [side, side] });
    }
    const market = testMarket(poolsBlock(3 + many, pools));
    const data = market.data();
    const last = (2 + many) as TokenIndex;
    assert.closeTo(data.price(last).priceUsd, 1, 1e-6);
    const state = encodeReserves([2n * 10n ** 12n, side]);
    market.apply(blockAfter(1, { states: [{ pool: poolAt(0), state }] }));
    assert.closeTo(data.price(1 as TokenIndex).priceUsd, 2, 1e-6);
    const [before, after] = [data.price(last), data.price(last)];
    assert.closeTo(before.priceUsd, 1, 1e-6);
    assert.strictEqual(before.blockNumber, 1);
    assert.closeTo(after.priceUsd, 2, 1e-6);
    assert.strictEqual(after.blockNumber, 2);
    assert.lengthOf(after.path, 4);
    market.close();
  });

  it("end with the path: each step away from an anchor costs a tenth of what backs it", () => {
    // A million dollars a side: 10,051 move it by 2 %, less what the half of it that comes out
    // loses.
    const side = 10n ** 24n;
    const chain = Array.from({ length: 60 }, (_, place): PlainPool => {
      const reserves = place === 0 ? ([10n ** 12n, side] as const) : ([side, side] as const);
      return { tokens: [place, place + 1], reserves };
    });
    const market = testMarket(withDust(poolsBlock(61, chain)));
    const data = market.data(DOLLARS, FLOOR_USD);
    const expectPaths = () => {
      for (let place = 1; place <= 60; place++) {
        const { path, depthUsd } = data.price(place as TokenIndex);
        const expected = (1 / Math.sqrt(0.98) - 1) * 0.98 * 1e6 * 0.9 ** (place - 1);
        if (expected < FLOOR_USD) assert.deepStrictEqual([path.length, depthUsd], [0, 0]);
        else assert.lengthOf(path, place + 1);
        if (expected >= FLOOR_USD) assert.closeTo(depthUsd, expected, 1e-3 * expected);
      }
    };
    expectPaths();
    market.apply(blockAfter(1, {}));
    assert.strictEqual(data.price(60 as TokenIndex).blockNumber, 2);
    expectPaths();
    assert.deepStrictEqual(data.auditPrices(61), []);
    market.close();
  });
});

describe("an audit", () => {
  it("finds nothing in the middle of a round, whatever blocks come meanwhile", async () => {
    const block = generateMarketBlock({ seed: 4, poolCount: 5_000 });
    const market = testMarket(block);
    const data = market.data();
    const traffic = new PoolTraffic(market, block);
    let number = 1;
    let unsettled = 0;
    for (let turn = 0; turn < 60 || data.settledBlock() < number; turn++) {
      // Three blocks at a time: with pools that come and go, back again, and an empty one.
      if (turn < 60 && turn % 4 < 3) {
        const happens = [() => traffic.next(), () => traffic.back(), () => ({})][turn % 4]!();
        market.apply(blockAfter(number++, happens));
      }
      if (data.settledBlock() < number) unsettled++;
      assert.deepStrictEqual(data.auditPrices(20), []);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.isAtLeast(unsettled, 45);
    assert.deepStrictEqual(data.auditPrices(500), []);
    market.close();
  });

  it("finds what is told of a pool that has changed without a word", () => {
    const market = testMarket(withDust(poolsBlock(3, steppedPools(3).pools.slice(0, 2))));
    const data = market.data();
    const { graph } = market;
    assert.deepStrictEqual(data.auditPrices(graph.tokenCount), []);
    const before = data.price(1 as TokenIndex).priceUsd;
    // Doubles the dollars in the pool, without an update.
    const start = graph.poolStateStart[graph.findPool(poolAt(0))!]!;
    graph.stateWords.set(encodeReserves([2n * 10n ** 14n, 10n ** 26n]).words, start);
    const found = data.auditPrices(graph.tokenCount);
    const first = found.find(({ token }) => token === 1)!;
    assert.strictEqual(first.servedUsd, before);
    assert.closeTo(first.auditedUsd, 2 * before, 1e-9 * before);
    market.close();
  });
});

/**
 * Checks that prices of all tokens are mid prices of pools in the current market, each above the
 * floor.
 */
function expectSound({ graph, familyOf }: TestMarket, data: MarketData): void {
  for (let token = 0 as TokenIndex; token < graph.tokenCount; token++) {
    const { priceUsd, path, pools, blockNumber, confidence } = data.price(token);
    assert.strictEqual(blockNumber, graph.stamp.number);
    assert.strictEqual(data.token(token).priceUsd, priceUsd);
    if (priceUsd === 0) {
      assert.deepStrictEqual([path, pools, confidence], [[], [], 0]);
      continue;
    }
    let unitUsd = 1 / 10 ** graph.tokenDecimals[path[0]!]!;
    for (const [step, pool] of pools.entries()) {
      assert.isTrue(graph.isLive(pool));
      const from = graph.poolPosition(pool, path[step]!);
      const own = graph.poolPosition(pool, path[step + 1]!);
      const depthUsd = familyOf(pool).depth(pool, from, own) * unitUsd;
      assert.isAtLeast(depthUsd, FLOOR_USD * (1 - 1e-9));
      unitUsd *= familyOf(pool).midPrice(pool, own, from);
    }
    const expected = unitUsd * 10 ** graph.tokenDecimals[token]!;
    assert.closeTo(priceUsd, expected, 1e-9 * expected);
  }
}

/**
 * By token: whether it comes after the same neighbours in both orders, and so do the tokens that
 * may price it. Then its live price, by the former order, equals the settled one to the bit.
 */
function boundTokens(
  { graph }: TestMarket,
  former: ReadonlyArray<PlainPrice>,
  now: ReadonlyArray<PlainPrice>,
): boolean[] {
  const isBound: boolean[] = Array(graph.tokenCount).fill(false);
  const placeOf = (prices: typeof now, token: number) =>
    prices[token]?.place ?? Number.POSITIVE_INFINITY; // of a token that is new
  const inOrder = now
    .map(({ place }, token) => ({ place, token }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  for (const { token } of inOrder) {
    const neighbours = graph.slotNeighbour.subarray(graph.slotStart[token], graph.slotEnd[token]);
    isBound[token] = neighbours.every((neighbour) => {
      const isBefore = placeOf(now, neighbour) < placeOf(now, token);
      const wasBefore = placeOf(former, neighbour) < placeOf(former, token);
      return isBefore === wasBefore && (!isBefore || isBound[neighbour]!);
    });
  }
  return isBound;
}

function expectPlainPrices(market: TestMarket): void {
  const data = market.data(DOLLARS, FLOOR_USD);
  const expected = plainPrices(market.graph, market.familyOf, DOLLARS, FLOOR_USD);
  let priced = 0;
  for (const token of tokensOf(data)) {
    const price = data.price(token);
    const plain = expected[token]!;
    for (const field of ["priceUsd", "depthUsd", "confidence"] as const) {
      assert.closeTo(price[field], plain[field], 1e-9 * plain[field], `${field} of ${token}`);
    }
    if (plain.priceUsd > 0) priced++;
  }
  assert.isAbove(priced, 100);
  market.close();
}

function pricesOf(data: MarketData) {
  return tokensOf(data).map((token) => data.price(token));
}

/**
 * Tokens with pools to one to three earlier ones. Each pool is 3 % less deep than the one before
 * it, so far smaller moves do not change which token is backed better.
 */
function steppedPools(poolCount: number): { tokenCount: number; pools: PlainPool[] } {
  const random = new RandomSource(TEST_SEED);
  const pools: PlainPool[] = [];
  let tokenCount = 1;
  let sideUsd = 1e8;
  while (pools.length < poolCount) {
    const neighbours = new Set(
      Array.from({ length: 1 + random.integer(3) }, () => random.integer(tokenCount)),
    );
    for (const neighbour of neighbours) {
      // All tokens cost a dollar.
      const units = BigInt(Math.round(sideUsd));
      const reserves = [units * (neighbour === 0 ? 10n ** 6n : 10n ** 18n), units * 10n ** 18n];
      pools.push({ tokens: [neighbour, tokenCount], reserves: [reserves[0]!, reserves[1]!] });
      sideUsd *= 0.97;
    }
    tokenCount++;
  }
  return { tokenCount, pools };
}

/** The reserves of a pool after a swap of at most 0.02 % of them. */
function nudged({ reserves }: PlainPool, random: RandomSource): readonly [bigint, bigint] {
  const part = BigInt(random.integer(401) - 200);
  const moved = reserves[0] + (reserves[0] * part) / 1_000_000n;
  return [moved, (reserves[0] * reserves[1]) / moved];
}
