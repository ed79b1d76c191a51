import { assert, describe, it } from "@effect/vitest";
import type { MarketData } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { blockAfter, type PlainPool, poolAt, poolsBlock } from "../markets/marketPools.ts";
import { DOLLARS, testMarket, tokensOf } from "../markets/recordedMarkets.ts";

const SIDE = 10n ** 24n;
// Two priced tokens; two that only have pools with each other; one below the floor.
const pools: PlainPool[] = [
  { tokens: [0, 1], reserves: [10n ** 12n, SIDE] },
  { tokens: [1, 2], reserves: [SIDE, SIDE] },
  { tokens: [3, 4], reserves: [SIDE, SIDE] },
  { tokens: [0, 5], reserves: [10n ** 8n, SIDE] },
];
const first = poolsBlock(6, pools);
const stateOf = (place: number, reserves: readonly [bigint, bigint]) => ({
  pool: poolAt(place),
  state: encodeReserves(reserves),
});
const address = (place: number) => first.tokens[place]!.address;

describe("a block that moves no price", () => {
  const quiet: ReadonlyArray<readonly [string, Parameters<typeof blockAfter>[1]]> = [
    ["is empty", {}],
    ["sets the states that pools have", { states: [stateOf(0, pools[0]!.reserves)] }],
    ["moves pools of tokens without a price", { states: [stateOf(2, [SIDE, 3n * SIDE])] }],
    ["moves a pool below the floor", { states: [stateOf(3, [2n * 10n ** 8n, SIDE / 2n])] }],
    ["tells a supply", { supplies: [{ token: address(1), totalSupply: 7n * SIDE }] }],
    ["lists a token with other decimals", { tokens: [{ ...first.tokens[2]!, decimals: 20 }] }],
  ];
  const loud: ReadonlyArray<Parameters<typeof blockAfter>[1]> = [
    { states: [stateOf(0, [2n * 10n ** 12n, SIDE])] },
    { states: [stateOf(1, [SIDE, 2n * SIDE])] },
    { removedPools: [poolAt(1)] },
    { states: [stateOf(0, pools[0]!.reserves)] },
  ];

  it.each(quiet)("and %s leaves what a start at that block gives", (_name, happens) => {
    const market = testMarket(first);
    const data = market.data(DOLLARS);
    let number = first.stamp.number;
    const take = (block: Parameters<typeof blockAfter>[1]) => {
      market.apply(blockAfter(number++, block));
      data.settle();
      assert.strictEqual(data.settledBlock(), number);
      const fresh = market.data(DOLLARS);
      assert.deepStrictEqual(told(data), told(fresh));
      fresh.close();
    };
    take(happens);
    for (const each of loud) {
      take(each);
      take(happens);
    }
    market.close();
  });
});

/** Prices, liquidity, and lists by what a block may change. */
function told(data: MarketData) {
  const page = { page: 1, limit: 100_000 };
  const order = (sort: "-liquidity" | "-price" | "-marketCap") =>
    data.tokens({ ...page, sort }).items.map(({ index, priceUsd, liquidityUsd, totalSupply }) => ({
      index,
      priceUsd,
      liquidityUsd,
      totalSupply,
    }));
  const ofPools = (sort: "-liquidityUsd" | "-sqrtPriceX96" | "-liquidity") =>
    data.pools({ ...page, sort }).items.map(({ index, liquidityUsd, sqrtPriceX96 }) => ({
      index,
      liquidityUsd,
      sqrtPriceX96,
    }));
  return [
    tokensOf(data).map((token) => data.price(token)),
    order("-liquidity"),
    order("-price"),
    order("-marketCap"),
    ofPools("-liquidityUsd"),
    ofPools("-sqrtPriceX96"),
    ofPools("-liquidity"),
  ];
}
