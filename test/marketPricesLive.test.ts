import { assert, describe, it } from "@effect/vitest";
import type { Address, MarketBlock, PoolListing, PoolState, TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { blockAfter, type PlainPool, poolAt, poolsBlock, withDust } from "./marketPoolsSupport.ts";
import {
  DOLLARS,
  mockAddress,
  testMarket,
  tokensOf,
  universeAtEnd,
  universeBlocks,
  WETH,
} from "./marketSupport.ts";
import { plainPrices } from "./reference/plainPrices.ts";
import { seededRandom } from "./reference/random.ts";

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
    const random = seededRandom(11);
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
    assert.isAbove(pricesOf(data).filter(({ priceUsd }) => priceUsd > 0).length, 70);
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
    const counts = { all: 0, other: 0 };
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
      for (const [token, { priceUsd }] of settled.entries()) {
        counts.all++;
        if (Math.abs(live[token]!.priceUsd - priceUsd) > 1e-9 * priceUsd) counts.other++;
      }
    }
    // New pools between any tokens at any price change the order now and then.
    assert.isAbove(counts.other, 0);
    assert.isBelow(counts.other / counts.all, 0.15);
    market.close();
  });

  it("of a token that is made of too many others is the one before at once, and its own when asked again", () => {
    const length = 6_000;
    const side = 10n ** 24n;
    const pools = Array.from({ length }, (_, place): PlainPool => {
      const reserves = place === 0 ? ([10n ** 12n, side] as const) : ([side, side] as const);
      return { tokens: [place, place + 1], reserves };
    });
    const market = testMarket(poolsBlock(length + 1, pools));
    const data = market.data();
    const last = length as TokenIndex;
    assert.closeTo(data.price(last).priceUsd, 1, 1e-6);
    const state = encodeReserves([2n * 10n ** 12n, side]);
    market.apply(blockAfter(1, { states: [{ pool: poolAt(0), state }] }));
    assert.closeTo(data.price(1 as TokenIndex).priceUsd, 2, 1e-6);
    const [before, after] = [data.price(last), data.price(last)];
    assert.closeTo(before.priceUsd, 1, 1e-6);
    assert.strictEqual(before.blockNumber, 1);
    assert.closeTo(after.priceUsd, 2, 1e-6);
    assert.strictEqual(after.blockNumber, 2);
    assert.lengthOf(after.path, length + 1);
    market.close();
  });
});

describe("an audit", () => {
  it("finds what is told of a pool that has changed without a word", () => {
    const market = testMarket(withDust(poolsBlock(3, steppedPools(3).pools.slice(0, 2))));
    const data = market.data();
    const { graph } = market;
    assert.deepStrictEqual(data.auditPrices(graph.tokenCount), []);
    const before = data.price(1 as TokenIndex).priceUsd;
    // Twice the dollars in the pool, behind everybody's back.
    const start = graph.poolStateStart[graph.findPool(poolAt(0))!]!;
    graph.stateWords.set(encodeReserves([2n * 10n ** 14n, 10n ** 26n]).words, start);
    const found = data.auditPrices(graph.tokenCount);
    const first = found.find(({ token }) => token === 1)!;
    assert.strictEqual(first.servedUsd, before);
    assert.closeTo(first.auditedUsd, 2 * before, 1e-9 * before);
    market.close();
  });
});

/** Blocks of random changes of a market, and back again. */
class PoolTraffic {
  readonly #market: TestMarket;
  readonly #random = seededRandom(7);
  readonly #listings: Map<string, PoolListing>;
  readonly #states: Map<string, PoolState>;
  #undo: Happens = {};
  #added = 0;

  constructor(market: TestMarket, { pools, states }: MarketBlock) {
    this.#market = market;
    this.#listings = new Map(pools.map((listing) => [listing.address, listing]));
    this.#states = new Map(states.map(({ pool, state }) => [pool, state]));
  }

  /** Large swaps in fifty pools; two pools go, and ten come, between any tokens at any price. */
  next(): Happens {
    const removed = [this.#pick(), this.#pick()].filter(({ address }) =>
      this.#listings.delete(address),
    );
    const added = Array.from({ length: 10 }, () => {
      const model = this.#pick();
      const address = mockAddress(0xadd0000 + this.#added++);
      this.#states.set(address, this.#states.get(model.address)!);
      const other = this.#pick().tokens.find((token) => token !== model.tokens[0])!;
      return { ...model, tokens: [model.tokens[0]!, other], address };
    });
    const swapped = Array.from({ length: 50 }, () => this.#pick().address);
    const before = [...removed.map(({ address }) => address), ...new Set(swapped)];
    this.#undo = {
      removedPools: added.map(({ address }) => address),
      pools: removed,
      states: before.map((pool) => ({ pool, state: this.#states.get(pool)! })),
    };
    const states = swapped.map((pool) => ({ pool, state: this.#swapped(pool) }));
    for (const listing of added) this.#listings.set(listing.address, listing);
    return {
      removedPools: removed.map(({ address }) => address),
      pools: added,
      states: [
        ...added.map(({ address }) => ({ pool: address, state: this.#states.get(address)! })),
        ...states,
      ],
    };
  }

  /** All that the last block changed, as it was before. */
  back(): Happens {
    for (const { pool, state } of this.#undo.states!) this.#states.set(pool, state);
    for (const pool of this.#undo.removedPools!) this.#listings.delete(pool);
    for (const listing of this.#undo.pools!) this.#listings.set(listing.address, listing);
    return this.#undo;
  }

  #pick(): PoolListing {
    return this.#random.pick([...this.#listings.values()]);
  }

  /** The pool after a swap of up to a third of what it holds, as the graph shows it. */
  #swapped(address: Address): PoolState {
    const { graph, familyOf } = this.#market;
    const pool = graph.findPool(address)!;
    const family = familyOf(pool);
    const tokenIn = this.#random.integer(2);
    const held = family.tokenAmounts(pool)[tokenIn]!;
    const amountIn = held / BigInt(3 + this.#random.integer(300));
    const before = this.#states.get(address)!;
    const swap =
      amountIn > 0n ? family.swapExactIn(pool, tokenIn, 1 - tokenIn, amountIn) : undefined;
    if (swap === undefined) return before;
    const { book } = before;
    const state = book === undefined ? swap.state : { ...swap.state, book };
    this.#states.set(address, state);
    return state;
  }
}

type Happens = Parameters<typeof blockAfter>[1];

/** Prices of all tokens are the mid prices of pools of the market as it is, each above the floor. */
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
 * Tokens that are joined to one to three earlier ones; each pool is 3 % less deep than the one
 * before it, so that moves of far less change nothing about which token is backed better.
 */
function steppedPools(poolCount: number): { tokenCount: number; pools: PlainPool[] } {
  const random = seededRandom(5);
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
function nudged(
  { reserves }: PlainPool,
  random: ReturnType<typeof seededRandom>,
): readonly [bigint, bigint] {
  const part = BigInt(random.integer(401) - 200);
  const moved = reserves[0] + (reserves[0] * part) / 1_000_000n;
  return [moved, (reserves[0] * reserves[1]) / moved];
}
