import { ESTIMATE_ERROR, REFUSED } from "@millrace/core";
import { budget, law } from "@millrace/testing";
import {
  type FamilyPool,
  limitsOf,
  type OpenPool,
  openPool,
  type PlainPool,
  poolOf,
  stablePool,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { positions } from "./familiesUnderTest.ts";

// A search passes over what its estimates say cannot be better, so each has to hold of every exact
// answer. Pools here are where floats lose most: next to the widest reserves, next to nothing, next
// to a fee of all, and asked for dust or for the last units.

const nearlyAll = fc.constantFrom(999_999, 999_998, 999_000, 990_000, 500_000, 3_000, 1, 0);
const dust = fc.bigInt(0n, 20n);

/** Next to nothing, next to 2^112 or 2^128, next to any other power of two, or of two widths. */
function reserveUpTo(end: bigint): fc.Arbitrary<bigint> {
  const bits = end.toString(2).length - 1;
  return fc
    .oneof(
      dust.map((more) => more + 1n),
      fc.bigInt(1n, 10n ** 7n).map((less) => end - less),
      fc
        .tuple(fc.integer({ min: 1, max: bits }), fc.bigInt(-2n, 2n))
        .map(([width, offset]) => (1n << BigInt(width)) + offset),
      fc.bigInt(1n, end - 1n),
    )
    .map((reserve) => (reserve < 1n ? 1n : reserve >= end ? end - 1n : reserve));
}

const edgePair: fc.Arbitrary<PlainPool> = fc
  .constantFrom("feeInside" as const, "feeFirst" as const)
  .chain((rule) => {
    const reserve = reserveUpTo(1n << (rule === "feeInside" ? 112n : 128n));
    return fc
      .tuple(poolOf("constantProduct", 0, 0, 1), nearlyAll, reserve, reserve)
      .map(
        ([pool, feePips, reserve0, reserve1]): PlainPool =>
          pool.family === "constantProduct" ? { ...pool, rule, feePips, reserve0, reserve1 } : pool,
      );
  });

const edgeTicks: fc.Arbitrary<PlainPool> = fc
  .tuple(poolOf("concentratedLiquidity", 0, 0, 1), nearlyAll)
  .map(([pool, feePips]) => ({ ...pool, feePips }));

/** Dust, the last units, any width, and some of the last of each. */
function amountUpTo(most: bigint): fc.Arbitrary<bigint> {
  const end = most > 1n ? most : 1n;
  return fc
    .oneof(
      dust,
      dust.map((less) => end - less),
      fc.bigInt(1n, end),
      fc.integer({ min: 0, max: end.toString(2).length }).map((width) => end >> BigInt(width)),
      fc.integer({ min: 1, max: 40 }).map((width) => end - (end >> BigInt(width))),
    )
    .map((amount) => (amount < 1n ? 1n : amount));
}

interface Case {
  readonly pool: FamilyPool;
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

function cases(pool: fc.Arbitrary<FamilyPool>): fc.Arbitrary<Case> {
  return fc.tuple(pool, fc.boolean()).chain(([pool, zeroForOne]) => {
    const [mostIn, mostOut] = limitsOf(pool, zeroForOne) as [bigint, bigint];
    return fc.record({
      pool: fc.constant(pool),
      zeroForOne: fc.constant(zeroForOne),
      amountIn: amountUpTo(mostIn),
      amountOut: amountUpTo(mostOut),
    });
  });
}

/** What is wrong with the bounds on a swap of which both amounts are exact. */
function faultsOf(
  { family, index }: OpenPool,
  [from, to]: ReturnType<typeof positions>,
  amountIn: bigint,
  amountOut: bigint,
): string[] {
  const [given, taken] = [Number(amountIn), Number(amountOut)];
  const mostOut = family.estimateExactIn(index, from, to, given) * (1 + ESTIMATE_ERROR);
  const leastIn = family.estimateExactOut(index, from, to, taken) * (1 - ESTIMATE_ERROR);
  const faults = {
    estimateExactIn: mostOut < taken,
    estimateExactOut: leastIn > given,
    capacityIn: family.capacityIn(index, from, to) < given,
  };
  return Object.entries(faults).flatMap(([name, isFaulty]) => (isFaulty ? [name] : []));
}

describe.each([
  ["pairs", edgePair, 800],
  ["tick books", edgeTicks, 400],
  ["stable pools", stablePool, 400],
] as const)("bounds on swaps of %s at the edges of the arithmetic", (name, pool, count) => {
  it("hold of every exact input that is filled", () => {
    let filled = 0;
    fc.assert(
      fc.property(cases(pool), (drawn) => {
        const open = openPool(drawn.pool);
        const direction = positions(drawn.zeroForOne);
        const amountOut = open.family.quoteExactIn(open.index, ...direction, drawn.amountIn);
        if (amountOut < 1n) return;
        filled++;
        expect(faultsOf(open, direction, drawn.amountIn, amountOut)).toEqual([]);
      }),
      law(`bounds on exact inputs of ${name}`, count).options,
    );
    expect(filled).toBeGreaterThan(budget(count) / 4);
  });

  it("hold of every exact output that is given", () => {
    let given = 0;
    fc.assert(
      fc.property(cases(pool), (drawn) => {
        const open = openPool(drawn.pool);
        const direction = positions(drawn.zeroForOne);
        const amountIn = open.family.quoteExactOut(open.index, ...direction, drawn.amountOut);
        if (amountIn === REFUSED) return;
        given++;
        expect(faultsOf(open, direction, amountIn, drawn.amountOut)).toEqual([]);
      }),
      law(`bounds on exact outputs of ${name}`, count).options,
    );
    expect(given).toBeGreaterThan(budget(count) / 4);
  });
});
