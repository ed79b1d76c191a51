import { assert, describe, it } from "@effect/vitest";
import type { PoolGraph } from "@millrace/core";
import type { ListSources } from "../src/ListSources.ts";
import { poolPage, prepareOrders, routableTokens, tokenPage } from "../src/lists.ts";
import { Orders } from "../src/Orders.ts";
import { RecentSorts } from "../src/RecentSorts.ts";
import { drained } from "../src/sorting.ts";
import type { Valuation } from "../src/Valuation.ts";
import { random } from "./random.ts";

const COUNT = 3_000;

describe("pages of tokens", () => {
  const sums = ["volume24h", "volume6h", "volume1h", "volume5m", "txns24h", "buys24h", "sells24h"];
  it.each(sums)("sort by %s as a plain sort does, ties by address, wherever they lie", (field) => {
    const { valuation, sources, byAddress, sum, next } = madeUp(1);
    for (const descending of [true, false]) {
      const sign = descending ? -1 : 1;
      const expected = byAddress.toSorted((a, b) => sign * (sum(field, a) - sum(field, b)));
      const sort = (descending ? `-${field}` : field) as "volume24h";
      for (let round = 0; round < 20; round++) {
        const limit = 1 + Math.floor(500 * next());
        const page = 1 + Math.floor((COUNT / limit) * next());
        const { items, total } = tokenPage(valuation, sources, { page, limit, sort });
        assert.strictEqual(total, COUNT);
        assert.deepStrictEqual([...items], expected.slice((page - 1) * limit, page * limit));
      }
    }
  });

  it("filter as a scan does, in any combination, and sort what is left", () => {
    const { valuation, sources, byAddress, sum, next } = madeUp(2);
    let found = 0;
    for (let round = 0; round < 200; round++) {
      const query = {
        ...(next() < 0.3 && { symbol: `S${Math.floor(40 * next())}` }),
        ...(next() < 0.4 && { dex: ["a", "Second", "none"][Math.floor(3 * next())]! }),
        ...(next() < 0.4 && { minLiquidity: Math.floor(4 * next()) }),
        ...(next() < 0.4 && { minVolume24h: Math.floor(4 * next()) }),
      };
      const { symbol, dex, minLiquidity = 0, minVolume24h = 0 } = query;
      const expected = byAddress
        .filter(
          (token) =>
            (symbol === undefined || sources.symbols[token] === symbol.toLowerCase()) &&
            (dex === undefined || isOn(token, dex)) &&
            valuation.tokenLiquidityUsd[token]! >= minLiquidity &&
            sum("volume24h", token) >= minVolume24h,
        )
        .toSorted((a, b) => sum("buys24h", b) - sum("buys24h", a));
      const page = { page: 1 + Math.floor(2 * next()), limit: 60, sort: "-buys24h" } as const;
      const { items, total } = tokenPage(valuation, sources, { ...query, ...page });
      assert.strictEqual(total, expected.length);
      assert.deepStrictEqual(
        [...items],
        expected.slice(60 * (page.page - 1), 60 * page.page),
        JSON.stringify(query),
      );
      found += total;
    }
    assert.isAbove(found, COUNT);

    function isOn(token: number, dex: string): boolean {
      return dex !== "none" && token % 3 === (dex === "a" ? 0 : 1);
    }
  });

  it("are cut from one order as long as the block lasts, whatever trades meanwhile", () => {
    const { valuation, sources, move } = madeUp(3);
    const page = (number: number) =>
      tokenPage(valuation, sources, { page: number, limit: 100, sort: "-volume24h" }).items;
    const before = page(1);
    move();
    const whole = Array.from({ length: 30 }, (_, at) => page(at + 1)).flat();
    assert.deepStrictEqual(whole.slice(0, 100), [...before]);
    assert.strictEqual(new Set(whole).size, COUNT);
    valuation.orders.clearSums();
    assert.notDeepEqual(page(1), before);
  });

  it("of an order by something else than sums stay when the sums have moved", () => {
    const { valuation, sources } = madeUp(4);
    const query = { page: 1, limit: 100, sort: "-liquidity", minLiquidity: 2 } as const;
    const before = tokenPage(valuation, sources, query);
    valuation.tokenLiquidityUsd.fill(0);
    valuation.orders.clearSums();
    assert.deepStrictEqual(tokenPage(valuation, sources, query), before);
    valuation.orders.clear();
    assert.strictEqual(tokenPage(valuation, sources, query).total, 0);
  });
});

describe("pages of pools", () => {
  it("sort by volume and filter by token as a scan does", () => {
    const { valuation, sources, poolsByAddress, sum, next } = madeUp(5);
    for (let round = 0; round < 50; round++) {
      const token = Math.floor(8 * next());
      const fee = Math.floor(2 * next());
      const expected = poolsByAddress
        .filter((pool) => pool % 8 === token && pool % 3 === fee)
        .toSorted((a, b) => sum("pools", b) - sum("pools", a));
      const { items, total } = poolPage(valuation, sources, {
        ...{ page: 2, limit: 30, sort: "-volume24h", fee },
        token: String(token),
      });
      assert.strictEqual(total, expected.length);
      assert.deepStrictEqual([...items], expected.slice(30, 60));
    }
  });
});

describe("orders that are made ready", () => {
  it("are those that were asked for lately, and the defaults always", () => {
    const { valuation, sources } = madeUp(6);
    const reads: string[] = [];
    const noted: ListSources = {
      ...sources,
      readTokenSums: (field, tokens, into) => {
        reads.push(field);
        sources.readTokenSums(field, tokens, into);
      },
    };
    const begin = () => {
      reads.length = 0;
      valuation.orders.clear();
      drained(prepareOrders(valuation, noted));
      return [...reads];
    };
    assert.deepStrictEqual(begin(), []);
    tokenPage(valuation, noted, { page: 1, limit: 5, sort: "-volume1h" });
    assert.deepStrictEqual(begin(), ["volume1h"]);
    tokenPage(valuation, noted, { page: 1, limit: 5, sort: "-volume1h" });
    assert.lengthOf(reads, 1);
    for (let block = 0; block < 20; block++) begin();
    assert.deepStrictEqual(begin(), []);
  });
});

describe("routable tokens", () => {
  it("are the listed ones first, then the others, each the most liquid first", () => {
    const { valuation, sources, byAddress } = madeUp(7);
    const key = (token: number) => valuation.tokenLiquidityUsd[token]!;
    const expected = byAddress
      .filter((token) => valuation.topology.isPooled(token))
      .toSorted((a, b) => +sources.isListed(b) - +sources.isListed(a) || key(b) - key(a));
    assert.deepStrictEqual([...routableTokens(valuation, sources)], expected);
  });
});

/** Tokens and pools with keys that are often equal; nothing behind them. */
function madeUp(seed: number) {
  const next = random(seed);
  const few = () => Float64Array.from({ length: COUNT }, () => Math.floor(5 * next()));
  const sums = new Map<string, Float64Array>();
  const sum = (field: string, index: number) => {
    const values = sums.get(field) ?? few();
    sums.set(field, values);
    return values[index]!;
  };
  const shuffled = () => {
    const order = Array.from({ length: COUNT }, (_, index) => index);
    const keys = order.map(() => next());
    return order.sort((a, b) => keys[a]! - keys[b]!);
  };
  const byAddress = shuffled();
  const poolsByAddress = shuffled();
  const addressRank = new Uint32Array(COUNT);
  for (const [rank, token] of byAddress.entries()) addressRank[token] = rank;
  const symbols = Array.from({ length: COUNT }, () => `s${Math.floor(30 * next())}`);
  const bySymbol = byAddress.toSorted((a, b) =>
    symbols[a]! < symbols[b]! ? -1 : symbols[a]! > symbols[b]! ? 1 : 0,
  );
  // Of pool p, token p mod 8 is one token: slots of token t are its pools.
  const slots = Array.from({ length: 8 }, (_, token) =>
    poolsByAddress.filter((pool) => pool % 8 === token),
  );
  const slotStart = Uint32Array.from(
    { length: COUNT + 1 },
    (_, token) => (COUNT * Math.min(token, 8)) / 8,
  );
  // Pool t, of DEX t mod 3, holds token t.
  const own = Uint32Array.from({ length: COUNT }, (_, index) => index);
  const valuation = {
    orders: new Orders(),
    catalogue: {
      tokensByAddress: Uint32Array.from(byAddress),
      tokensBySymbol: Uint32Array.from(bySymbol),
      poolsByAddress: Uint32Array.from(poolsByAddress),
      addressRank,
    },
    topology: {
      ...{ tokenCount: COUNT, poolCount: COUNT, slotStart },
      slotPool: Uint32Array.from(slots.flat()),
      poolDex: own.map((pool) => pool % 3),
      poolTokenStart: own,
      poolTokenCount: new Uint8Array(COUNT).fill(1),
      poolTokens: own,
      isPooled: (token: number) => token % 5 > 0,
    },
    tokenLiquidityUsd: few(),
    poolLiquidityUsd: few(),
  } as unknown as Valuation;
  const sources = {
    graph: {
      dexes: [
        { id: "A", name: "First" },
        { id: "B", name: "Second" },
      ],
      findToken: (token: string) => Number(token),
      poolFeePips: Uint32Array.from({ length: COUNT }, (_, pool) => pool % 3),
    } as unknown as PoolGraph,
    symbols,
    readTokenSums: (field: string, tokens: Uint32Array, into: Float64Array) =>
      into.set(tokens.map((token) => sum(field, token))),
    readPoolSums: (_: string, pools: Uint32Array, into: Float64Array) =>
      into.set(pools.map((pool) => sum("pools", pool))),
    isListed: (token: number) => token % 7 === 0,
    recent: new RecentSorts(),
  } as unknown as ListSources;
  return { valuation, sources, byAddress, poolsByAddress, sum, next, move: () => sums.clear() };
}
