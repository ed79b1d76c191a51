import { assert, describe, it } from "@effect/vitest";
import { type PoolGraph, runToEnd } from "@millrace/core";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { PRICE_CHANGES } from "../src/activity/priceChanges.ts";
import { ListSnapshot } from "../src/lists/ListSnapshot.ts";
import type { ListSources } from "../src/lists/ListSources.ts";
import { poolPage, routableTokens, tokenPage } from "../src/lists/lists.ts";
import type { Valuation } from "../src/prices/Valuation.ts";
import { rankByLiquidity } from "../src/prices/valueLiquidity.ts";

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
    const { valuation, sources, symbols, byAddress, sum, next } = madeUp(2);
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
            (symbol === undefined || symbols[token] === symbol.toLowerCase()) &&
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

  it("are of one moment, whatever trades, until they are read anew", () => {
    const { valuation, sources, move } = madeUp(3);
    const page = (number: number, minVolume24h: number) =>
      tokenPage(valuation, sources, { page: number, limit: 100, sort: "-volume24h", minVolume24h });
    const before = page(1, 0).items;
    const { items: active, total } = page(1, 2);
    move();
    const whole = Array.from({ length: 30 }, (_, at) => page(at + 1, 0).items).flat();
    assert.deepStrictEqual(whole.slice(0, 100), [...before]);
    assert.strictEqual(new Set(whole).size, COUNT);
    assert.strictEqual(page(2, 2).total, total);
    runToEnd(valuation.listSnapshot.read(sources));
    assert.notDeepEqual(page(1, 0).items, before);
    assert.notDeepEqual(page(1, 2).items, active);
  });

  it("of a symbol that very many tokens have are all of them", () => {
    const { valuation, sources, symbols } = madeUp(8);
    symbols.fill("same");
    const pages = Array.from({ length: 30 }, (_, at) =>
      tokenPage(valuation, sources, { page: at + 1, limit: 100, sort: "price", symbol: "SAME" }),
    );
    assert.strictEqual(pages[0]!.total, COUNT);
    assert.strictEqual(new Set(pages.flatMap(({ items }) => items)).size, COUNT);
  });
});

describe("pages of tokens by what their prices changed", () => {
  it.each([0, 1, 2, 3])("sort as a plain sort does, what is unknown as unchanged", (window) => {
    const { valuation, sources, byAddress, sum } = madeUp(9 + window);
    const field = PRICE_CHANGES[window]!;
    const shown = (token: number) =>
      valuation.listSnapshot.priceChanges(token, valuation.priceUsd[token]!)[field];
    const known = byAddress.filter((token) => shown(token) !== undefined);
    for (const token of byAddress) {
      const [price, before] = [valuation.priceUsd[token]!, sum("closes", 4 * token + window)];
      const isKnown = price > 0 && before > 0;
      assert.strictEqual(shown(token), isKnown ? price / before - 1 : undefined);
    }
    assert.isAbove(known.length, COUNT / 2);
    assert.isBelow(known.length, COUNT);
    for (const sign of [1, -1]) {
      const expected = byAddress.toSorted((a, b) => sign * ((shown(a) ?? 0) - (shown(b) ?? 0)));
      const sort = sign > 0 ? field : (`-${field}` as const);
      const { items } = tokenPage(valuation, sources, { page: 1, limit: COUNT, sort });
      assert.deepStrictEqual([...items], expected);
    }
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
        page: 2,
        limit: 30,
        sort: "-volume24h",
        fee,
        token: String(token),
      });
      assert.strictEqual(total, expected.length);
      assert.deepStrictEqual([...items], expected.slice(30, 60));
    }
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
  const next = new RandomSource(TEST_SEED + seed).next;
  const few = (count = COUNT) => Float64Array.from({ length: count }, () => Math.floor(5 * next()));
  const sums = new Map<string, Float64Array>();
  const sum = (field: string, index: number) => {
    const values = sums.get(field) ?? few(field === "closes" ? 4 * COUNT : COUNT);
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
  const poolRank = new Uint32Array(COUNT);
  for (const [rank, pool] of poolsByAddress.entries()) poolRank[pool] = rank;
  for (const [rank, token] of byAddress.entries()) addressRank[token] = rank;
  const symbols = Array.from({ length: COUNT }, () => `s${Math.floor(30 * next())}`);
  const bySymbol = byAddress.toSorted((a, b) =>
    symbols[a]! < symbols[b]! ? -1 : symbols[a]! > symbols[b]! ? 1 : 0,
  );
  // Of pool p, token p mod 8 is one token: slots of token t are its pools.
  const slots = Array.from({ length: 8 }, (_, token) =>
    poolsByAddress.filter((pool) => pool % 8 === token),
  );
  const slotBounds = Uint32Array.from(
    { length: COUNT + 1 },
    (_, token) => (COUNT * Math.min(token, 8)) / 8,
  );
  // Pool t, of DEX t mod 3, holds token t.
  const own = Uint32Array.from({ length: COUNT }, (_, index) => index);
  const valuation = {
    listSnapshot: new ListSnapshot(),
    byLiquidity: { order: new Uint32Array(), rank: new Uint32Array() },
    search: { symbols },
    catalogue: {
      tokensByAddress: Uint32Array.from(byAddress),
      tokensBySymbol: Uint32Array.from(bySymbol),
      poolsByAddress: Uint32Array.from(poolsByAddress),
      addressRank,
      poolRank,
    },
    topology: {
      tokenCount: COUNT,
      poolCount: COUNT,
      slotStart: slotBounds.subarray(0, COUNT),
      slotEnd: slotBounds.subarray(1),
      slotPool: Uint32Array.from(slots.flat()),
      poolDex: own.map((pool) => pool % 3),
      poolTokenStart: own,
      poolTokenCount: new Uint8Array(COUNT).fill(1),
      poolTokens: own,
      isPooled: (token: number) => token % 5 > 0,
      tokensOn: (dexes: ReadonlyArray<number>) =>
        new Uint8Array(COUNT).map((_, token) => +dexes.includes(token % 3)),
    },
    tokenLiquidityUsd: few(),
    priceUsd: few(),
    poolLiquidityUsd: few(),
  } as unknown as Valuation;
  const sources = {
    graph: {
      version: 1,
      tokenCount: COUNT,
      poolCount: COUNT,
      stamp: { timestampMs: 0 },
      dexes: [
        { id: "A", name: "First" },
        { id: "B", name: "Second" },
      ],
      findToken: (token: string) => Number(token),
    } as unknown as PoolGraph,
    measures: { fees: (into: Float64Array) => into.map((_, pool) => pool % 3) },
    tokenSums: (field: string) => (into: Float64Array, first: number) =>
      into.set(own.slice(first, first + into.length).map((token) => sum(field, token))),
    poolSums: () => (into: Float64Array, first: number) =>
      into.set(own.slice(first, first + into.length).map((pool) => sum("pools", pool))),
    earlierCloses: () => (into: Float64Array, first: number) => {
      for (let at = 0; at < into.length; at++) into[at] = sum("closes", first + at);
    },
    tokenUpdatedMs: () => new Float64Array(COUNT),
    isListed: (token: number) => token % 7 === 0,
  } as unknown as ListSources;
  runToEnd(valuation.listSnapshot.read(sources));
  runToEnd(rankByLiquidity(valuation));
  return {
    valuation,
    sources,
    symbols,
    byAddress,
    poolsByAddress,
    sum,
    next,
    move: () => sums.clear(),
  };
}
