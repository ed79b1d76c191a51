import {
  type OpenMarket,
  pathsOf,
  type Quote,
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { law, type RandomSource, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  anyRequest,
  type ManyTokenPool,
  manyTokenMarket,
  sensiblePools,
  sensibleStablePools,
  wildPools,
} from "../markets/manyTokenMarket.ts";
import { stableCeilingPool, weightedCeilingPool } from "../reference/ceilingPools.ts";
import { routingCeiling } from "../reference/routingCeiling.ts";

const NO_GAS_LIMIT = { gasLimit: Number.POSITIVE_INFINITY };
const PATHS = 12;
/** The rounding error of a float ceiling. */
const ROUNDING = 1e-9;

/** The amounts of a quote's steps when they are executed one after the other on the market. */
function executed({ graph, families, writer }: OpenMarket, { kind }: QuoteRequest, quote: Quote) {
  let [amountIn, amountOut] = [0n, 0n];
  for (const path of pathsOf(quote)) {
    const steps = kind === "exactIn" ? path : path.toReversed();
    for (const step of steps) {
      const { pool, tokenIn, tokenOut } = step;
      const [from, to] = [graph.poolPosition(pool, tokenIn), graph.poolPosition(pool, tokenOut)];
      const family = families[graph.poolCurve[pool]!]!;
      const swap =
        kind === "exactIn"
          ? family.swapExactIn(pool, from, to, step.amountIn)!
          : family.swapExactOut(pool, from, to, step.amountOut)!;
      writer.applySwap(swap);
      if (tokenIn === path[0]!.tokenIn) amountIn += swap.amountIn;
      if (step === path.at(-1)) amountOut += kind === "exactIn" ? swap.amountOut : step.amountOut;
    }
  }
  return { amountIn, amountOut };
}

/** Whether paths use several pairs of a pool, no path a pool twice, and no token goes both ways. */
function usesOfPools(quote: Quote) {
  const pairs = new Map<number, Set<string>>();
  const ways = new Map<string, "in" | "out">();
  for (const path of pathsOf(quote)) {
    expect(new Set(path.map(({ pool }) => pool)).size).toBe(path.length);
    for (const { pool, tokenIn, tokenOut } of path) {
      const own = pairs.get(pool) ?? new Set();
      pairs.set(pool, own.add(`${tokenIn} ${tokenOut}`));
      for (const [token, way] of [
        [tokenIn, "in"],
        [tokenOut, "out"],
      ] as const) {
        expect(ways.get(`${pool} ${token}`) ?? way).toBe(way);
        ways.set(`${pool} ${token}`, way);
      }
    }
  }
  return { hasSeveralPairs: [...pairs.values()].some(({ size }) => size > 1) };
}

/** Two tokens that the pools link, and a part of the pools' holding of the first. */
function trade(random: RandomSource, pools: ReadonlyArray<ManyTokenPool>) {
  const [tokenIn, tokenOut] = random.shuffled([...new Set(pools.flatMap(({ tokens }) => tokens))]);
  const held = pools.flatMap(({ tokens, balances }) =>
    tokens.includes(tokenIn!) ? [balances[tokens.indexOf(tokenIn!)]!] : [],
  );
  const most = Math.max(...held.map(Number));
  const amount = BigInt(Math.floor(most * 2 ** -random.between(2, 10)));
  return { tokenIn: tokenIn as TokenIndex, tokenOut: tokenOut as TokenIndex, amount };
}

describe("splits through pools with many tokens", () => {
  it.each([
    ["that could be anything", wildPools],
    ["whose prices agree", sensiblePools],
  ])(
    "%s, are what their paths give one after the other, and no worse than one path",
    (name, draw) => {
      const markets = law(`splits through pools of many tokens ${name}`, 120);
      let better = 0;
      for (const [index, random] of markets.sources()) {
        const tokenCount = random.between(3, 8);
        const market = manyTokenMarket(tokenCount, draw(random, tokenCount), NO_GAS_LIMIT);
        const request = anyRequest(random, tokenCount, random.between(1, 4));
        const single = market.router.quote(request);
        const split = market.router.quote({ ...request, maxSplits: PATHS });
        if (!single.found) continue;
        const place = `market ${index}`;
        if (!split.found) throw new Error(`${place}: a split finds nothing`);
        const { amountIn, amountOut } = split;
        expect(executed(market, request, split), place).toEqual({ amountIn, amountOut });
        usesOfPools(split);
        if (request.gasPrice !== undefined) continue;
        const gain =
          request.kind === "exactIn" ? amountOut - single.amountOut : single.amountIn - amountIn;
        expect(gain, place).toBeGreaterThanOrEqual(0n);
        if (gain > 0n) better++;
      }
      expect(better).toBeGreaterThanOrEqual(surely(markets.cases / 60));
    },
  );

  it.each([
    ["weighted", 120, sensiblePools],
    [
      "stable",
      40,
      (random: RandomSource, count: number) => sensibleStablePools(random, count, false),
    ],
    [
      "weighted and stable",
      40,
      (random: RandomSource, count: number) => sensibleStablePools(random, count, true),
    ],
  ] as const)(
    "that are %s give 0.998 of what any routing could over 12 paths, and use several pairs of a pool",
    (name, cases, draw) => {
      const markets = law(`splits through ${name} pools against the ceiling`, cases);
      const parts: number[] = [];
      let mixed = 0;
      for (const [index, random] of markets.sources()) {
        const tokenCount = random.between(3, 8);
        const pools: ReadonlyArray<ManyTokenPool> = draw(random, tokenCount);
        const market = manyTokenMarket(tokenCount, pools, NO_GAS_LIMIT);
        const { tokenIn, tokenOut, amount } = trade(random, pools);
        const request = { tokenIn, tokenOut, amount, kind: "exactIn", maxHops: 4 } as const;
        const split = market.router.quote({ ...request, maxSplits: PATHS });
        if (!split.found) continue;
        const floats = pools.map(ceilingPool);
        const ceiling = routingCeiling(tokenCount, floats, tokenIn, tokenOut, Number(amount));
        const part = Number(split.amountOut) / ceiling;
        expect(part, `market ${index}`).toBeLessThanOrEqual(1 + ROUNDING);
        parts.push(part);
        if (usesOfPools(split).hasSeveralPairs) mixed++;
      }
      const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
      expect(mean).toBeGreaterThanOrEqual(0.998);
      expect(mixed).toBeGreaterThanOrEqual(surely(parts.length / 10));
    },
  );

  // Seed 1938144555: a piece of the flat curve was taken to reach far beyond its bend.
  it("that empty a stable pool give no less over many paths than over two", () => {
    const rates = {
      coarse: 4_194_303_997_228_131_186_376_704n,
      fine: 33_554_431_977_825_049_491_013_632n,
    };
    const { coarse, fine } = rates;
    const pools: ReadonlyArray<ManyTokenPool> = [
      {
        tokens: [0, 1, 2],
        balances: [3_435_375_919_908n, 426_436_174_517n, 426_640_497_590n],
        rates: [coarse, fine, fine],
        amp: 10_000n,
        fee: 1_000_000n,
      },
      {
        tokens: [0, 1, 2],
        weights: [1n, 4n, 2n],
        balances: [9_297_474_205_406n, 4_648_195_283_372n, 2_324_292_194_573n],
        feePips: 500,
      },
      {
        tokens: [0, 1],
        balances: [377_444_993_063n, 45_442_152_923n],
        rates: [coarse, fine],
        amp: 200_000n,
        fee: 1_000_000n,
      },
    ];
    const { router } = manyTokenMarket(3, pools, NO_GAS_LIMIT);
    const [tokenIn, tokenOut] = [2 as TokenIndex, 0 as TokenIndex];
    const request = {
      tokenIn,
      tokenOut,
      amount: 581_073_048_643n,
      kind: "exactIn",
      maxHops: 4,
    } as const;
    const ceiling = routingCeiling(3, pools.map(ceilingPool), 2, 0, Number(request.amount));
    for (const [maxSplits, part] of [
      [2, 0.98],
      [3, 0.99],
      [PATHS, 0.9999],
      [64, 0.9999],
    ] as const) {
      const split = router.quote({ ...request, maxSplits });
      expect(split.found && Number(split.amountOut) / ceiling).toBeGreaterThan(part);
    }
  });
});

const ceilingPool = (pool: ManyTokenPool) =>
  "weights" in pool ? weightedCeilingPool(pool) : stableCeilingPool(pool);
