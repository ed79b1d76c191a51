import { type Address, isZeroForOne } from "@millrace/core";
import fc from "fast-check";
import { afterAll } from "vitest";
import { amountFor, type Direction, type FamilyUnderTest, positions } from "./FamilyUnderTest.ts";
import { law } from "./Law.ts";
import type { OpenPool } from "./reference/openPool.ts";

export const PAIR: ReadonlyArray<Direction> = [positions(true), positions(false)];

const CASES = 200;

/** Cases for a family's laws, drawn once for all of them; the reference computes each swap once. */
export function familyCases<Pool extends { readonly address: Address }>(
  name: string,
  family: FamilyUnderTest<Pool>,
) {
  type Case = readonly [pool: Pool, direction: Direction, amount: bigint, other: bigint];
  type Swap = ReturnType<FamilyUnderTest<Pool>["after"]>;
  const directionsOf = family.directions ?? (() => PAIR);
  const limitsOf = (pool: Pool, direction: Direction) =>
    family.limitsOf(pool, isZeroForOne(direction[0]), direction);
  const directed = family.pool.chain((pool) =>
    fc.tuple(fc.constant(pool), fc.constantFrom(...directionsOf(pool))),
  );
  const cases: fc.Arbitrary<Case> = directed.chain(([pool, direction]) => {
    const amount = amountFor(limitsOf(pool, direction));
    return fc.tuple(fc.constant(pool), fc.constant(direction), amount, amount);
  });
  let drawn: ReadonlyArray<Case> | undefined;
  afterAll(() => {
    drawn = undefined;
  });
  const swapped = new WeakMap<Pool, Map<string, Swap>>();
  const opened = new WeakMap<Pool, OpenPool>();

  return {
    directionsOf,
    limitsOf,

    /** The reference's result of a swap. */
    poolAfter: (
      pool: Pool,
      direction: Direction,
      kind: "exactIn" | "exactOut",
      amount: bigint,
    ): Swap => {
      const known = swapped.get(pool) ?? new Map<string, Swap>();
      swapped.set(pool, known);
      const key = `${direction} ${kind} ${amount}`;
      if (!known.has(key))
        known.set(key, family.after(pool, isZeroForOne(direction[0]), kind, amount, direction));
      return known.get(key);
    },

    /** A pool as drawn, for laws that do not change it. */
    sharedPool: (pool: Pool): OpenPool => {
      const known = opened.get(pool) ?? family.open(pool);
      opened.set(pool, known);
      return known;
    },

    /** Checks a law on random pools, in any direction, with two interesting amounts. */
    always: (holds: (...values: Case) => void): void => {
      const { options } = law(name, CASES);
      drawn ??= fc.sample(cases, options);
      try {
        for (const values of drawn) holds(...values);
      } catch (cause) {
        // Finds the smallest failing case.
        fc.assert(
          fc.property(cases, (values) => holds(...values)),
          options,
        );
        throw cause;
      }
    },
  };
}
