import { assert, describe, it } from "@effect/vitest";
import type { MarketBlock } from "@millrace/core";
import { generateMarketBlock } from "@millrace/replay";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { type PlainPool, poolsBlock } from "../markets/marketPools.ts";
import { testMarket, tokensOf, universeAtEnd } from "../markets/recordedMarkets.ts";

/** All pools alike, so that widths, weights and prices tie everywhere. */
function tiedBlock(): MarketBlock {
  const random = new RandomSource(TEST_SEED);
  const tokenCount = 40;
  const pools = Array.from({ length: 160 }, (): PlainPool => {
    const first = random.integer(tokenCount);
    const second = (first + 1 + random.integer(tokenCount - 1)) % tokenCount;
    const units = (place: number) => 10n ** (place === 0 ? 12n : 24n);
    const dear = random.pick([1n, 1n, 1n, 2n]);
    return { tokens: [first, second], reserves: [dear * units(first), units(second)] };
  });
  return poolsBlock(tokenCount, pools);
}

describe("prices do not depend on the order in which a market is told", () => {
  it.each([
    ["recorded", () => universeAtEnd("universe-a")],
    ["generated", async () => generateMarketBlock({ seed: TEST_SEED, poolCount: 600 })],
    ["all of equals", async () => tiedBlock()],
  ])("%s", async (_name, open) => {
    const block = await open();
    const expected = toldByAddress(block);
    assert.isAbove([...expected.prices.values()].filter((price) => price.priceUsd > 0).length, 30);
    for (const seed of [1, 2, 3]) {
      const { prices, liquidityUsd } = toldByAddress(shuffledBlock(block, seed));
      assert.deepStrictEqual(prices, expected.prices);
      // Sums over pools in the order of indexes: equal up to float rounding.
      for (const [address, usd] of liquidityUsd) {
        const expectedUsd = expected.liquidityUsd.get(address)!;
        assert.closeTo(usd, expectedUsd, 1e-12 * expectedUsd, address);
      }
    }
  });
});

/** The same market with its tokens and pools in another order, and so with other indexes. */
function shuffledBlock(block: MarketBlock, seed: number): MarketBlock {
  const random = new RandomSource(seed);
  const shuffled = <A>(items: ReadonlyArray<A>): A[] => {
    const left = [...items];
    return items.map(() => left.splice(random.integer(left.length), 1)[0]!);
  };
  return {
    ...block,
    tokens: shuffled(block.tokens),
    pools: shuffled(block.pools),
    states: shuffled(block.states),
  };
}

/** By address: the price view, with addresses for indexes, and the liquidity. */
function toldByAddress(block: MarketBlock) {
  const market = testMarket(block);
  const { graph } = market;
  const data = market.data();
  const tokens = tokensOf(data).map((token) => [graph.tokenAddress(token), token] as const);
  tokens.sort(([a], [b]) => (a < b ? -1 : 1));
  const prices = tokens.map(([address, token]) => {
    const { path, pools, anchor, ...price } = data.price(token);
    const provenance = {
      path: path.map((each) => graph.tokenAddress(each)),
      pools: pools.map((each) => graph.poolAddress(each)),
      anchor: anchor === undefined ? undefined : graph.tokenAddress(anchor),
    };
    return [address, { ...price, ...provenance }] as const;
  });
  const liquidityUsd = tokens.map(
    ([address, token]) => [address, data.token(token).liquidityUsd] as const,
  );
  market.close();
  return { prices: new Map(prices), liquidityUsd: new Map(liquidityUsd) };
}
