import {
  type Address,
  type Cycle,
  Cycles,
  type MarketBlock,
  NO_HASH,
  type OpenMarket,
  openMarket,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { law, MEETS_EVERY_KIND, type RandomSource, surely } from "@millrace/testing";
import {
  encodeState,
  engineMarket,
  exactSwap,
  listingOf,
  type PlainPool,
  poolOf,
  readMarket,
  tinyMarket,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { universeBlocks } from "../markets/recordedMarkets.ts";
import { amountsAlong, bruteCycles, toleranceOf } from "../reference/bruteCycles.ts";

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/**
 * False for fees, prices and liquidities so extreme that contracts round by more than a unit of a
 * token: 2^96 units of liquidity move in steps of a whole unit.
 */
function isSane(pool: PlainPool): boolean {
  if (pool.feePips > 10_000) return false;
  if (pool.family === "constantProduct") return true;
  const liquidities = [pool.liquidity, ...pool.ticks.values()];
  return Math.abs(pool.tick) < 400_000 && liquidities.every((net) => net < 1n << 90n);
}

function marketOf(pools: ReadonlyArray<PlainPool>): OpenMarket {
  const market = engineMarket({ chainId: 1, block: 1, pools });
  return { ...market, options: { ...market.options, gasLimit: Number.POSITIVE_INFINITY } };
}

function keyOf({ graph }: OpenMarket, { steps }: Cycle): string {
  return steps.map(({ pool }) => graph.poolAddress(pool)).join(" ");
}

/** The amounts of a cycle, by the reference's arithmetic. */
function reckoned(market: OpenMarket, pools: Map<string, PlainPool>, cycle: Cycle) {
  const swaps = cycle.steps.map(({ pool, tokenIn }) => {
    const plain = pools.get(market.graph.poolAddress(pool))!;
    return exactSwap(plain, plain.token0 === market.graph.tokenAddress(tokenIn));
  });
  return amountsAlong(swaps, cycle.amountIn);
}

function amountsOf({ amountIn, steps }: Cycle): ReadonlyArray<bigint> {
  return [amountIn, ...steps.map(({ amountOut }) => amountOut)];
}

/** Cycles of brute force that the engine misses, or finds at a worse size. */
function shortcomings(pools: ReadonlyArray<PlainPool>, counts: { compared: number }): string[] {
  const market = marketOf(pools);
  const first = pools[0]!.token0;
  const found = new Cycles(market).find(market.graph.findToken(first)!, 4);
  const byKey = new Map(found.map((cycle) => [keyOf(market, cycle), cycle]));
  const brute = bruteCycles(pools, first, 4);
  counts.compared += brute.length;
  return brute
    .filter((cycle) => {
      const profit = byKey.get(cycle.key)?.profit ?? 0n;
      if (profit === 0n && found.length === 64 && cycle.profit <= found[63]!.profit) return false;
      return cycle.profit - profit > toleranceOf(cycle);
    })
    .map(({ amounts, key, profit }) => `${key}: ${amounts} ${profit} ${byKey.get(key)?.profit}`);
}

describe("the cycles of tiny markets", () => {
  it("are all that brute force finds, at sizes that are as good", () => {
    const { cases, options } = law("cycles: what brute force finds", 120);
    const counts = { compared: 0 };
    const faults = fc
      .sample(tinyMarket, options)
      .map((pools) => pools.filter(isSane))
      .filter((pools) => pools.length > 1)
      .flatMap((pools) => shortcomings(pools, counts));
    expect(faults).toEqual([]);
    expect(counts.compared).toBeGreaterThanOrEqual(surely(0.25 * cases));
  }, 60_000);

  it("grow past what a pool rounds at the ends of hundreds of ranges", () => {
    const [first, second] = [1, 3].map((name): Address => `0xaa${`${name}`.padStart(38, "0")}`);
    const common = { family: "concentratedLiquidity", protocolFee: 0 } as const;
    const pools: PlainPool[] = [
      {
        ...common,
        contract: "uniswapV4",
        protocolFee: 3814373,
        address: `0xbb${"5".padStart(38, "0")}`,
        ...{ token0: first!, token1: second!, tickSpacing: 1, feePips: 1, dexId: "CONCENTRATED_1" },
        ...{ sqrtPriceX96: 258003577939431811465972520n, tick: -114548, liquidity: 393n },
        ticks: new Map([
          [-887272, 393n],
          [77803, -393n],
        ]),
      },
      {
        ...common,
        contract: "algebraIntegral",
        address: `0xbb${"2".padStart(38, "0")}`,
        ...{ token0: second!, token1: first!, tickSpacing: 60, feePips: 100 },
        ...{ dexId: "CONCENTRATED_0", sqrtPriceX96: 79192519643494122913931054475n, tick: -9 },
        liquidity: 354306n,
        ticks: new Map([
          [-1620, 354306n],
          [634320, -354306n],
        ]),
      },
    ];
    const counts = { compared: 0 };
    expect(shortcomings([pools[1]!, pools[0]!], counts)).toEqual([]);
    expect(counts.compared).toBeGreaterThan(0);
  });

  it("are found to the unit where a pool is nearly full", () => {
    const [first, second] = ["0".repeat(40), `${"1".padStart(40, "0")}`].map(
      (name): Address => `0xaa${name.slice(2)}`,
    );
    const pools: PlainPool[] = [
      {
        ...{ family: "constantProduct", dexId: "PRODUCT_1", rule: "feeFirst", feePips: 2500 },
        address: `0xbb${"5".padStart(38, "0")}`,
        ...{ token0: first!, token1: second!, reserve1: 202985979255664803007067n },
        reserve0: 340282366920938463463374607431768210704n,
      },
      {
        ...{ family: "concentratedLiquidity", dexId: "CONCENTRATED_1", feePips: 500 },
        address: `0xbb${"1".padStart(38, "0")}`,
        ...{ token0: second!, token1: first!, tickSpacing: 10, tick: -31, liquidity: 121n },
        sqrtPriceX96: 79109415290437042302807587396n,
        ticks: new Map([
          [-887270, 756353816139834679259795n],
          [-600, -756353816139834679259675n],
          [-80, 1n],
          [80, 1000000006n],
          [140, -120n],
          [264950, -1n],
          [887270, -1000000006n],
        ]),
      },
    ];
    const counts = { compared: 0 };
    expect(shortcomings(pools, counts)).toEqual([]);
    expect(counts.compared).toBeGreaterThan(0);
  });

  it("profit as they say, whatever the pools are like", () => {
    const { cases, options } = law("cycles: profit as they say", 60);
    let count = 0;
    for (const pools of fc.sample(tinyMarket, options)) {
      const market = engineMarket({ chainId: 1, block: 1, pools });
      const byAddress = new Map<string, PlainPool>(pools.map((pool) => [pool.address, pool]));
      const cycles = new Cycles(market);
      for (let token = 0; token < market.graph.tokenCount; token++) {
        const found = cycles.find(token as TokenIndex, 4);
        count += found.length;
        for (const cycle of found) {
          expect(amountsOf(cycle)).toEqual(reckoned(market, byAddress, cycle));
          expect(cycle.profit).toBe(cycle.amountOut - cycle.amountIn);
          expect(cycle.profit).toBeGreaterThan(0n);
          expect(new Set(cycle.steps.map(({ pool }) => pool)).size).toBe(cycle.steps.length);
          expect(new Set(cycle.steps.map(({ tokenIn }) => tokenIn)).size).toBe(cycle.steps.length);
        }
        const profits = found.map(({ profit }) => profit);
        expect(profits).toEqual([...profits].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)));
      }
    }
    expect(count).toBeGreaterThanOrEqual(surely(2 * cases));
  }, 60_000);

  it("are the same followed over blocks as sought anew, pools coming and going", () => {
    const markets = law("cycles: followed over blocks", 50);
    const random = markets.random();
    let count = 0;
    for (const pools of fc.sample(tinyMarket, markets.options)) {
      const market = engineMarket({ chainId: 1, block: 1, pools });
      const cycles = new Cycles(market);
      const tokens = Array.from({ length: market.graph.tokenCount }, (_, token) => token);
      const absent = new Set<Address>();
      for (let block = 2; block < 8; block++) {
        market.writer.applyBlock(changes(pools, absent, block, random));
        cycles.applied();
        if (random.integer(3) === 0) continue; // asked again only after a later block
        for (const token of tokens as TokenIndex[]) {
          const maxHops = 2 + random.integer(3);
          const found = cycles.find(token, maxHops);
          count += found.length;
          expect(found).toEqual(new Cycles(market).find(token, maxHops));
        }
      }
    }
    // A market has many or none.
    if (MEETS_EVERY_KIND) expect(count).toBeGreaterThanOrEqual(surely(2 * markets.cases));
  }, 60_000);
});

/** A block that changes some pools' states, removes some and restores some. */
function changes(
  pools: ReadonlyArray<PlainPool>,
  absent: Set<Address>,
  number: number,
  random: RandomSource,
): MarketBlock {
  const removed = pools.filter(({ address }) => !absent.has(address) && random.integer(8) === 0);
  const added = pools.filter(({ address }) => absent.has(address) && random.integer(2) === 0);
  for (const { address } of removed) absent.add(address);
  for (const { address } of added) absent.delete(address);
  const changed = pools.filter(
    (pool) => !absent.has(pool.address) && (added.includes(pool) || random.integer(4) === 0),
  );
  return {
    stamp: { number, hash: NO_HASH, timestampMs: 0 },
    dexes: [],
    tokens: [],
    pools: added.map(listingOf),
    removedPools: removed.map(({ address }) => address),
    states: changed.map((pool) => {
      const id = pools.indexOf(pool);
      const [other] = fc.sample(poolOf(pool.family, id, 0, 1), {
        seed: random.integer(1e9),
        numRuns: 1,
      });
      // Another pool's state, where this one's tick spacing allows it; else its own again.
      const fits = pool.family !== "concentratedLiquidity" || sameSpacing(pool, other!);
      return { pool: pool.address, state: encodeState(fits ? other! : pool) };
    }),
    swaps: [],
    supplies: [],
  };
}

function sameSpacing(pool: PlainPool, other: PlainPool): boolean {
  return (
    pool.family === "concentratedLiquidity" &&
    other.family === "concentratedLiquidity" &&
    pool.tickSpacing === other.tickSpacing
  );
}

describe("the cycles of universe a", async () => {
  const blocks = await universeBlocks("universe-a");

  it("are the same followed over its blocks as sought anew", () => {
    const market = openMarket(1, curves);
    const cycles = new Cycles(market);
    let changes = 0;
    let before = "";
    for (const block of blocks) {
      market.writer.applyBlock(block);
      cycles.applied();
      for (const address of [WETH, USDC]) {
        const token = market.graph.findToken(address)!;
        for (const maxHops of [2, 4]) {
          const found = cycles.find(token, maxHops);
          expect(found).toEqual(new Cycles(market).find(token, maxHops));
          if (address !== WETH || maxHops !== 4) continue;
          expect(found.length).toBe(64);
          const now = found.map(amountsOf).join(";");
          if (now !== before) changes++;
          before = now;
        }
      }
    }
    expect(changes).toBeGreaterThan(5);
  }, 60_000);

  it("are what brute force finds in two and three pools, and swap as they say", () => {
    const { pools } = readMarket("ethereum-2026-03/universe-a.json");
    const market = openMarket(1, curves);
    for (const block of blocks) market.writer.applyBlock(block);
    const byAddress = new Map<string, PlainPool>(pools.map((pool) => [pool.address, pool]));
    const found = new Cycles(market).find(market.graph.findToken(WETH)!, 3);
    for (const cycle of found) {
      expect(amountsOf(cycle)).toEqual(reckoned(market, byAddress, cycle));
      for (const { amountIn, amountOut, pool, tokenIn, tokenOut } of cycle.steps) {
        const { graph } = market;
        const family = market.families[graph.poolCurve[pool]!]!;
        const [from, to] = [tokenIn, tokenOut].map((token) => graph.poolPosition(pool, token));
        expect(family.swapExactIn(pool, from!, to!, amountIn)?.amountOut).toBe(amountOut);
      }
    }
    const least = found.at(-1)!.profit;
    const brute = bruteCycles(pools, WETH, 3).filter(
      (cycle) => cycle.profit - toleranceOf(cycle) > least,
    );
    const byKey = new Map(found.map((cycle) => [keyOf(market, cycle), cycle]));
    expect(
      brute.filter((cycle) => {
        const profit = byKey.get(cycle.key)?.profit ?? 0n;
        return cycle.profit - profit > toleranceOf(cycle);
      }),
    ).toEqual([]);
    expect(brute.length).toBeGreaterThan(40);
  }, 60_000);
});
