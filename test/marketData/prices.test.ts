import { afterAll, assert, describe, it } from "@effect/vitest";
import type { MarketBlock, PoolIndex } from "@millrace/core";
import type { Anchor } from "@millrace/market";
import {
  DAI,
  DOLLARS,
  testMarket,
  tokensOf,
  USDC,
  USDT,
  universeAtEnd,
  universeBlocks,
  WETH,
} from "../markets/recordedMarkets.ts";

const FLOOR_USD = 1_000;
const first = await universeAtEnd("universe-a");
const blocks = await universeBlocks("universe-a");

describe("prices of a real market", () => {
  const market = testMarket(first);
  afterAll(market.close);
  const { graph } = market;
  const weth = graph.findToken(WETH)!;
  const data = market.data();

  it.each([
    ["USDC", USDC],
    ["USDT", USDT],
    ["DAI", DAI],
  ])("WETH is right within 1 %% from %s alone", (_name, anchor) => {
    // Prices of the deepest constant-product pools of WETH and a dollar, independent of our code.
    const expected = medianOf([...wethPricesOf(USDC), ...wethPricesOf(USDT), ...wethPricesOf(DAI)]);
    const price = market.data([anchor]).price(weth);
    assert.closeTo(price.priceUsd, expected, 0.01 * expected);
    assert.strictEqual(price.anchor, graph.findToken(anchor.address));
    assert.isAbove(price.confidence, 0.9);
  });

  it("every price is the anchor's times the mid prices of the pools of its path", () => {
    let priced = 0;
    for (const token of tokensOf(data)) {
      const { priceUsd, path, pools, anchor } = data.price(token);
      assert.strictEqual(data.token(token).priceUsd, priceUsd);
      if (priceUsd === 0) continue;
      priced++;
      assert.strictEqual(path[0], anchor);
      assert.strictEqual(path.at(-1), token);
      assert.lengthOf(pools, path.length - 1);
      let expected = 1;
      for (const [step, pool] of pools.entries()) {
        const own = graph.poolPosition(pool, path[step + 1]!);
        const other = graph.poolPosition(pool, path[step]!);
        const scale =
          10 ** (graph.tokenDecimals[path[step + 1]!]! - graph.tokenDecimals[path[step]!]!);
        expected *= market.familyOf(pool).midPrice(pool, own, other) * scale;
      }
      assert.closeTo(priceUsd, expected, 1e-9 * expected);
    }
    assert.isAbove(priced, 300);
  });

  it("no token is priced by a pool that less than the floor moves by 2 %", () => {
    for (const floor of [FLOOR_USD, 50_000]) {
      const floored = market.data(DOLLARS, floor);
      for (const token of tokensOf(floored)) {
        const { path, pools } = floored.price(token);
        for (const [step, pool] of pools.entries()) {
          const own = graph.poolPosition(pool, path[step]!);
          const other = graph.poolPosition(pool, path[step + 1]!);
          const neighbour = floored.token(path[step]!);
          const depth = market.familyOf(pool).depth(pool, own, other);
          assert.isAtLeast((depth * neighbour.priceUsd) / 10 ** neighbour.decimals, floor);
        }
      }
    }
  });

  it("an unpriced token has no price, no confidence, no path and no liquidity", () => {
    const unpriced = tokensOf(data).filter((token) => data.token(token).priceUsd === 0);
    assert.isAbove(unpriced.length, 100);
    for (const token of unpriced) {
      const blockNumber = graph.stamp.number;
      const nothing = { priceUsd: 0, confidence: 0, path: [], pools: [], depthUsd: 0, blockNumber };
      assert.deepStrictEqual(data.price(token), nothing);
      assert.strictEqual(data.token(token).liquidityUsd, 0);
    }
  });

  it("an anchor has the price it is configured with, whatever pools say", () => {
    const odd = market.data([{ ...USDC, priceUsd: 7 }, DAI]);
    const usdc = graph.findToken(USDC.address)!;
    const { priceUsd, confidence, path, pools, depthUsd } = odd.price(usdc);
    assert.deepStrictEqual(
      { priceUsd, confidence, path, pools, depthUsd },
      { priceUsd: 7, confidence: 1, path: [usdc], pools: [], depthUsd: 0 },
    );
  });

  it("sources that disagree lower the confidence", () => {
    const odd = market.data([USDC, USDT, { ...DAI, priceUsd: 2 }], 100);
    const agreed = market.data(DOLLARS, 100);
    assert.isBelow(odd.price(weth).confidence, agreed.price(weth).confidence);
  });

  it("liquidity of tokens and of pools is the same sum, and no more than amounts times prices", () => {
    let ofPools = 0;
    for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool++) {
      const { liquidityUsd } = data.pool(pool)!;
      const amounts = market.familyOf(pool).tokenAmounts(pool);
      let worth = 0;
      for (const [position, amount] of amounts.entries()) {
        const { priceUsd, decimals } = data.token(graph.poolToken(pool, position));
        worth += (priceUsd * Number(amount)) / 10 ** decimals;
      }
      assert.isAtMost(liquidityUsd, worth * (1 + 1e-9));
      ofPools += liquidityUsd;
    }
    const ofTokens = tokensOf(data).reduce((sum, token) => sum + data.token(token).liquidityUsd, 0);
    assert.closeTo(ofTokens, ofPools, 1e-9 * ofPools);
    assert.isAbove(ofPools, 5e8);
  });

  it("√price and liquidity are the pool's own, and for reserves the exact integer roots", () => {
    for (const { pool: address, state } of first.states) {
      const view = data.pool(graph.findPool(address)!)!;
      const { words } = state;
      const wide = (at: number) => words[at]! + (words[at + 1]! << 64n);
      if (state.book === undefined) {
        const [x, y] = [wide(0), wide(2)];
        assertRoot(view.liquidity, x * y);
        assertRoot(view.sqrtPriceX96, (y << 192n) / x);
      } else {
        assert.strictEqual(view.sqrtPriceX96, wide(0) + (words[2]! << 128n));
        assert.strictEqual(view.liquidity, wide(3));
      }
    }
  });

  /**
   * Dollar prices of WETH in the constant-product pools that hold at least a million of an anchor.
   */
  function wethPricesOf(anchor: Anchor): number[] {
    const token = graph.findToken(anchor.address)!;
    return first.pools.flatMap(({ address, dexId }) => {
      const pool = graph.findPool(address)!;
      const own = graph.poolPosition(pool, weth);
      if (!dexId.endsWith("V2") || own < 0 || graph.poolPosition(pool, token) < 0) return [];
      const amounts = market.familyOf(pool).tokenAmounts(pool);
      const dollars = Number(amounts[1 - own]!) / 10 ** graph.tokenDecimals[token]!;
      return dollars < 1e6 ? [] : [dollars / (Number(amounts[own]!) / 1e18)];
    });
  }
});

describe("a market that moves", () => {
  it("has after each recorded block the values that a start at that block gives", () => {
    const moving = testMarket(blocks[0]!);
    const data = moving.data();
    let applied = blocks[0]!;
    let moves = 0;
    for (const block of blocks.slice(1)) {
      const before = data.price(moving.graph.findToken(WETH)!).priceUsd;
      moving.apply(block);
      data.settle();
      applied = { ...applied, stamp: block.stamp, states: withStates(applied, block) };
      const fresh = testMarket(applied);
      const freshData = fresh.data();
      for (const token of tokensOf(freshData)) {
        assert.deepStrictEqual(data.price(token), freshData.price(token));
        assert.strictEqual(data.token(token).liquidityUsd, freshData.token(token).liquidityUsd);
      }
      for (let pool = 0 as PoolIndex; pool < fresh.graph.poolCount; pool++) {
        assert.strictEqual(data.pool(pool)!.liquidityUsd, freshData.pool(pool)!.liquidityUsd);
      }
      for (const { pool: address } of block.states) {
        const view = data.pool(moving.graph.findPool(address)!)!;
        assert.strictEqual(view.updatedBlock, block.stamp.number);
        assert.strictEqual(view.lastUpdatedMs, block.stamp.timestampMs);
        assert.strictEqual(data.token(view.token0).lastUpdatedMs, block.stamp.timestampMs);
      }
      if (data.price(moving.graph.findToken(WETH)!).priceUsd !== before) moves++;
      fresh.close();
    }
    assert.isAbove(moves, 0);
    moving.close();
  });

  it("stops listening when it is closed", () => {
    const market = testMarket(first);
    const data = market.data();
    assert.strictEqual(market.listenerCount(), 1);
    data.close();
    assert.strictEqual(market.listenerCount(), 0);
  });
});

function withStates(market: MarketBlock, block: MarketBlock): MarketBlock["states"] {
  const states = new Map(market.states.map((change) => [change.pool, change]));
  for (const change of block.states) {
    const book = change.state.book ?? states.get(change.pool)!.state.book;
    const { words } = change.state;
    states.set(change.pool, {
      pool: change.pool,
      state: book === undefined ? { words } : { words, book },
    });
  }
  return [...states.values()];
}

function assertRoot(root: bigint, value: bigint): void {
  assert.isTrue(root * root <= value && (root + 1n) * (root + 1n) > value);
}

function medianOf(values: number[]): number {
  assert.isAbove(values.length, 2);
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}
