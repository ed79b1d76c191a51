import { createHash } from "node:crypto";
import {
  FEE_IN_STATE,
  type MarketBlock,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type PoolState,
  readWords,
  sqrtRatioAtTick,
} from "@millrace/core";
import {
  concentratedLiquidity,
  constantProduct,
  curves,
  solidlyStable,
  stableSwap,
} from "@millrace/protocols";
import { assert, describe, it } from "vitest";
import { type GeneratorOptions, generateMarketBlock } from "../src/index.ts";

/** What the generator's hubs cost, from the real world and not from its code. */
const HUB_PRICES: ReadonlyArray<readonly [string, number, number]> = [
  ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", 3_000, 18],
  ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", 1, 6],
  ["0xdac17f958d2ee523a2206206994597c13d831ec7", 1, 6],
  ["0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", 90_000, 8],
  ["0x6b175474e89094c44da98b954eedeac495271d0f", 1, 18],
  ["0x4200000000000000000000000000000000000006", 3_000, 18],
  ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", 1, 6],
  ["0xfde4c96c8593536e31f229ea8f37b2ada2699bb2", 1, 6],
  ["0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf", 90_000, 8],
  ["0x50c5725949a6f0c72e6c4a641f24049a917db0cb", 1, 18],
];

/** Four tenths of all pools. */
const SHARES = {
  "uniswap-v4": 0.06,
  slipstream: 0.05,
  "algebra-integral": 0.02,
  "pancake-v3": 0.03,
  "pancake-v2": 0.02,
  "aerodrome-volatile": 0.04,
  "aerodrome-stable": 0.03,
  "balancer-v2-weighted": 0.03,
  "balancer-v2-stable": 0.02,
  "balancer-v3-weighted": 0.02,
  "balancer-v3-stable": 0.02,
  "curve-stable": 0.02,
  "curve-stable-ng": 0.03,
};

const MARKETS: ReadonlyArray<GeneratorOptions> = [
  { seed: 11, poolCount: 2_000, familyShares: SHARES },
  { seed: 12, poolCount: 1_000, chainId: 8453, familyShares: SHARES },
  { seed: 1, poolCount: 1_000 },
  { seed: -7, poolCount: 4_000, chainId: 8453 },
  { seed: 3, poolCount: 800, families: ["constant-product"] },
  { seed: 4, poolCount: 800, families: ["concentrated-liquidity"] },
  { seed: 5, poolCount: 1 },
];

describe("a generated market", () => {
  it("is the same for the same seed, on every machine", () => {
    assert.strictEqual(
      digest(generateMarketBlock({ seed: 42, poolCount: 3_000 })),
      "bb0734aa18f75e48d685b5464fd608571fe439b90dc2a05bd0dd13b8391c8fea",
    );
    const base = generateMarketBlock({ seed: 42, poolCount: 3_000, chainId: 8453 });
    assert.strictEqual(
      digest(base),
      "e615bef17a80078bde0474a54b6b7971b0dc1502259d43af3901e612129b9bba",
    );
  });

  it("is another for another seed", () => {
    const one = generateMarketBlock({ seed: 1, poolCount: 50 });
    const two = generateMarketBlock({ seed: 2, poolCount: 50 });
    assert.notStrictEqual(digest(one), digest(two));
  });

  it.each(MARKETS)("is accepted whole by the graph: %o", (options) => {
    const { block, graph, rejected } = generate(options);
    assert.deepStrictEqual(rejected, []);
    assert.strictEqual(graph.livePoolCount, options.poolCount);
    assert.strictEqual(graph.tokenCount, block.tokens.length);
    assert.strictEqual(block.states.length, options.poolCount);
    assert.strictEqual(block.supplies.length, block.tokens.length);
  });

  it.each(MARKETS)("has tokens of 6, 8 and 18 decimals only: %o", (options) => {
    const { tokens } = generateMarketBlock(options);
    for (const { decimals } of tokens) assert.include([6, 8, 18], decimals);
    if (options.poolCount < 100) return;
    assert.strictEqual(new Set(tokens.map(({ decimals }) => decimals)).size, 3);
  });

  it.each(MARKETS)("has books that add up to the liquidity at the price: %o", (options) => {
    for (const { state } of generateMarketBlock(options).states) {
      if (state.book !== undefined) expectSoundBook(state);
    }
  });

  it.each(MARKETS)("prices every token alike, up to the fees of the pools: %o", (options) => {
    const market = generate(options);
    const seen = new Map<number, { low: number; high: number }>();
    for (let pool = 0; pool < market.graph.poolCount; pool++) {
      const implied = impliedPrice(market, pool as PoolIndex);
      if (implied === undefined) continue;
      const family = market.families[market.graph.poolCurve[pool]!]!;
      const fee = family.feePips(pool as PoolIndex, 0, 1) / 1_000_000;
      const range = seen.get(implied.token) ?? { low: 0, high: Number.POSITIVE_INFINITY };
      range.low = Math.max(range.low, implied.priceUsd * (1 - fee));
      range.high = Math.min(range.high, implied.priceUsd / (1 - fee));
      assert.isAtMost(range.low, range.high, `token ${implied.token}`);
      seen.set(implied.token, range);
    }
    assert.isAbove(seen.size, 0);
  });

  it("gives a fair share of tokens two or more neighbours, and the native token most", () => {
    const { pools, tokens } = generateMarketBlock({ seed: 9, poolCount: 4_000 });
    const neighbours = new Map<string, Set<string>>(
      tokens.map(({ address }) => [address, new Set()]),
    );
    for (const {
      tokens: [token0, token1],
    } of pools) {
      neighbours.get(token0!)!.add(token1!);
      neighbours.get(token1!)!.add(token0!);
    }
    const counts = Array.from(neighbours.values(), (set) => set.size);
    const share = counts.filter((count) => count >= 2).length / counts.length;
    assert.isAtLeast(Math.min(...counts), 1);
    assert.isAbove(share, 0.25);
    assert.isBelow(share, 0.45);
    assert.isAbove(neighbours.get(HUB_PRICES[0]![0])!.size, counts.length / 2);
  });

  it("joins hubs by several pools, no two of one DEX, pair and fee", () => {
    const { pools } = generateMarketBlock({ seed: 9, poolCount: 4_000 });
    const keys = pools.map(({ dexId, feePips, tokens }) => `${dexId} ${feePips} ${tokens}`);
    assert.strictEqual(new Set(keys).size, keys.length);
    const [weth, usdc] = HUB_PRICES.map(([address]) => address);
    const between = pools.filter(
      ({ tokens }) => tokens.includes(weth as "0x") && tokens.includes(usdc as "0x"),
    );
    assert.isAtLeast(between.length, 3);
  });

  it("holds the families that were asked for", () => {
    const names = (options: GeneratorOptions) =>
      generateMarketBlock(options).dexes.map(({ protocol }) => protocol);
    assert.sameMembers(
      [...new Set(names({ seed: 1, poolCount: 500 }))],
      [constantProduct.name, concentratedLiquidity.name],
    );
    for (const family of ["constant-product", "concentrated-liquidity"] as const) {
      const only = names({ seed: 1, poolCount: 500, families: [family] });
      assert.deepStrictEqual([...new Set(only)], [family]);
    }
  });

  it.each([1, 8453] as const)(
    "has the asked share of each further family on chain %i",
    (chainId) => {
      const poolCount = 6_000;
      const { pools, dexes, tokens } = generateMarketBlock({
        ...{ seed: 21, poolCount, chainId },
        familyShares: SHARES,
      });
      const protocols = new Map(dexes.map(({ id, protocol }) => [id, protocol]));
      assert.strictEqual(protocols.size, dexes.length);
      const decimals = new Map(tokens.map((token) => [token.address, token.decimals]));
      const counts = new Map<string, number>();
      for (const { dexId, curve, constants, feePips, tokens: pair } of pools) {
        const family = `${dexId} ${curve ?? protocols.get(dexId)}`;
        counts.set(family, (counts.get(family) ?? 0) + 1);
        assert.strictEqual(feePips === FEE_IN_STATE, FEES_THAT_CHANGE.has(dexId));
        if (curve !== solidlyStable.name) continue;
        assert.deepStrictEqual(
          [...constants!].map(Number),
          pair.map((one) => decimals.get(one)!),
        );
      }
      for (const [family, share] of [
        ["UNISWAP_V4 concentrated-liquidity", SHARES["uniswap-v4"]],
        ["SLIPSTREAM concentrated-liquidity", SHARES.slipstream],
        ["ALGEBRA_INTEGRAL concentrated-liquidity", SHARES["algebra-integral"]],
        ["PANCAKESWAP_V2 constant-product", SHARES["pancake-v2"]],
        ["AERODROME constant-product", SHARES["aerodrome-volatile"]],
        ["AERODROME solidly-stable", SHARES["aerodrome-stable"]],
        ["BALANCER_V2 weighted", SHARES["balancer-v2-weighted"]],
        ["BALANCER_V2 balancer-stable", SHARES["balancer-v2-stable"]],
        ["BALANCER_V3 weighted", SHARES["balancer-v3-weighted"]],
        ["BALANCER_V3 balancer-stable", SHARES["balancer-v3-stable"]],
        ["CURVE_STABLE stable-swap", SHARES["curve-stable"]],
        ["CURVE_STABLE_NG stable-swap", SHARES["curve-stable-ng"]],
      ] as const) {
        const found = (counts.get(family) ?? 0) / poolCount;
        assert.isBelow(Math.abs(found / share - 1), 0.3, `${family}: ${found}`);
      }
    },
  );

  it("has pools of up to four tokens that cost the same, rated by their decimals", () => {
    const market = generate({ seed: 6, poolCount: 800, familyShares: { "curve-stable-ng": 0.2 } });
    const { graph, families, block } = market;
    const counts = new Map<number, number>();
    for (const { address, tokens, curve } of block.pools) {
      counts.set(tokens.length, (counts.get(tokens.length) ?? 0) + 1);
      assert.strictEqual(new Set(tokens).size, tokens.length);
      if (curve !== stableSwap.name) assert.strictEqual(tokens.length, 2);
      if (tokens.length === 2) continue;
      const pool = graph.findPool(address)!;
      const family = families[graph.poolCurve[pool]!]!;
      const decimals = tokens.map((token) => graph.tokenDecimals[graph.findToken(token)!]!);
      for (const [at, from] of decimals.entries()) {
        if (at === 0) continue;
        const price = family.midPrice(pool, at, 0) * 10 ** (from - decimals[0]!);
        assert.isBelow(Math.abs(price - 1), 0.0002);
      }
    }
    assert.deepStrictEqual([...counts.keys()].sort(), [2, 3, 4]);
    assert.isAbove(counts.get(3)!, 15);
  });

  it("has pools of Uniswap V4 by ids of 32 bytes, with fees that may differ by direction", () => {
    const market = generate({ seed: 5, poolCount: 600, familyShares: { "uniswap-v4": 0.5 } });
    const { graph, families, block } = market;
    let differing = 0;
    for (const { address, dexId } of block.pools) {
      const pool = graph.findPool(address)!;
      const id = graph.poolId(pool);
      assert.strictEqual(id !== undefined, dexId === "UNISWAP_V4");
      if (id === undefined) continue;
      assert.strictEqual(graph.findPool(id), pool);
      assert.strictEqual(graph.poolContract(pool), "0x000000000004444c5dc75cb358380d2e3de08a90");
      const family = families[graph.poolCurve[pool]!]!;
      if (family.feePips(pool, 0, 1) !== family.feePips(pool, 1, 0)) differing++;
    }
    assert.isAbove(differing, 50);
  });

  it("is the same for the same seed with further families, and without any as if there were none", () => {
    const options = { seed: 7, poolCount: 500 };
    const mixed = () => digest(generateMarketBlock({ ...options, familyShares: SHARES }));
    assert.strictEqual(mixed(), mixed());
    assert.strictEqual(
      digest(generateMarketBlock({ ...options, familyShares: {} })),
      digest(generateMarketBlock(options)),
    );
  });

  it("refuses options that make no market", () => {
    const impossible: ReadonlyArray<object> = [
      { familyShares: { slipstream: -0.1 } },
      { familyShares: { slipstream: Number.NaN } },
      { familyShares: { slipstream: 0.6, "uniswap-v4": 0.5 } },
      { familyShares: { constructor: 0.1 } },
      { seed: 0.5 },
      { seed: Number.NaN },
      { poolCount: 0 },
      { poolCount: 1.5 },
      { families: [] },
    ];
    for (const options of impossible) {
      assert.throws(() => generateMarketBlock({ seed: 1, poolCount: 10, ...options }), RangeError);
    }
  });
});

/** DEXes of pools whose fee is part of their state. */
const FEES_THAT_CHANGE: ReadonlySet<string> = new Set([
  "UNISWAP_V4",
  "SLIPSTREAM",
  "ALGEBRA_INTEGRAL",
  "AERODROME",
  "BALANCER_V2",
  "BALANCER_V3",
  "CURVE_STABLE",
  "CURVE_STABLE_NG",
]);

interface Generated extends OpenMarket {
  readonly block: MarketBlock;
  readonly rejected: ReadonlyArray<unknown>;
}

function generate(options: GeneratorOptions): Generated {
  const market = openMarket(options.chainId ?? 1, curves);
  const block = generateMarketBlock(options);
  const { rejected } = market.writer.applyBlock(block);
  return { ...market, block, rejected };
}

function digest(block: MarketBlock): string {
  const hash = createHash("sha256");
  const { stamp, dexes, tokens, pools, supplies, states } = block;
  const supplyTexts = supplies.map(({ token, totalSupply }) => [token, `${totalSupply}`]);
  const words = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
  hash.update(JSON.stringify([stamp, dexes, tokens, pools, supplyTexts], words));
  for (const { pool, state } of states) {
    hash.update(pool).update(state.words);
    if (state.book !== undefined) hash.update(state.book.keys).update(state.book.words);
  }
  return hash.digest("hex");
}

/** A pool of a hub and another token tells what the other costs: the lower-indexed hub decides. */
function impliedPrice({ graph, families }: OpenMarket, pool: PoolIndex) {
  const hubs = HUB_PRICES.filter(([address]) => graph.findToken(address) !== undefined);
  for (const [address, priceUsd, decimals] of hubs) {
    const hub = graph.findToken(address)!;
    const position = graph.poolPosition(pool, hub);
    if (position < 0) continue;
    const token = graph.poolToken(pool, 1 - position);
    const family = families[graph.poolCurve[pool]!]!;
    const hubUnits = family.midPrice(pool, 1 - position, position);
    const tokenUnit = 10 ** (graph.tokenDecimals[token]! - decimals);
    return { token, priceUsd: hubUnits * tokenUnit * priceUsd };
  }
  return undefined;
}

function expectSoundBook({ words, book }: PoolState): void {
  const sqrtPriceX96 = readWords(words, 0, 3);
  const liquidity = readWords(words, 3, 2);
  const tick = Number(BigInt.asIntN(64, words[5]!));
  assert.isTrue(sqrtRatioAtTick(tick) <= sqrtPriceX96 && sqrtPriceX96 < sqrtRatioAtTick(tick + 1));
  let running = 0n;
  let atPrice = 0n;
  for (const [place, key] of book!.keys.entries()) {
    running += (book!.words[2 * place + 1]! << 64n) + BigInt.asUintN(64, book!.words[2 * place]!);
    assert.isTrue(running >= 0n);
    if (key <= tick) atPrice = running;
  }
  assert.strictEqual(running, 0n);
  assert.strictEqual(atPrice, liquidity);
  assert.isTrue(liquidity > 0n);
}
