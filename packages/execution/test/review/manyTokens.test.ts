import { type Address, NO_HASH, openMarket } from "@millrace/core";
import { encodeBalances, weightedCurve } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { reviewRoute } from "../../src/review/reviewRoute.ts";
import type { SwapOrder } from "../../src/SwapOrder.ts";
import { address, SENDER, token } from "../market.ts";

const POOLS = [address(0x500), address(0x501)] as const;
const TOKENS = [0, 1, 2, 3].map(token);

const { graph, writer } = openMarket(1, [weightedCurve]);
writer.applyBlock({
  stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
  dexes: [{ id: "MANY", name: "Many", protocol: "any", factory: address(0xfff) }],
  tokens: TOKENS.map((each) => ({ address: each, decimals: 18, symbol: "", name: "" })),
  pools: POOLS.map((pool) => ({
    ...{ address: pool, dexId: "MANY", curve: weightedCurve.name, tokens: TOKENS },
    ...{ feePips: 3_000, parameter: 0, constants: new BigUint64Array(4).fill(1n) },
  })),
  removedPools: [],
  states: POOLS.map((pool) => ({
    pool,
    state: encodeBalances(TOKENS.map(() => 10n ** 18n)),
  })),
  ...{ swaps: [], supplies: [] },
});

type Hop = readonly [pool: Address, tokenIn: number, tokenOut: number];

/** What becomes of a route of paths from token 0 to token 3, of 100 each. */
function reviewed(...paths: ReadonlyArray<ReadonlyArray<Hop>>) {
  const steps = paths.flatMap((path) =>
    path.map(([pool, tokenIn, tokenOut]) => ({
      ...{ pool, dexId: "MANY", tokenIn: token(tokenIn), tokenOut: token(tokenOut) },
      ...{ amountIn: 100n, amountOut: 90n },
    })),
  );
  const amountIn = 100n * BigInt(paths.length);
  const order: SwapOrder = {
    ...{ kind: "exactIn", sender: SENDER, tokenIn: token(0), tokenOut: token(3) },
    ...{ isNativeIn: false, isNativeOut: false, amountIn, amountOut: 1n, slippagePpm: 0, steps },
  };
  const route = reviewRoute(order, graph);
  return "refused" in route ? route.detail : route.paths.length;
}

describe("a route through pools of many tokens", () => {
  const [one, other] = POOLS;

  it("may use several pairs of a pool, on paths of their own", () => {
    const straight: Hop[] = [[one, 0, 3]];
    const first: Hop[] = [
      [one, 0, 1],
      [other, 1, 3],
    ];
    const last: Hop[] = [
      [other, 0, 2],
      [one, 2, 3],
    ];
    expect(reviewed(straight, first)).toBe(2);
    expect(reviewed(straight, first, last)).toBe(3);
  });

  it("is refused where a pool takes in one path what it gives in another, or is on a path twice", () => {
    const gives: Hop[] = [
      [one, 0, 1],
      [other, 1, 3],
    ];
    const takes: Hop[] = [
      [other, 0, 1],
      [one, 1, 3],
    ];
    expect(reviewed(gives, takes)).toBe("a pool that another path uses the other way");
    const twice: Hop[] = [
      [one, 0, 1],
      [one, 1, 3],
    ];
    expect(reviewed(twice)).toBe("a token or a pool that the path has visited");
  });
});
