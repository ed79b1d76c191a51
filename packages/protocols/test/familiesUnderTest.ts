import { NO_CONSTANTS, type OpenMarket, type PoolShape } from "@millrace/core";
import { curves } from "@millrace/protocols";
import {
  encodeState,
  type FamilyPool,
  limitsOf,
  listingOf,
  type OpenPool,
  type PlainPool,
  poolOf,
  stablePool,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { pairOf, unitsUneven } from "./solidlyStable/solidlyPairs.ts";

/** What the conformance suite needs to know of a family that its contract does not tell. */
export interface FamilyUnderTest {
  /** Random sound pools. */
  readonly pool: fc.Arbitrary<FamilyPool>;
  /** How much less than `quoteExactOut` asks is sure not to reach; undefined: no promise. */
  readonly slack: (pool: FamilyPool) => bigint | undefined;
  /** States that no pool of the family can be in, each of an otherwise sound pool. */
  readonly impossible: ReadonlyArray<readonly [why: string, pool: FamilyPool]>;
  /** Whether its pieces are made by the core. */
  readonly isSmooth?: boolean;
  /** Where a contract iterates, more in may give so much less, and revert where less does not. */
  readonly unevenness?: (pool: FamilyPool, zeroForOne: boolean) => number;
}

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

/** By `Curve.name`: a family that is registered without an entry here fails the suite. */
export const familiesUnderTest: Readonly<Record<string, FamilyUnderTest>> = {
  "constant-product": {
    pool: poolOf("constantProduct", 0, 0, 1),
    // The V2 library's input is the least, or one more where the division leaves no rest.
    slack: (pool) => (pool.family === "constantProduct" && pool.rule === "feeInside" ? 2n : 1n),
    impossible: [
      ["a V2 reserve above uint112", { ...soundProduct, reserve0: 1n << 112n }],
      ["a fee of all", { ...soundProduct, feePips: 1_000_000 }],
    ],
  },
  "solidly-stable": {
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
    pool: poolOf("concentratedLiquidity", 0, 0, 1),
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

/** What of a pool never changes, as arithmetic sees it. */
export function shapeOf(pool: FamilyPool): PoolShape {
  const { tokens, feePips, parameter, constants = NO_CONSTANTS } = listingOf(pool);
  return { decimals: tokens.map(() => 18), feePips, parameter, constants };
}

/** Token positions of a direction: in, out. */
export function positions(zeroForOne: boolean): readonly [number, number] {
  return zeroForOne ? [0, 1] : [1, 0];
}

/** The words of exact state that the graph keeps for a pool. */
export function stateWords({ open: { graph }, index }: OpenPool): bigint[] {
  const start = graph.poolStateStart[index]!;
  return [...graph.stateWords.slice(start, start + curves[graph.poolCurve[index]!]!.stateWords(2))];
}

/** The words that a plain pool's state is encoded in. */
export function encodedWords(pool: FamilyPool): bigint[] {
  return [...encodeState(pool).words];
}

/** Every byte that the graph keeps, as text to compare. */
export function graphBytes({ graph }: OpenMarket): string {
  return Object.entries(graph)
    .map(([name, value]) => {
      if (!ArrayBuffer.isView(value)) return `${name}:${typeof value === "number" ? value : ""}`;
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return `${name}:${Buffer.from(bytes).toString("hex")}`;
    })
    .join("\n");
}

/** Amounts that matter to a pool: dust, about its limits, and any in between. */
export function amountFor(pool: FamilyPool, zeroForOne: boolean): fc.Arbitrary<bigint> {
  const limits = limitsOf(pool, zeroForOne);
  const most = limits[0]! > 1n ? limits[0]! : 1n;
  return fc
    .oneof(
      fc.bigInt(1n, 20n),
      fc.bigInt(1n, 10n ** 24n),
      fc.bigInt(1n, most),
      fc.integer({ min: 0, max: 255 }).map((bits) => 1n << BigInt(bits)),
      fc.constantFrom(...limits).chain((limit) => fc.bigInt(limit - 2n, limit + 2n)),
    )
    .map((amount) => (amount < 1n ? 1n : amount));
}
