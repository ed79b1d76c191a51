import { describe, expect, it } from "vitest";
import { universalRouter } from "../../src/routers/universalRouter.ts";
import type { SwapIntent, SwapLeg } from "../../src/SwapIntent.ts";
import {
  A,
  B,
  C,
  D,
  ETHER,
  intentOf,
  TABLE,
  v2Leg,
  v3Leg,
  v4Leg,
} from "../decode/decodeSupport.ts";

describe("the Universal Router, of pools of Uniswap V4,", () => {
  const deployment = TABLE.universalRouter;
  const router = universalRouter(deployment);
  const obstacle = (
    legs: ReadonlyArray<ReadonlyArray<SwapLeg>>,
    change: Partial<SwapIntent> = {},
  ) => router.obstacle(intentOf(legs, change));

  it("takes them with pools of V2 and V3 in one set, for an exact output each by itself", () => {
    const dexes = [
      { id: "UNISWAP_V4", protocol: "uniswap-v4" },
      { id: "AERODROME", protocol: "aerodrome-stable" },
      { id: "UNISWAP_V2", protocol: "constant-product" },
      { id: "OTHER_V4", protocol: "uniswap-v4" },
      { id: "UNISWAP_V3", protocol: "concentrated-liquidity" },
    ];
    expect(router.dexSets("exactIn", dexes)).toEqual([[0, 2, 4]]);
    expect(router.dexSets("exactOut", dexes)).toEqual([[0], [2], [4]]);
    const { v4DexId: _, ...without } = deployment;
    expect(universalRouter(without).dexSets("exactIn", dexes)).toEqual([[2, 4]]);
  });

  it("reaches those of its own manager only", () => {
    expect(obstacle([[v4Leg(B, C)]])).toBeUndefined();
    const other = { ...v4Leg(B, C), dexId: "OTHER_V4" };
    expect(obstacle([[other]])).toMatch(/does not reach/);
    const { v4DexId: _, ...without } = deployment;
    expect(universalRouter(without).obstacle(intentOf([[v4Leg(B, C)]]))).toMatch(/not reach/);
  });

  it("moves amounts that the manager can keep account of, and V2 and V3 larger ones", () => {
    const [most, more] = [(1n << 127n) - 1n, 1n << 127n];
    for (const side of ["amountInMax", "amountOut"] as const) {
      expect(obstacle([[v4Leg(B, C)]], { [side]: most })).toBeUndefined();
      expect(obstacle([[v4Leg(B, C)]], { [side]: more })).toMatch(/127 bits/);
      expect(obstacle([[v2Leg(B, C)]], { [side]: more })).toBeUndefined();
      expect(obstacle([[v3Leg(B, C)]], { [side]: 1n << 160n })).toMatch(/160 bits/);
    }
  });

  it("mixes them on a path of an exact input, and never for an exact output", () => {
    const mixed = [[v4Leg(B, C), v3Leg(C, D)]];
    expect(obstacle(mixed)).toBeUndefined();
    expect(obstacle(mixed, { kind: "exactOut" })).toMatch(/no exact output/);
    const wrapped = [[v4Leg(B, ETHER), v3Leg(A, D)]];
    expect(obstacle(wrapped)).toBeUndefined();
    expect(obstacle(wrapped, { kind: "exactOut" })).toMatch(/no exact output/);
  });

  it("does not wrap on the way what another path begins or ends with", () => {
    const path = [v4Leg(B, ETHER), v3Leg(A, D)];
    expect(obstacle([path, [v3Leg(B, D)]])).toBeUndefined();
    expect(obstacle([[v3Leg(A, C)], path])).toMatch(/wrap on the way/);
    expect(obstacle([path, [v4Leg(C, ETHER)]])).toMatch(/wrap on the way/);
  });
});
