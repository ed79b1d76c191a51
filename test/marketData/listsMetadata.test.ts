import { afterAll, assert, describe, it } from "@effect/vitest";
import type { Address, MarketBlock } from "@millrace/core";
import {
  listContradictions,
  mergeTokenLists,
  parseSupplies,
  parseTokenList,
} from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { readData } from "@millrace/testing";
import {
  mockAddress,
  testMarket,
  tokensOf,
  universeAtEnd,
  WETH,
} from "../markets/recordedMarkets.ts";

const ETHEREUM = parseTokenList(readData("tokenlists/coingecko-ethereum.json"), 1);
const BASE = ["coingecko-base", "uniswap-base"].map((name) =>
  parseTokenList(readData(`tokenlists/${name}.json`), 8453),
);
const supplies = parseSupplies(readData("tokenlists/supply-ethereum.json"));
const universe = await universeAtEnd("universe-a");

describe("the recorded token lists", () => {
  it("are read whole, each for its own chain", () => {
    for (const { tokens, problems } of [ETHEREUM, ...BASE]) {
      assert.deepStrictEqual([...problems], []);
      assert.include([200, 500], tokens.size);
    }
    assert.strictEqual(
      parseTokenList(readData("tokenlists/coingecko-ethereum.json"), 8453).tokens.size,
      0,
    );
  });

  it("are merged by address: symbols mean several tokens, and one token has two decimals", () => {
    const merged = mergeTokenLists(BASE);
    assert.strictEqual(merged.size, 552);
    const wmtx = "0x3e31966d4f81c72d2a55310a6365a56a4393e98d";
    assert.deepStrictEqual(
      listContradictions(BASE).map(({ address, kept, other }) => [
        address,
        kept.decimals,
        other.decimals,
      ]),
      [[wmtx, 6, 18]],
    );
    assert.strictEqual(merged.get(wmtx)!.decimals, 6);
    assert.strictEqual(mergeTokenLists(BASE.toReversed()).get(wmtx)!.decimals, 18);
    const pepes = [...merged.values()].filter(({ symbol }) => symbol.toLowerCase() === "pepe");
    assert.isAbove(pepes.length, 1);
  });

  it("and the recorded supplies go with a market: listed tokens first, capitalised by what circulates", () => {
    const market = testMarket(universe);
    afterAll(market.close);
    const listedTokens = mergeTokenLists([ETHEREUM]);
    const total = 10n ** 36n;
    const data = market.data(undefined, undefined, undefined, {
      listedTokens,
      circulatingSupply: (token) => supplies.circulating.get(token),
      supply: () => total,
    });
    const views = tokensOf(data).map((token) => data.token(token));
    const right = views.filter(
      ({ address, decimals }) => listedTokens.get(address)?.decimals === decimals,
    );
    assert.isAbove(right.length, 100);
    const routable = data.routableTokens().map((token) => market.graph.tokenAddress(token));
    const first = routable.slice(0, right.length);
    assert.sameMembers(
      first,
      right.map(({ address }) => address),
    );
    const liquidities = routable.map(
      (token) => data.token(market.graph.findToken(token)!).liquidityUsd,
    );
    for (const part of [liquidities.slice(0, right.length), liquidities.slice(right.length)]) {
      assert.deepStrictEqual(
        part,
        part.toSorted((a, b) => b - a),
      );
    }
    let partial = 0;
    for (const { address, decimals, priceUsd, ...view } of views) {
      const whole = supplies.circulating.get(address);
      assert.strictEqual(view.totalSupply, total);
      if (whole !== undefined && Number(view.circulatingSupply) < 1e36) partial++;
      const circulating = Number(view.circulatingSupply) / 10 ** decimals;
      if (whole === undefined) assert.strictEqual(view.circulatingSupply, total);
      else {
        const expected = Math.min(whole * 10 ** decimals, 1e36);
        assert.closeTo(Number(view.circulatingSupply), expected, 1 + 1e-12 * expected);
      }
      if (priceUsd === 0) assert.isUndefined(view.marketCapUsd ?? view.fullyDilutedValuationUsd);
      else {
        const expected = priceUsd * circulating;
        assert.closeTo(view.marketCapUsd!, expected, 1e-12 * expected);
        assert.isAtLeast(view.fullyDilutedValuationUsd!, view.marketCapUsd!);
      }
    }
    assert.isAbove(partial, 100);
    const caps = data.tokens({ page: 1, limit: 500, sort: "-marketCap" }).items;
    const values = caps.map(({ marketCapUsd = 0 }) => marketCapUsd);
    assert.deepStrictEqual(
      values,
      values.toSorted((a, b) => b - a),
    );
  });
});

describe("what a market tells of a token", () => {
  const [unnamed, hidden, wrong, sound, unlisted] = [1, 2, 3, 4, 5].map((n) =>
    mockAddress(0xe000 + n),
  );
  const shortened = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;
  const first = generateMarketBlock({ seed: 3, poolCount: 50 });
  const million = 10n ** 24n;
  const added = [
    { address: unnamed!, symbol: shortened(unnamed!), name: shortened(unnamed!), decimals: 18 },
    { address: hidden!, symbol: "US\u200bDC", name: "", decimals: 18 },
    { address: wrong!, symbol: "\u202e", name: "On chain", decimals: 8 },
    { address: sound!, symbol: "CHAIN", name: "On chain", decimals: 18 },
    { address: unlisted!, symbol: "\u202eUSDC", name: "\u0007", decimals: 18 },
  ];
  const block: MarketBlock = {
    ...first,
    tokens: [...first.tokens, ...added],
    pools: [
      ...first.pools,
      ...added.map(({ address }, place) => ({
        ...{ address: mockAddress(0xf000 + place), dexId: "UNISWAP_V2", parameter: 0 },
        ...{ feePips: 3_000, tokens: [WETH as Address, address] },
      })),
    ],
    states: [
      ...first.states,
      ...added.map((_, place) => ({
        pool: mockAddress(0xf000 + place),
        state: encodeReserves([million, million]),
      })),
    ],
    supplies: added.map(({ address }) => ({ token: address, totalSupply: 5n * million })),
  };
  const listed = (symbol: string) => ({ symbol, name: `${symbol} of a list`, decimals: 18 });
  const circulating = new Map<string, number>([
    [unnamed!, 1_000_000.25],
    [hidden!, 6_000_000],
    [sound!, Number.NaN],
    [unlisted!, 0],
  ]);
  const market = testMarket(block);
  const data = market.data(undefined, undefined, undefined, {
    listedTokens: new Map([
      [unnamed!, listed("UNNAMED")],
      [hidden!, listed("HIDDEN")],
      [wrong!, listed("WRONG")],
      [sound!, listed("LISTED")],
      [mockAddress(0xdead), listed("ABSENT")],
    ]),
    circulatingSupply: (token) => circulating.get(token),
  });
  afterAll(market.close);
  const view = (address: Address) => data.token(market.graph.findToken(address)!);

  it("is the chain's word where it is sound, else a list's, else what is left of the chain's", () => {
    const told = [unnamed, hidden, wrong, sound, unlisted].map((address) => {
      const { symbol, name } = view(address!);
      assert.include(data.listing(market.graph.findToken(address!)!), { symbol, name });
      return [symbol, name];
    });
    assert.deepStrictEqual(told, [
      ["UNNAMED", "UNNAMED of a list"],
      ["HIDDEN", "HIDDEN of a list"],
      [shortened(wrong!), "On chain"],
      ["CHAIN", "On chain"],
      ["USDC", "USDC"],
    ]);
  });

  it("never has a list's decimals; a list with other ones is not heard, and told", () => {
    assert.strictEqual(view(wrong!).decimals, 8);
    assert.deepStrictEqual(data.listDisagreements(), [
      { address: wrong!, listedDecimals: 18, chainDecimals: 8 },
    ]);
    const routable = data.routableTokens().map((token) => market.graph.tokenAddress(token));
    assert.sameMembers(routable.slice(0, 3), [unnamed!, hidden!, sound!]);
    assert.include(routable.slice(3), wrong!);
  });

  it("is found by what is told, and not by what is not", () => {
    const found = (text: string) => data.search(text, 10).items.map(({ address }) => address);
    assert.deepStrictEqual(found("unnamed"), [unnamed!]);
    assert.deepStrictEqual(found("hidden of"), [hidden!]);
    assert.deepStrictEqual(found("listed"), []);
    assert.deepStrictEqual(found("wrong"), []);
    const bySymbol = data.tokens({ page: 1, limit: 5, sort: "address", symbol: "Hidden" });
    assert.deepStrictEqual(
      bySymbol.items.map(({ address }) => address),
      [hidden!],
    );
  });

  it("has of a supply in circulation what a file tells, all of it where it tells nothing or too much", () => {
    const supplyOf = (address: Address) => view(address).circulatingSupply;
    assert.strictEqual(supplyOf(unnamed!), 1_000_000_25n * 10n ** 16n);
    assert.strictEqual(supplyOf(hidden!), 5n * million);
    assert.strictEqual(supplyOf(sound!), 5n * million);
    assert.strictEqual(supplyOf(unlisted!), 0n);
    assert.strictEqual(view(unnamed!).totalSupply, 5n * million);
    const { priceUsd, marketCapUsd, fullyDilutedValuationUsd } = view(unnamed!);
    assert.isAbove(priceUsd, 0);
    assert.closeTo(marketCapUsd! / (1_000_000.25 * priceUsd), 1, 1e-12);
    assert.closeTo(fullyDilutedValuationUsd! / (5_000_000 * priceUsd), 1, 1e-12);
    assert.strictEqual(view(unlisted!).marketCapUsd, 0);
    const weth = view(WETH);
    assert.isAbove(weth.priceUsd, 0);
    assert.isUndefined(weth.totalSupply ?? weth.circulatingSupply ?? weth.marketCapUsd);
  });

  it("follows lists and supplies that change while it goes on", () => {
    const market = testMarket(block);
    const listedTokens = new Map<Address, ReturnType<typeof listed>>();
    let whole: number | undefined;
    const data = market.data(undefined, undefined, undefined, {
      listedTokens,
      circulatingSupply: (token) => (token === sound ? whole : undefined),
    });
    const at = (address: Address) => data.token(market.graph.findToken(address)!);
    const routable = () => market.graph.tokenAddress(data.routableTokens()[0]!);
    const capitalised = () => data.tokens({ page: 1, limit: 5, sort: "-marketCap" }).items;
    assert.notStrictEqual(routable(), unnamed!);
    assert.strictEqual(at(unnamed!).symbol, shortened(unnamed!));
    const least = capitalised().findIndex(({ address }) => address === sound!);
    listedTokens.set(unnamed!, listed("UNNAMED"));
    whole = 1;
    data.listsChanged();
    data.settle();
    assert.strictEqual(routable(), unnamed!);
    assert.strictEqual(at(unnamed!).symbol, "UNNAMED");
    const found = (text: string) => data.search(text, 5).items.map(({ address }) => address);
    assert.deepStrictEqual(found("unnamed of a"), [unnamed!]);
    assert.deepStrictEqual(found(shortened(unnamed!)), []);
    const named = data.tokens({ page: 1, limit: 5, sort: "symbol", symbol: "unnamed" });
    assert.deepStrictEqual(
      named.items.map(({ address }) => address),
      [unnamed!],
    );
    const symbols = data
      .tokens({ page: 1, limit: 500, sort: "symbol" })
      .items.map(({ symbol }) => symbol.toLowerCase());
    assert.deepStrictEqual(symbols, symbols.toSorted());
    listedTokens.clear();
    data.listsChanged();
    data.settle();
    assert.deepStrictEqual(found("unnamed"), []);
    listedTokens.set(unnamed!, listed("UNNAMED"));
    data.listsChanged();
    data.settle();
    assert.deepStrictEqual(found("unnamed of a"), [unnamed!]);
    assert.strictEqual(at(sound!).circulatingSupply, 10n ** 18n);
    assert.isAbove(least, -1);
    assert.strictEqual(capitalised()[4]!.address, sound!);
    market.close();
  });
});
