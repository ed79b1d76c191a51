import { type Address, type Curve, NO_CONSTANTS, type PoolShape } from "@millrace/core";
import { describeCurve, type FamilyUnderTest } from "@millrace/testing/conformance";
import {
  encodeState,
  type FamilyPool,
  limitsOf,
  listingOf,
  openPool,
  type PlainPool,
  poolAfter,
  poolOf,
  stablePool,
} from "@millrace/testing/reference";
import { balancerStableUnderTest, weightedUnderTest } from "./balancer/balancersUnderTest.ts";
import { pairOf, unitsUneven } from "./solidlyStable/solidlyPairs.ts";
import { stableSwapFamily } from "./stableSwap/stableSwapPools.ts";
import { vaultsUnderTest } from "./wrapper/vaults.ts";

const soundProduct: PlainPool = {
  family: "constantProduct",
  address: `0x${"b0".repeat(20)}`,
  dexId: "PRODUCT",
  token0: `0x${"a0".repeat(20)}`,
  token1: `0x${"a1".repeat(20)}`,
  feePips: 3000,
  rule: "feeInside",
  reserve0: 1_000n,
  reserve1: 1_000n,
};

const soundStable: FamilyPool = {
  ...soundProduct,
  family: "solidlyStable",
  dexId: "STABLE",
  decimals0: 6,
  decimals1: 18,
  reserve0: 10n ** 12n,
  reserve1: 10n ** 24n,
};

const soundConcentrated: PlainPool & { family: "concentratedLiquidity" } = {
  ...soundProduct,
  family: "concentratedLiquidity",
  dexId: "CONCENTRATED",
  tickSpacing: 60,
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity: 10n ** 18n,
  ticks: new Map([
    [-600, 10n ** 18n],
    [600, -(10n ** 18n)],
  ]),
};

/** What plain pools have in common. */
const plain = {
  open: openPool,
  shapeOf,
  stateOf: encodeState,
  after: poolAfter<FamilyPool>,
  limitsOf,
  cheap: (pool: FamilyPool) => ({ ...pool, feePips: Math.min(pool.feePips, 3_000) }),
};

/** Families of pools of two tokens, as markets of plain pools have them. */
const plainFamilies: Readonly<Record<string, FamilyUnderTest<FamilyPool>>> = {
  "constant-product": {
    ...plain,
    pool: poolOf("constantProduct", 0, 0, 1),
    isNarrow: (pool) => pool.family !== "constantProduct" || pool.rule === "feeInside",
    priceAndLiquidity: (pool) => {
      if (pool.family !== "constantProduct") throw new Error(pool.family);
      const { reserve0, reserve1 } = pool;
      const price = reserve0 === 0n ? 0n : rootBelow((reserve1 << 192n) / reserve0);
      return [price, rootBelow(reserve0 * reserve1)];
    },
    // The V2 library's input is the least, or one more where the division leaves no rest.
    slack: (pool) => (pool.family === "constantProduct" && pool.rule === "feeInside" ? 2n : 1n),
    impossible: [
      ["a V2 reserve above uint112", { ...soundProduct, reserve0: 1n << 112n }],
      ["a fee of all", { ...soundProduct, feePips: 1_000_000 }],
    ],
  },
  "solidly-stable": {
    ...plain,
    pool: stablePool,
    slack: () => 1n,
    isSmooth: true,
    impossible: [
      ["a fee of all", { ...soundStable, feePips: 1_000_000 }],
      ["a fee between the contract's", { ...soundStable, feePips: 550 }],
      ["decimals that its contract cannot have", { ...soundStable, decimals0: 78 }],
    ],
    unevenness: (pool, zeroForOne) =>
      pool.family === "solidlyStable" ? unitsUneven(pairOf(pool, zeroForOne)) : 0,
  },
  "concentrated-liquidity": {
    ...plain,
    pool: poolOf("concentratedLiquidity", 0, 0, 1),
    priceAndLiquidity: (pool) => {
      if (pool.family !== "concentratedLiquidity") throw new Error(pool.family);
      return [pool.sqrtPriceX96, pool.liquidity];
    },
    // The price is rounded to Q64.96 past what is asked, so a little less may reach it too.
    slack: () => undefined,
    impossible: [
      [
        "a price below the range",
        { ...soundConcentrated, sqrtPriceX96: 4295128738n, tick: -887272 },
      ],
      ["a price above the range", { ...soundConcentrated, sqrtPriceX96: 1n << 160n, tick: 887272 }],
      ["a tick that is not the price's", { ...soundConcentrated, tick: 1 }],
      ["a fee of all", { ...soundConcentrated, feePips: 1_000_000 }],
      ["no tick spacing", { ...soundConcentrated, tickSpacing: 0 }],
      [
        "a tick between the spacing",
        {
          ...soundConcentrated,
          ticks: new Map([
            [-601, 1n],
            [600, -1n],
          ]),
        },
      ],
      [
        "a tick beyond the range",
        {
          ...soundConcentrated,
          ticks: new Map([
            [-600, 1n],
            [887_280, -1n],
          ]),
        },
      ],
    ],
  },
};

const describing =
  <Pool extends { readonly address: Address }>(family: FamilyUnderTest<Pool>) =>
  (curve: Curve) =>
    describeCurve(curve, family);

/** By `Curve.name`: a family that is registered without an entry here fails the suite. */
export const describeFamily: Readonly<Record<string, (curve: Curve) => void>> = {
  ...Object.fromEntries(
    Object.entries(plainFamilies).map(([name, family]) => [name, describing(family)]),
  ),
  "stable-swap": describing(stableSwapFamily),
  wrapper: describing(vaultsUnderTest),
  weighted: describing(weightedUnderTest),
  "balancer-stable": describing(balancerStableUnderTest),
};

/** What of a pool never changes, as arithmetic sees it. */
function shapeOf(pool: FamilyPool): PoolShape {
  const { tokens, feePips, parameter, constants = NO_CONSTANTS } = listingOf(pool);
  return { decimals: tokens.map(() => 18), feePips, parameter, constants };
}

/** The root of a square that is no larger, by halving. */
function rootBelow(square: bigint): bigint {
  let [low, high] = [0n, 1n << 256n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle * middle <= square) low = middle;
    else high = middle;
  }
  return low;
}
