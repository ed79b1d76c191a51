import type { OpenMarket } from "@millrace/core";
import { curves } from "@millrace/protocols";
import {
  encodeState,
  limitsOf,
  type OpenPool,
  type PlainPool,
  poolOf,
} from "@millrace/testing/reference";
import fc from "fast-check";

/** What the conformance suite needs to know of a family that its contract does not tell. */
export interface FamilyUnderTest {
  /** Random sound pools. */
  readonly pool: fc.Arbitrary<PlainPool>;
  /** How much less than `quoteExactOut` asks is sure not to reach; undefined: no promise. */
  readonly slack: (pool: PlainPool) => bigint | undefined;
  /** States that no pool of the family can be in, each of an otherwise sound pool. */
  readonly impossible: ReadonlyArray<readonly [why: string, pool: PlainPool]>;
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
export function encodedWords(pool: PlainPool): bigint[] {
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
export function amountFor(pool: PlainPool, zeroForOne: boolean): fc.Arbitrary<bigint> {
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
