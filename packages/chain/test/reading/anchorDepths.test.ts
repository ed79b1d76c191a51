import type { Address } from "@millrace/core";
import { describe, expect, it } from "vitest";
import type { Admission } from "../../src/ChainOptions.ts";
import { anchorDepths, type ShallowReading } from "../../src/reading/anchorDepths.ts";

const token = (index: number): Address => `0x${index.toString(16).padStart(40, "0")}`;
const [WETH, USDC, LINK, JUNK, DUST] = [token(1), token(2), token(3), token(4), token(5)];

const admission: Admission = {
  anchors: [
    { address: WETH, decimals: 18, priceUsd: 2_000 },
    { address: USDC, decimals: 6, priceUsd: 1 },
  ],
  depthFloorUsd: 1_000,
  pools: [],
};

let poolCount = 0;
const pool = (
  token0: Address,
  reserve0: number,
  token1: Address,
  reserve1: number,
): ShallowReading => ({
  listing: {
    address: token(1_000 + poolCount++),
    dexId: "X",
    tokens: [token0, token1],
    feePips: 3_000,
    parameter: 0,
  },
  reserves: [BigInt(reserve0), BigInt(reserve1)],
});

const depths = (...pools: ReadonlyArray<ShallowReading>) => anchorDepths(admission, pools).depths;
/** The depth of a pool whose side is worth `usd`. */
const depthOf = (usd: number) => usd * (1 / Math.sqrt(0.98) - 1);

describe("anchorDepths", () => {
  it("counts what moves the price by 2 % on the anchor's side", () => {
    const [depth] = depths(pool(WETH, 100e18, LINK, 5e18));
    expect(depth).toBeCloseTo(depthOf(200_000), 6);
    // By x·y = k, this input lowers the price by 2 %.
    const reserveIn = 200_000 + depth!;
    expect((200_000 / reserveIn) ** 2).toBeCloseTo(0.98, 12);
  });

  it("counts the smaller side where both are anchors", () => {
    const [depth] = depths(pool(WETH, 100e18, USDC, 50_000e6));
    expect(depth).toBeCloseTo(depthOf(50_000), 6);
  });

  it("values other pools by the deepest pool that joins their token with an anchor", () => {
    const values = depths(
      pool(LINK, 1_000e18, JUNK, 7),
      pool(USDC, 100_000e6, LINK, 1_000e18), // 100 $
      pool(WETH, 500e18, LINK, 50_000e18), // 20 $
    );
    expect(values[0]).toBeCloseTo(depthOf(20_000), 6);
  });

  it("values every other token of a pool of many by its one anchor, wherever that stands", () => {
    const many: ShallowReading = {
      listing: {
        ...{ address: token(999), dexId: "X", tokens: [LINK, DUST, USDC] },
        ...{ feePips: 3_000, parameter: 0 },
      },
      reserves: [BigInt(10_000e18), BigInt(2_000e18), BigInt(200_000e6)], // 20 $ and 100 $
    };
    const values = depths(many, pool(LINK, 100e18, JUNK, 7), pool(JUNK, 3, DUST, 30e18));
    expect(values.slice(1)).toEqual([2_000, 3_000].map((usd) => expect.closeTo(depthOf(usd), 6)));
  });

  it("counts the smaller of two sides that others value, never more than those pools have", () => {
    const linkPool = pool(USDC, 200_000e6, LINK, 10_000e18); // 20 $
    const dustPool = pool(USDC, 300_000e6, DUST, 3_000e18); // 100 $
    const both = pool(LINK, 5_000e18, DUST, 10e18);
    expect(depths(linkPool, dustPool, both)[2]).toBeCloseTo(depthOf(1_000), 6);
    const vast = pool(LINK, 10_000_000e18, JUNK, 5);
    expect(depths(linkPool, vast)[1]).toBeCloseTo(depthOf(200_000), 6);
  });

  it("lets no pool below the floor make a price", () => {
    const poison = pool(USDC, 50_000e6, JUNK, 1); // a depth of about 500 $
    const lifted = pool(JUNK, 1e18, DUST, 1e18);
    expect(depths(poison, lifted)[1]).toBe(0);
    const honest = pool(USDC, 500_000e6, JUNK, 500_000e18);
    expect(depths(poison, honest, lifted)[2]).toBeCloseTo(depthOf(1), 6);
  });

  it("knows no depth without a price, without reserves, or of nothing", () => {
    const unpriced = { ...pool(WETH, 1, LINK, 1), reserves: undefined };
    expect(depths(unpriced, pool(JUNK, 5, DUST, 5), pool(WETH, 1e22, LINK, 0))).toEqual([
      0,
      0,
      depthOf(2e7),
    ]);
    expect(depths(pool(WETH, 1e22, LINK, 0), pool(LINK, 5, DUST, 5))[1]).toBe(0);
  });

  it("remembers the prices that other pools gave before", () => {
    const { prices } = anchorDepths(admission, [pool(WETH, 500e18, LINK, 50_000e18)]);
    const later = anchorDepths(admission, [pool(LINK, 1_000e18, JUNK, 7)], prices);
    expect(later.depths[0]).toBeCloseTo(depthOf(20_000), 6);
    expect(later.prices).toEqual(prices);
  });
});
