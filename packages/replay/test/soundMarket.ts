export const TOKEN_A = `0x${"aa".repeat(20)}`;
export const TOKEN_B = `0x${"bb".repeat(20)}`;
export const PAIR = `0x${"01".repeat(20)}`;
export const CONCENTRATED = `0x${"02".repeat(20)}`;

/** A sound market that every case below spoils in one place. */
export function soundMarket() {
  return {
    chainId: 1 as unknown,
    block: 100 as unknown,
    blockTimestamp: 1_700_000_000 as unknown,
    tokens: [
      { address: TOKEN_A, symbol: "A", decimals: 18 as unknown, name: "Token A" },
      { address: TOKEN_B, symbol: "B", decimals: 6 as unknown, name: "Token B" },
    ],
    pools: [
      {
        id: PAIR,
        dex: "uniswap_v2" as unknown,
        kind: "v2",
        token0: TOKEN_A,
        token1: TOKEN_B,
        fee: 3000 as unknown,
        reserve0: "1000000000" as unknown,
        reserve1: "2000000000" as unknown,
      },
      {
        id: CONCENTRATED,
        dex: "uniswap_v3" as unknown,
        kind: "v3",
        token0: TOKEN_A,
        token1: TOKEN_B,
        fee: 3000 as unknown,
        ...concentratedState(),
      },
    ],
    updates: [
      {
        block: 101 as unknown,
        pools: { [PAIR]: { reserve0: "1000000100", reserve1: "1999999900" } } as unknown,
      },
      { block: 103 as unknown, pools: { [CONCENTRATED]: concentratedState() } as unknown },
    ],
  };
}

export function concentratedState() {
  return {
    sqrtPriceX96: (2n ** 96n).toString() as unknown,
    tick: 0 as unknown,
    liquidity: "5000" as unknown,
    tickSpacing: 60 as unknown,
    ticks: [
      [-60, "5000"],
      [60, "-5000"],
    ] as Array<[unknown, unknown]>,
  };
}

export type Market = ReturnType<typeof soundMarket>;

export const concentrated = (market: Market) =>
  market.pools[1] as unknown as ReturnType<typeof concentratedState>;

/** Sets a property, whatever its type is meant to be. */
export function set<A extends object>(target: A, key: PropertyKey, value: unknown): true {
  Object.defineProperty(target, key, { value, enumerable: true });
  return true;
}
