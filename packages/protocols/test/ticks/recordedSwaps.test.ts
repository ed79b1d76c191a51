import { describe, expect, it } from "vitest";
import { type RecordedSwap, recordedTicks } from "./recordedTicks.ts";
import { OpenTicks, recordedFamilies, tickPool } from "./ticksUnderTest.ts";

describe.each(recordedFamilies)("the recorded swaps of %s", (file, contract) => {
  const { pools, swaps } = recordedTicks(file);
  const byKind = (kind: RecordedSwap["kind"]) => swaps.filter((swap) => swap.kind === kind);
  const directions = new Map<string, OpenTicks>();
  const openFor = ({ pool, zeroForOne }: RecordedSwap): OpenTicks => {
    const key = `${pool} ${zeroForOne}`;
    const open =
      directions.get(key) ?? new OpenTicks(tickPool(contract, pools.get(pool)!), zeroForOne);
    directions.set(key, open);
    return open;
  };

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
      const answer = openFor(swap).reference(swap.kind, swap.amount, "contract");
      const other = swap.kind === "exactIn" ? answer?.amountOut : answer?.amountIn;
      expect({ ...swap, expected: other }).toEqual(swap);
    }
  });

  it("with an exact input are quoted to the wei, and refused where the contract cannot fill them", () => {
    for (const swap of byKind("exactIn")) {
      expect({ ...swap, expected: openFor(swap).quote("exactIn", swap.amount) }).toEqual(swap);
    }
  });

  it("with an exact output cost the least input that gives it, never more than recorded", () => {
    for (const swap of byKind("exactOut")) {
      const open = openFor(swap);
      const asked = open.quote("exactOut", swap.amount);
      expect(asked === undefined).toBe(swap.expected === undefined);
      if (asked === undefined || swap.expected === undefined) continue;
      expect(asked).toBeLessThanOrEqual(swap.expected);
      expect(open.quote("exactIn", asked)).toBeGreaterThanOrEqual(swap.amount);
      // Of less than one unit nothing can be asked.
      if (asked > 1n) expect(open.quote("exactIn", asked - 1n)).toBeLessThan(swap.amount);
    }
  });
});
