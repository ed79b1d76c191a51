import type { Address } from "@millrace/core";
import { describe, expect, it } from "vitest";
import { Quoters } from "../../src/follow/Quoters.ts";

const [A, B, C, D] = [1, 2, 3, 4].map((byte) => `0x${String(byte).repeat(40)}`) as [
  Address,
  Address,
  Address,
  Address,
];
const POOL = { kind: "pool" };

describe("who is to blame for a difference of quotes", () => {
  it("is the pool, once an answer of its DEX agreed, however many differ", () => {
    const quoters = new Quoters();
    expect([A, B].map((pool) => quoters.differed("V3", pool))).toEqual([POOL, POOL]);
    quoters.agreed("V3");
    expect([C, D, A].map((pool) => quoters.differed("V3", pool))).toEqual([POOL, POOL, POOL]);
    expect(quoters.refused.size).toBe(0);
  });

  it("is the quoter when three pools differ and none agreed; the pools before are acquitted", () => {
    const quoters = new Quoters();
    expect([A, B, B].map((pool) => quoters.differed("V3", pool))).toEqual([POOL, POOL, POOL]);
    expect(quoters.differed("V4", D)).toEqual(POOL);
    expect(quoters.differed("V3", C)).toEqual({ kind: "quoter", acquitted: [A, B, C] });
    expect(quoters.differed("V3", D)).toEqual({ kind: "quoter", acquitted: [] });
    expect([...quoters.refused]).toEqual(["V3"]);
  });
});
