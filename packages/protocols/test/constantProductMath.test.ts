import { describe, expect, it } from "vitest";
import {
  amountInFeeFirst,
  amountInFeeInside,
  amountOutFeeFirst,
  amountOutFeeInside,
} from "../src/curves/constantProduct/math.ts";

// Small reserves have every rest that a division can leave, of which recorded pools meet few.

const RESERVES = [1n, 2n, 3n, 4n, 7n, 10n, 33n, 1_000n];
const FEES = [0n, 1n, 100n, 2_500n, 3_000n, 10_000n, 333_333n, 999_999n];
const POOLS = RESERVES.flatMap((reserveIn) =>
  RESERVES.flatMap((reserveOut) =>
    FEES.map((feePips) => [reserveIn, reserveOut, feePips] as const),
  ),
);
const PIPS = 1_000_000n;

const RULES = [
  { name: "the fee inside the division", out: amountOutFeeInside, in: amountInFeeInside },
  { name: "the fee taken off first", out: amountOutFeeFirst, in: amountInFeeFirst },
];

describe.each(RULES)("x·y = k with $name", (rule) => {
  it("takes the least input that gives an output, whatever rest the division leaves", () => {
    const faults: string[] = [];
    const rests = new Set<bigint>();
    for (const [reserveIn, reserveOut, feePips] of POOLS) {
      const gives = (amountIn: bigint) => rule.out(amountIn, reserveIn, reserveOut, feePips);
      for (let amountOut = 1n; amountOut < reserveOut && amountOut <= 40n; amountOut++) {
        const amountIn = rule.in(amountOut, reserveIn, reserveOut, feePips);
        const isLeast = amountIn === 1n || gives(amountIn - 1n) < amountOut;
        if (gives(amountIn) < amountOut || !isLeast) {
          faults.push(`${amountIn} for ${amountOut} of ${reserveIn}, ${reserveOut} at ${feePips}`);
        }
        rests.add((reserveIn * amountOut * PIPS) % ((reserveOut - amountOut) * (PIPS - feePips)));
      }
    }
    expect(faults).toEqual([]);
    // Where to round up by a unit too little or too much shows.
    expect([0n, 1n, 2n].filter((rest) => !rests.has(rest))).toEqual([]);
  });

  it("never gives less for more, nor the whole reserve", () => {
    const faults: string[] = [];
    for (const [reserveIn, reserveOut, feePips] of POOLS) {
      let before = 0n;
      for (let amountIn = 1n; amountIn <= 60n; amountIn++) {
        const amountOut = rule.out(amountIn, reserveIn, reserveOut, feePips);
        if (amountOut < before || amountOut >= reserveOut) {
          faults.push(`${amountOut} for ${amountIn} of ${reserveIn}, ${reserveOut} at ${feePips}`);
        }
        before = amountOut;
      }
    }
    expect(faults).toEqual([]);
  });
});
