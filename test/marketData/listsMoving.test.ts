import { assert, describe, it } from "@effect/vitest";
import type { MarketBlock } from "@millrace/core";
import type { MarketData, TokenView } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { testMarket } from "../markets/recordedMarkets.ts";

describe("lists of a large market that moves", () => {
  it("are of one block in all that they show and go by, whatever block comes meanwhile", async () => {
    const first = generateMarketBlock({ seed: 6, poolCount: 6_000 });
    const start = movingBlock(first, 2, () => true);
    const blocks = [3, 4, 5, 6].map((number) =>
      movingBlock(first, number, (place) => place % 3 === number % 3),
    );
    // The data of each block, when all of it is computed before the next one comes.
    const calm = testMarket(first);
    const calmData = calm.data();
    calm.apply(start);
    calmData.settle();
    const expected = new Map([[2, picture(calmData)]]);
    for (const block of blocks) {
      calm.apply(block);
      calmData.settle();
      expected.set(block.stamp.number, picture(calmData));
    }
    assert.notDeepEqual(expected.get(2), expected.get(3));
    const market = testMarket(first);
    const data = market.data();
    market.apply(start);
    data.settle();
    const seen = new Map<number, number>();
    // Trades are taken in slices too. Lists that were read before the last of a block's trades, as
    // on a busy machine, are read again, unless the next block comes first.
    let newest = start.stamp.number;
    const withAllTrades = new Set<number>();
    let turns = 0;
    const told = { version: -1, tokens: [] as ReadonlyArray<TokenView> };
    const look = () => {
      const block = data.settledBlock();
      // A token's own entry stays as long as the version does.
      const now = start.states.slice(0, 50).map(({ pool }) => {
        const { token1 } = data.pool(market.graph.findPool(pool)!)!;
        return data.token(token1);
      });
      if (data.version() === told.version) assert.deepStrictEqual(now, told.tokens);
      Object.assign(told, { version: data.version(), tokens: now });
      if (block === newest && data.hasAllTrades()) withAllTrades.add(block);
      if (withAllTrades.has(block)) {
        assert.deepStrictEqual(picture(data), expected.get(block), `of block ${block}`);
      }
      seen.set(block, (seen.get(block) ?? 0) + 1);
    };
    for (const block of blocks) {
      market.apply(block);
      newest = block.stamp.number;
      look();
      // The next block comes while this one is being processed.
      for (let turn = 0; turn < 2; turn++, turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        look();
      }
    }
    while (!withAllTrades.has(newest)) {
      await new Promise((resolve) => setImmediate(resolve));
      look();
      turns++;
    }
    assert.isAbove(turns, 2 * blocks.length);
    assert.isAbove(seen.get(2) ?? 0, 1);
    market.close();
    calm.close();
  });
});

/** Pages with all fields of each entry, and the values they are sorted by. */
function picture(data: MarketData) {
  const page = { page: 2, limit: 30 };
  const pages = [
    data.tokens({ ...page, sort: "-volume24h" }),
    data.tokens({ ...page, sort: "-liquidity", minVolume24h: 1 }),
    data.tokens({ ...page, sort: "-marketCap" }),
    data.tokens({ ...page, sort: "-lastUpdated" }),
    data.search("token", 20),
  ];
  const pools = [
    data.pools({ ...page, sort: "-volume24h" }),
    data.pools({ ...page, sort: "-liquidityUsd", minLiquidityUsd: 5 }),
  ];
  return {
    // The existence of a chart does not depend on the block.
    tokens: pages.map(({ items, total }) => ({
      items: items.map((view) => ({ ...view, hasCandles: true })),
      total,
    })),
    // A pool's exact state follows the graph at once, so it is left out.
    pools: pools.map(({ items, total }) => ({
      items: items.map(({ index, liquidityUsd, volume24hUsd }) => [
        index,
        liquidityUsd,
        volume24hUsd,
      ]),
      total,
    })),
  };
}

/** A block that moves the prices of some of 400 pools, and in which half of them trade. */
function movingBlock(
  first: MarketBlock,
  number: number,
  isMoved: (place: number) => boolean,
): MarketBlock {
  const pools = first.pools.filter(({ dexId }) => dexId === "UNISWAP_V2").slice(0, 400);
  const nothing = { dexes: [], tokens: [], pools: [], removedPools: [], supplies: [] };
  const unit = 10n ** 22n;
  return {
    ...nothing,
    stamp: {
      number,
      hash: `0x${number.toString(16).padStart(64, "0")}`,
      timestampMs: first.stamp.timestampMs + 12_000 * number,
    },
    states: pools
      .filter((_, place) => isMoved(place))
      .map(({ address }) => ({
        pool: address,
        state: encodeReserves([unit, unit + BigInt(number) * 10n ** 19n]),
      })),
    swaps: pools
      .filter((_, place) => place % 2 === number % 2)
      .map(({ address, tokens }, place) => ({
        ...{ pool: address, tokenIn: tokens[0]!, tokenOut: tokens[1]!, logIndex: place },
        ...{ amountIn: 10n ** 19n, amountOut: 10n ** 19n, priceAfter: 1 },
        transactionHash: `0x${place.toString(16).padStart(64, "0")}`,
      })),
  };
}
