import type { Address } from "@millrace/core";
import { describe, expect, it } from "vitest";
import { Admissions } from "../../src/follow/Admissions.ts";

const [A, B, C, D] = [1, 2, 3, 4].map((byte) => address(byte)) as [
  Address,
  Address,
  Address,
  Address,
];

describe("pools that are not loaded", () => {
  it("are read the deepest first, as many as are asked for, and go on waiting", () => {
    const admissions = new Admissions(100, []);
    for (const [pool, depth] of [
      [A, 300],
      [B, 900],
      [C, 100],
      [D, 500],
    ] as const) {
      admissions.admitted(pool, depth);
    }
    expect(admissions.next(3)).toEqual([B, D, A]);
    expect(admissions.next(9)).toEqual([B, D, A, C]);
  });

  it("are seen first when there is a floor, but for the configured ones", () => {
    const admissions = new Admissions(100, [A]);
    for (const pool of [A, B]) admissions.touched(pool);
    expect(admissions.next(9)).toEqual([A]);
    expect(admissions.takeUnseen(9)).toEqual([B]);
  });

  it("wait at once when everything is admitted", () => {
    const admissions = new Admissions(0, []);
    admissions.touched(B);
    expect(admissions.next(9)).toEqual([B]);
  });

  it("are passed over once refused, whatever happens to them, until that is reconsidered", () => {
    const admissions = new Admissions(0, []);
    admissions.touched(A);
    admissions.refused(A, "for a test");
    admissions.touched(A);
    expect(admissions.waitingCount).toBe(0);
    admissions.reconsider();
    expect(admissions.next(9)).toEqual([A]);
  });

  it("are refused when what was read of them made no sense three times", () => {
    const admissions = new Admissions(0, []);
    admissions.touched(A);
    for (const left of [1, 1, 0]) {
      admissions.failed(A);
      expect(admissions.waitingCount).toBe(left);
    }
  });
});

function address(byte: number): Address {
  return `0x${byte.toString(16).padStart(40, "0")}`;
}
