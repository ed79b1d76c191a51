import type { Address } from "@millrace/core";

/** The tick spacing of each of Uniswap's usual fees. */
export const SPACINGS: Readonly<Record<number, number>> = {
  100: 1,
  500: 10,
  3000: 60,
  10000: 200,
};

export const tokenAt = (number: number): Address => numbered(0xaa, number);
export const plainPoolAt = (number: number): Address => numbered(0xbb, number);

function numbered(kind: number, number: number): Address {
  return `0x${kind.toString(16)}${number.toString(16).padStart(38, "0")}`;
}

/** A constant-product pool, but for its rule and reserves. */
export const pair = (number: number, token0: number, token1: number, feePips: number) => ({
  ...{ address: plainPoolAt(number), dexId: "PRODUCT", family: "constantProduct" as const },
  ...{ token0: tokenAt(token0), token1: tokenAt(token1), feePips },
});

/** A concentrated-liquidity pool, but for its price and liquidity. */
export const concentrated = (number: number, token0: number, token1: number, feePips: number) => ({
  ...{ address: plainPoolAt(number), dexId: "CONCENTRATED" },
  ...{ family: "concentratedLiquidity" as const, tickSpacing: SPACINGS[feePips]! },
  ...{ token0: tokenAt(token0), token1: tokenAt(token1), feePips },
});
