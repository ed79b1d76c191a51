import { REFUSED } from "@millrace/core";
import { readData } from "@millrace/testing";
import { type SolidlyPool, swapSolidlyStable } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { solidlyAmountIn, solidlyAmountOut } from "../../src/curves/solidlyStable/math.ts";
import { pairOf } from "./solidlyPairs.ts";

type RecordedCase = readonly [
  pool: string,
  kind: "in" | "out",
  tokenIn: number,
  tokenOut: number,
  amount: string,
  expected: string | null,
];

interface RecordedState {
  readonly reserve0: string;
  readonly reserve1: string;
  readonly decimals0: string;
  readonly decimals1: string;
  /** 1/10,000. */
  readonly fee: string;
}

const { pools, cases } = readData<{
  pools: Readonly<Record<string, { state: RecordedState }>>;
  cases: ReadonlyArray<RecordedCase>;
}>("families/aerodrome-stable.json");

function recordedPool(name: string): SolidlyPool {
  const { reserve0, reserve1, decimals0, decimals1, fee } = pools[name]!.state;
  return {
    reserve0: BigInt(reserve0),
    reserve1: BigInt(reserve1),
    decimals0: Number(decimals0),
    decimals1: Number(decimals1),
    feePips: Number(fee) * 100,
  };
}

const recorded = cases.map(([name, kind, tokenIn, , amount, expected]) => ({
  name,
  kind,
  pool: recordedPool(name),
  zeroForOne: tokenIn === 0,
  amountIn: BigInt(amount),
  amountOut: expected === null ? REFUSED : BigInt(expected),
}));

describe("stable pools of Aerodrome and Velodrome V2, as their contracts answered", () => {
  it("have 319 exact inputs, five of which revert", () => {
    expect(recorded.map(({ kind }) => kind)).toEqual(Array(319).fill("in"));
    expect(recorded.filter(({ amountOut }) => amountOut === REFUSED)).toHaveLength(5);
  });

  it.each(recorded)("$name gives $amountOut for $amountIn (zeroForOne $zeroForOne)", (each) => {
    const { pool, zeroForOne, amountIn, amountOut } = each;
    expect(solidlyAmountOut(pairOf(pool, zeroForOne), amountIn)).toBe(amountOut);
    const swap = swapSolidlyStable(pool, zeroForOne, "exactIn", amountIn);
    expect(swap?.amountOut ?? REFUSED).toBe(amountOut);
  });

  it("ask for what they gave the least input that gives it, never more than was paid", () => {
    for (const { pool, zeroForOne, amountIn, amountOut } of recorded) {
      if (amountOut <= 0n) continue;
      const pair = pairOf(pool, zeroForOne);
      const asked = solidlyAmountIn(pair, amountOut);
      expect(asked).toBeGreaterThanOrEqual(1n);
      expect(asked).toBeLessThanOrEqual(amountIn);
      expect(solidlyAmountOut(pair, asked)).toBeGreaterThanOrEqual(amountOut);
      expect(solidlyAmountOut(pair, asked - 1n)).toBeLessThan(amountOut);
    }
  });
});
