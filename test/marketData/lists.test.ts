import { afterAll, assert, describe, it } from "@effect/vitest";
import { POOL_SORT_FIELDS, TOKEN_SORT_FIELDS } from "@millrace/api";
import type { BlockStamp, MarketBlock, SwapEvent } from "@millrace/core";
import type { PoolView, TokenView } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { mockAddress, testMarket, universeAtEnd, WETH } from "../markets/recordedMarkets.ts";

const ALL = { page: 1, limit: 1_000_000 };
const first = await universeAtEnd("universe-a");
const market = testMarket(first);
const data = market.data();
const { graph } = market;
market.apply(tradedBlock());
data.settle();
const tokens = data.tokens({ ...ALL, sort: "address" }).items;
const pools = data.pools({ ...ALL, sort: "poolAddress" }).items;
afterAll(market.close);

describe("lists", () => {
  it("hold every token and every pool once, in the order of addresses", () => {
    assert.lengthOf(tokens, graph.tokenCount);
    assert.lengthOf(pools, graph.livePoolCount);
    assertAscending(tokens.map(({ address }) => address));
    assertAscending(pools.map(({ address }) => address));
  });

  it.each(TOKEN_SORT_FIELDS)("of tokens sort by %s both ways, ties by address", (field) => {
    for (const sort of [field, `-${field}`] as const) {
      const expected = stableSort(tokens, tokenKey(field), sort.startsWith("-"));
      assert.deepStrictEqual(indexes(data.tokens({ ...ALL, sort })), expected);
    }
  });

  it.each(POOL_SORT_FIELDS)("of pools sort by %s both ways, ties by address", (field) => {
    for (const sort of [field, `-${field}`] as const) {
      const expected = stableSort(pools, poolKey(field), sort.startsWith("-"));
      assert.deepStrictEqual(indexes(data.pools({ ...ALL, sort })), expected);
    }
  });

  it("page without gaps or repetitions, and past the end with nothing", () => {
    const whole = indexes(data.pools({ ...ALL, sort: "-liquidityUsd" }));
    const paged: number[] = [];
    for (let page = 1; page <= 15; page++) {
      const { items, total } = data.pools({ page, limit: 97, sort: "-liquidityUsd" });
      assert.strictEqual(total, whole.length);
      paged.push(...items.map(({ index }) => index));
    }
    assert.deepStrictEqual(paged, whole);
    const past = data.tokens({ page: 1_000_000, limit: 500, sort: "symbol" });
    assert.deepStrictEqual(past, { items: [], total: tokens.length });
  });

  it("filter tokens as a scan does, one by one and together", () => {
    const onV3 = (token: TokenView) => token.dexes.includes("Uniswap V3");
    const sort = "-liquidity";
    for (const dex of ["UNISWAP_V3", "Uniswap V3", "uniswap v3"]) {
      assert.sameMembers(
        indexes(data.tokens({ ...ALL, sort, dex })),
        indexesOf(tokens.filter(onV3)),
      );
    }
    const deep = tokens.filter(({ liquidityUsd }) => liquidityUsd >= 1e6);
    assert.isAbove(deep.length, 10);
    assert.sameMembers(indexes(data.tokens({ ...ALL, sort, minLiquidity: 1e6 })), indexesOf(deep));
    const found = data.tokens({ ...ALL, sort, symbol: "wEtH", dex: "Uniswap V2", minLiquidity: 1 });
    assert.deepStrictEqual(indexes(found), [graph.findToken(WETH)!]);
    const traded = tokens.filter(({ volume24hUsd }) => volume24hUsd >= 1_000);
    assert.isAbove(traded.length, 50);
    assert.isBelow(traded.length, tokens.length / 2);
    const active = data.tokens({ ...ALL, sort, minVolume24h: 1_000 });
    assert.sameMembers(indexes(active), indexesOf(traded));
    assert.strictEqual(data.tokens({ ...ALL, sort, minVolume24h: 0 }).total, tokens.length);
    assert.strictEqual(data.tokens({ ...ALL, sort, dex: "NO_DEX" }).total, 0);
    assert.strictEqual(data.tokens({ ...ALL, sort, symbol: "" }).total, 0);
  });

  it("filter pools as a scan does, page by page", () => {
    const weth = graph.findToken(WETH)!;
    const matching = pools.filter(
      (pool) =>
        [pool.token0, pool.token1].includes(weth) &&
        graph.dexes[pool.dexIndex]!.id === "UNISWAP_V3" &&
        pool.feePips === 3_000 &&
        pool.liquidityUsd >= 10_000,
    );
    assert.isAbove(matching.length, 20);
    const filters = {
      token: WETH.toUpperCase().replace("0X", "0x"),
      dex: "UNISWAP_V3",
      fee: 3_000,
    };
    const query = { ...filters, minLiquidityUsd: 10_000, sort: "poolAddress", limit: 7 } as const;
    const paged: number[] = [];
    for (let page = 1; paged.length < matching.length; page++) {
      const { items, total } = data.pools({ ...query, page });
      assert.strictEqual(total, matching.length);
      assert.isAbove(items.length, 0);
      paged.push(...items.map(({ index }) => index));
    }
    assert.deepStrictEqual(paged, indexesOf(matching));
    const unknown = mockAddress(1);
    assert.deepStrictEqual(data.pools({ ...ALL, sort: "fee", token: unknown }), {
      items: [],
      total: 0,
    });
  });

  it("name for a token the DEXes of its pools, and those tokens are routable, deepest first", () => {
    const dexes = new Map<number, Set<string>>();
    for (const { dexIndex, token0, token1 } of pools) {
      for (const token of [token0, token1]) {
        dexes.set(token, (dexes.get(token) ?? new Set()).add(graph.dexes[dexIndex]!.name));
      }
    }
    for (const token of tokens) {
      assert.sameMembers([...token.dexes], [...(dexes.get(token.index) ?? [])]);
    }
    const expected = stableSort(tokens, ({ liquidityUsd }) => liquidityUsd, true);
    assert.deepStrictEqual(
      [...data.routableTokens()],
      expected.filter((token) => dexes.has(token)),
    );
  });
});

describe("a market whose pools come and go", () => {
  it("lists, prices and finds what there is, and capitalises what has a supply", () => {
    const first = generateMarketBlock({ seed: 3, poolCount: 400 });
    const market = testMarket({ ...first, supplies: [] });
    const data = market.data();
    const { graph } = market;
    const [gone, replaced] = data.pools({ page: 1, limit: 5, sort: "-liquidityUsd" }).items;
    const stateless = mockAddress(0xf000);
    const added = mockAddress(0xadded);
    const token = { address: added, decimals: 18, symbol: "ΩMEGA", name: "Late" };
    const pool = mockAddress(0xf001);
    const million = 10n ** 24n;
    const block: MarketBlock = {
      ...first,
      stamp: { ...first.stamp, number: 2, timestampMs: first.stamp.timestampMs + 7 },
      dexes: [],
      tokens: [token],
      // The first pool takes over an index, and has no state yet.
      pools: [stateless, pool].map((address) => ({
        address,
        dexId: "UNISWAP_V2",
        parameter: 0,
        feePips: 3_000,
        tokens: [WETH, added],
      })),
      removedPools: [gone!.address, replaced!.address],
      states: [{ pool, state: encodeReserves([million, million]) }],
      supplies: [{ token: added, totalSupply: 5n * million }],
    };
    market.apply(block);
    data.settle();
    const index = graph.findToken(added)!;
    assert.strictEqual(graph.findPool(stateless), replaced!.index);
    assert.strictEqual(data.pool(replaced!.index)!.liquidityUsd, 0);
    const view = data.token(index);
    const weth = data.token(graph.findToken(WETH)!);
    assert.closeTo(view.priceUsd, weth.priceUsd, 1e-6);
    assert.strictEqual(view.totalSupply, 5n * million);
    assert.strictEqual(view.circulatingSupply, 5n * million);
    assert.closeTo(view.marketCapUsd!, 5e6 * view.priceUsd, 1);
    assert.strictEqual(view.fullyDilutedValuationUsd, view.marketCapUsd);
    assert.deepStrictEqual(view.dexes, ["Uniswap V2"]);
    assert.strictEqual(view.lastUpdatedMs, block.stamp.timestampMs);
    assert.isUndefined(weth.totalSupply);
    assert.isUndefined(weth.marketCapUsd);
    assert.deepStrictEqual(indexes(data.search("ωmeg", 5)), [index]);
    assert.deepStrictEqual(data.search("late", 0), { items: [], total: 1 });
    const listed = data.pools({ page: 1, limit: 1_000, sort: "poolAddress" }).items;
    assertAscending(listed.map(({ address }) => address));
    assert.lengthOf(listed, 400);
    assert.include(indexesOf(listed), graph.findPool(pool)!);
    assert.notInclude(
      listed.map(({ address }) => address),
      gone!.address,
    );
    assert.strictEqual(indexes(data.tokens({ ...ALL, sort: "-marketCap" }))[0], index);
    market.close();
  });

  it("answers of the block before while a large market is valued, and of the next by itself", async () => {
    const first = generateMarketBlock({ seed: 5, poolCount: 20_000 });
    const market = testMarket(first);
    const data = market.data();
    const weth = market.graph.findToken(WETH)!;
    const [removed, replaced] = data.pools({ page: 1, limit: 2, sort: "-liquidityUsd" }).items;
    const listing = first.pools.find(({ address }) => address === replaced!.address)!;
    const pools = [{ ...listing, address: mockAddress(0xf001) }];
    const emptied = { ...first, dexes: [], tokens: [], pools: [], states: [], supplies: [] };
    const stamp = { ...first.stamp, number: 2 };
    const removedPools = [removed!.address, replaced!.address];
    market.apply({ ...emptied, stamp, pools, states: first.states.toReversed(), removedPools });
    // A price is of the newest block at once; a list is of one whole block.
    assert.strictEqual(data.price(weth).blockNumber, 2);
    assert.isUndefined(data.pool(removed!.index));
    assert.strictEqual(data.pool(replaced!.index)!.address, pools[0]!.address);
    assert.strictEqual(data.pool(replaced!.index)!.liquidityUsd, 0);
    const page = data.pools({ page: 1, limit: 3, sort: "-liquidityUsd" });
    // The first pool is gone, and the second is another pool, so there are gaps.
    assert.deepStrictEqual([page.items.length, page.total], [1, 20_000]);
    // A second block comes in between two slices.
    await new Promise((resolve) => setImmediate(resolve));
    market.apply({ ...emptied, stamp: { ...stamp, number: 3 }, states: first.states.slice(0, 9) });
    while (data.settledBlock() < 3) await new Promise((resolve) => setImmediate(resolve));
    const fresh = market.data();
    assert.deepStrictEqual(data.price(weth), fresh.price(weth));
    assert.deepStrictEqual(
      data.pools({ ...ALL, sort: "liquidityUsd" }),
      fresh.pools({ ...ALL, sort: "liquidityUsd" }),
    );
    assert.isUndefined(data.pool(removed!.index));
    market.close();
  });
});

/** The next block, with swaps in every third pool. */
function tradedBlock(): MarketBlock {
  const stamp = { ...first.stamp, number: first.stamp.number + 1, hash: `0x${"77".repeat(32)}` };
  const swaps = first.pools
    .filter((_, place) => place % 3 === 0)
    .map(({ address, tokens }, place): SwapEvent => {
      const side = place % 2;
      const decimals = (token: string) => graph.tokenDecimals[graph.findToken(token)!]!;
      const [tokenIn, tokenOut] = [tokens[side]!, tokens[1 - side]!];
      return {
        ...{ pool: address, tokenIn, tokenOut, logIndex: place, priceAfter: 0 },
        transactionHash: `0x${Math.floor(place / 4)
          .toString(16)
          .padStart(64, "0")}`,
        amountIn: BigInt(1 + (place % 50)) * 10n ** BigInt(decimals(tokenIn)),
        amountOut: BigInt(1 + (place % 50)) * 10n ** BigInt(decimals(tokenOut)),
      };
    });
  const nothing = { dexes: [], tokens: [], pools: [], states: [], removedPools: [], supplies: [] };
  return { stamp: stamp as BlockStamp, ...nothing, swaps };
}

function tokenKey(field: (typeof TOKEN_SORT_FIELDS)[number]): (token: TokenView) => Key {
  switch (field) {
    case "address":
    case "decimals":
      return (token) => token[field];
    case "symbol":
    case "name":
      return (token) => token[field].toLowerCase();
    case "lastUpdated":
      return (token) => token.lastUpdatedMs;
    case "price":
      return (token) => token.priceUsd;
    case "liquidity":
      return (token) => token.liquidityUsd;
    case "marketCap":
    case "fullyDilutedValuation":
      return (token) => token.marketCapUsd ?? 0;
    case "volume24h":
    case "volume6h":
    case "volume1h":
    case "volume5m":
      return (token) => token[`${field}Usd`];
    case "txns24h":
    case "buys24h":
    case "sells24h":
      return (token) => token[field];
    case "priceChange5m":
    case "priceChange1h":
    case "priceChange6h":
    case "priceChange24h":
      return (token) => token[field] ?? 0;
    case "chainId":
      return () => 0;
  }
}

function poolKey(field: (typeof POOL_SORT_FIELDS)[number]): (pool: PoolView) => Key {
  switch (field) {
    case "poolAddress":
      return (pool) => pool.address;
    case "token0":
    case "token1":
      return (pool) => graph.tokenAddress(pool[field]);
    case "fee":
      return (pool) => pool.feePips;
    case "liquidity":
    case "sqrtPriceX96":
      return (pool) => Number(pool[field]);
    case "dexName":
      return (pool) => graph.dexes[pool.dexIndex]!.name;
    case "protocol":
      return (pool) => graph.dexes[pool.dexIndex]!.protocol;
    case "blockNumber":
      return (pool) => pool.updatedBlock;
    case "lastUpdated":
      return (pool) => pool.lastUpdatedMs;
    case "liquidityUsd":
      return (pool) => pool.liquidityUsd;
    case "volume24h":
      return (pool) => pool.volume24hUsd;
    case "chainId":
      return () => 0;
  }
}

type Key = string | number;

/** `items` are in the order of addresses. */
function stableSort<A extends { readonly index: number }>(
  items: ReadonlyArray<A>,
  key: (item: A) => Key,
  descending: boolean,
): number[] {
  const sign = descending ? -1 : 1;
  const compare = (a: Key, b: Key) => (a < b ? -sign : a > b ? sign : 0);
  return indexesOf(items.toSorted((a, b) => compare(key(a), key(b))));
}

function indexes(page: { readonly items: ReadonlyArray<{ readonly index: number }> }): number[] {
  return indexesOf(page.items);
}

function indexesOf(items: ReadonlyArray<{ readonly index: number }>): number[] {
  return items.map(({ index }) => index);
}

function assertAscending(texts: ReadonlyArray<string>): void {
  assert.deepStrictEqual([...texts], [...new Set(texts)].sort());
}
