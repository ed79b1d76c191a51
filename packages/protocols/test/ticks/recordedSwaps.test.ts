import { describe, expect, it } from "vitest";
import { type RecordedSwap, recordedTicks } from "./recordedTicks.ts";
import { openTicks, quoteTicks, recordedFamilies } from "./ticksUnderTest.ts";

describe.each(recordedFamilies)("the recorded swaps of %s", (file, contract) => {
  const { pools, swaps } = recordedTicks(file);
  const quote = ({ pool, zeroForOne, kind, amount }: RecordedSwap) =>
    quoteTicks(openTicks(contract, pools.get(pool)!, zeroForOne), kind, amount);
  const byKind = (kind: RecordedSwap["kind"]) => swaps.filter((swap) => swap.kind === kind);

  it("hold what the contract fills and what it refuses, of both kinds and directions", () => {
    for (const kind of ["exactIn", "exactOut"] as const) {
      const filled = byKind(kind).filter(({ expected }) => expected !== undefined);
      expect(filled.length).toBeGreaterThan(10);
      expect(filled.length).toBeLessThan(byKind(kind).length);
      expect(new Set(filled.map(({ zeroForOne }) => zeroForOne)).size).toBe(2);
    }
  });

  it("are what the reference answers, where the contract goes to the tick too", () => {
    for (const swap of swaps) {
      const pool = pools.get(swap.pool)!;
      const { zeroForOne, kind, amount, expected } = swap;
      const answer = contract.reference(pool, zeroForOne, kind, amount, "contract");
      const other = kind === "exactIn" ? answer?.amountOut : answer?.amountIn;
      expect({ ...swap, expected: other }).toEqual({ ...swap, expected });
    }
  });

  it("with an exact input are quoted to the wei, and refused where the contract cannot fill them", () => {
    for (const swap of byKind("exactIn")) {
      expect({ ...swap, expected: quote(swap) }).toEqual(swap);
    }
  });

  it("with an exact output cost the least input that gives it, never more than recorded", () => {
    for (const swap of byKind("exactOut")) {
      const asked = quote(swap);
      expect(asked === undefined).toBe(swap.expected === undefined);
      if (asked === undefined || swap.expected === undefined) continue;
      expect(asked).toBeLessThanOrEqual(swap.expected);
      const open = openTicks(contract, pools.get(swap.pool)!, swap.zeroForOne);
      expect(quoteTicks(open, "exactIn", asked)).toBeGreaterThanOrEqual(swap.amount);
      expect(quoteTicks(open, "exactIn", asked - 1n)).toBeLessThan(swap.amount);
    }
  });
});
