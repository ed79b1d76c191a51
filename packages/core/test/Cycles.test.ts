import { describe, expect, it } from "vitest";
import { Cycles } from "../src/cycles/Cycles.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import { type MarketOptions, type OpenMarket, openMarket } from "../src/openMarket.ts";
import { address, capacityState, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

function open(block: MarketBlock, options?: MarketOptions): OpenMarket {
  const market = openMarket(1, [fixedRate], options);
  expect(market.writer.applyBlock(block).rejected).toEqual([]);
  return market;
}

/** Pools of each cycle, by number, with its input and profit. */
function found(market: OpenMarket, cycles: Cycles, maxHops: number, from = 1): string[] {
  return cycles.find(token(market, from), maxHops).map(({ amountIn, profit, steps }) => {
    const pools = steps.map(({ pool }) => Number(BigInt(market.graph.poolAddress(pool))) - 100);
    return `${pools.join(" ")}: ${amountIn} + ${profit}`;
  });
}

function setCapacities(market: OpenMarket, number: number, capacities: Record<number, bigint>) {
  const states = Object.entries(capacities).map(([pool, capacity]) => ({
    pool: address(100 + Number(pool)),
    state: capacityState(capacity),
  }));
  return market.writer.applyBlock({ ...emptyBlock(number), states });
}

const twoPools = marketOf(2, [
  { tokens: [1, 2], rate: 3, capacity: 1_000n },
  { tokens: [1, 2], rate: 1, capacity: 900_000n },
]);

describe("Cycles", () => {
  it("goes round two pools of a pair both ways, as much as they take", () => {
    const market = open(twoPools);
    const [first, second] = new Cycles(market).find(token(market, 1), 2);
    expect(found(market, new Cycles(market), 2)).toEqual(["0 1: 1000 + 2000", "1 0: 1000 + 2000"]);
    expect(first).toMatchObject({
      amountIn: 1_000n,
      amountOut: 3_000n,
      profit: 2_000n,
      gas: 200_000,
      stamp: market.graph.stamp,
    });
    expect(first!.steps.map(({ amountIn, amountOut }) => [amountIn, amountOut])).toEqual([
      [1_000n, 3_000n],
      [3_000n, 3_000n],
    ]);
    expect(second!.steps[0]!.pool).toBe(first!.steps[1]!.pool);
  });

  it("gives nothing where nothing profits", () => {
    const market = open(marketOf(3, [{ tokens: [1, 2] }, { tokens: [2, 3] }, { tokens: [3, 1] }]));
    expect(found(market, new Cycles(market), 4)).toEqual([]);
  });

  it("goes through no more pools than asked for", () => {
    const market = open(
      marketOf(3, [
        { tokens: [1, 2], rate: 2, capacity: 1_000n },
        { tokens: [2, 3] },
        { tokens: [3, 1] },
      ]),
    );
    const cycles = new Cycles(market);
    expect(found(market, cycles, 2)).toEqual([]);
    expect(found(market, cycles, 3)).toEqual(["0 1 2: 1000 + 1000", "2 1 0: 1000 + 1000"]);
  });

  it("uses a pool of many tokens once", () => {
    const market = open(marketOf(3, [{ tokens: [1, 2, 3], rate: 2 }, { tokens: [2, 3] }]));
    expect(found(market, new Cycles(market), 4)).toEqual([]);
  });

  it("visits no token but the first twice", () => {
    const market = open(
      marketOf(3, [
        { tokens: [1, 2] },
        { tokens: [2, 3], rate: 2, capacity: 100n },
        { tokens: [2, 3] },
      ]),
    );
    expect(found(market, new Cycles(market), 4)).toEqual([]);
    expect(found(market, new Cycles(market), 4, 2)).toHaveLength(2);
  });

  it("stays within the gas limit, which leaves room for more than the swaps", () => {
    const tight = open(twoPools, { gasLimit: 299_999 });
    expect(found(tight, new Cycles(tight), 2)).toEqual([]);
    const enough = open(twoPools, { gasLimit: 300_000 });
    expect(found(enough, new Cycles(enough), 2)).toHaveLength(2);
  });

  it("gives the 64 best of more, with as many left when the best go", () => {
    const pools = Array.from({ length: 20 }, (_, n) => ({
      tokens: [1, 2],
      rate: n === 0 ? 1 : 2,
      capacity: n === 0 ? 900_000n : 1_000n + 2n * BigInt(n),
    }));
    const market = open(marketOf(2, pools));
    const cycles = new Cycles(market);
    const profits = () => cycles.find(token(market, 1), 2).map(({ profit }) => profit);
    const before = profits();
    expect(before).toHaveLength(64);
    expect(before).toEqual([...before].sort((a, b) => Number(b - a)));
    for (let number = 2; number < 9; number++) {
      setCapacities(market, number, { [20 - number]: 0n });
      expect(profits()).toEqual(
        new Cycles(market).find(token(market, 1), 2).map(({ profit }) => profit),
      );
    }
    expect(profits()).toHaveLength(64);
  });

  it("follows blocks, and stamps what they leave alone with the newest", () => {
    const market = open(
      marketOf(3, [
        { tokens: [1, 2], rate: 3, capacity: 1_000n },
        { tokens: [1, 2] },
        { tokens: [1, 3], rate: 2, capacity: 1_000n },
        { tokens: [1, 3] },
      ]),
    );
    const cycles = new Cycles(market);
    const before = cycles.find(token(market, 1), 4);
    expect(cycles.find(token(market, 1), 4)).toBe(before);
    setCapacities(market, 2, { 2: 4_000n });
    cycles.applied();
    expect(found(market, cycles, 4).slice(0, 2)).toEqual(["2 3: 4000 + 4000", "3 2: 4000 + 4000"]);
    setCapacities(market, 3, { 2: 0n });
    cycles.applied();
    const after = cycles.find(token(market, 1), 4);
    expect(after.map(({ steps }) => steps)).toEqual(before.slice(0, 2).map(({ steps }) => steps));
    expect(after[0]!.stamp.number).toBe(3);
    market.writer.applyBlock({ ...emptyBlock(4), removedPools: [address(101)] });
    cycles.applied();
    expect(found(market, cycles, 4)).toEqual([]);
  });

  it("finds the same when it was not asked for so long that it forgot", () => {
    const market = open(twoPools);
    const cycles = new Cycles(market);
    const before = cycles.find(token(market, 1), 2);
    for (let block = 0; block < 65; block++) cycles.applied();
    const after = cycles.find(token(market, 1), 2);
    expect(after).toEqual(before);
    expect(after).not.toBe(before);
  });

  it("throws for tokens and numbers of pools that there are not", () => {
    const market = open(twoPools);
    const cycles = new Cycles(market);
    expect(() => cycles.find(token(market, 1), 1)).toThrow(RangeError);
    expect(() => cycles.find(token(market, 1), 5)).toThrow(RangeError);
    expect(() => cycles.find(2 as never, 2)).toThrow(RangeError);
  });
});
