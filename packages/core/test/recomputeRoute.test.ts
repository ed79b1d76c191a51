import { describe, expect, it } from "vitest";
import { type Curve, type PoolFamily, type PoolSwap, REFUSED } from "../src/Curve.ts";
import { type OpenMarket, openMarket } from "../src/openMarket.ts";
import type { PlannedRoute } from "../src/route/PlannedRoute.ts";
import { recomputeRoute } from "../src/route/recomputeRoute.ts";
import { address, capacityState, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

/** As `fixedRate`, with a capacity that swaps use up by twice their input. */
const draining: Curve = {
  ...fixedRate,
  open: (graph): PoolFamily => {
    const family = fixedRate.open(graph);
    const swap = (pool: PoolSwap["pool"], amountIn: bigint, amountOut: bigint) => {
      if (amountIn === REFUSED || amountOut <= 0n) return undefined;
      const left = graph.stateWords[graph.poolStateStart[pool]!]! - 2n * amountIn;
      return { pool, amountIn, amountOut, state: capacityState(left > 0n ? left : 0n) };
    };
    return {
      ...family,
      quoteExactIn: (pool, own, other, amountIn) =>
        amountIn === DUST ? 0n : family.quoteExactIn(pool, own, other, amountIn),
      swapExactIn: (pool, own, other, amountIn) =>
        swap(pool, amountIn, family.quoteExactIn(pool, own, other, amountIn)),
      swapExactOut: (pool, own, other, amountOut) =>
        swap(pool, family.quoteExactOut(pool, own, other, amountOut), amountOut),
    };
  },
};

/** So much gives nothing. */
const DUST = 1n;
const CAPACITY = 100n;

/**
 * Tokens 1, 2, 3; pool 100 of 1 and 2, pool 101 of 2 and 3 at three for one, pool 102 of 1 and 3.
 */
function open(): OpenMarket {
  const market = openMarket(1, [draining]);
  market.writer.applyBlock(
    marketOf(3, [
      { tokens: [1, 2], capacity: CAPACITY },
      { tokens: [2, 3], rate: 3, capacity: CAPACITY },
      { tokens: [1, 3], capacity: CAPACITY },
    ]),
  );
  return market;
}

/** A path as an amount and hops of pool, token in and token out. */
type Path = readonly [bigint, ...(readonly [number, number, number])[]];

function run(market: OpenMarket, kind: PlannedRoute["kind"], ...paths: Path[]) {
  return recomputeRoute(market, {
    kind,
    paths: paths.map(([amount, ...hops]) => ({
      amount,
      hops: hops.map(([pool, tokenIn, tokenOut]) => ({
        pool: market.graph.findPool(address(pool))!,
        tokenIn: token(market, tokenIn),
        tokenOut: token(market, tokenOut),
      })),
    })),
  });
}

describe("a recomputed route", () => {
  it("carries an exact input forward, and an exact output back", () => {
    const market = open();
    const [first, second] = [
      { tokenIn: token(market, 1), tokenOut: token(market, 2), amountIn: 30n, amountOut: 30n },
      { tokenIn: token(market, 2), tokenOut: token(market, 3), amountIn: 30n, amountOut: 90n },
    ];
    const filled = {
      filled: true,
      amountIn: 30n,
      amountOut: 90n,
      gas: 200_000,
      typicalGas: 160_000,
    };
    expect(run(market, "exactIn", [30n, [100, 1, 2], [101, 2, 3]])).toMatchObject({
      ...filled,
      paths: [[first, second]],
      stamp: market.graph.stamp,
    });
    expect(run(market, "exactOut", [90n, [100, 1, 2], [101, 2, 3]])).toMatchObject({
      ...filled,
      paths: [[first, second]],
    });
  });

  it("adds paths up", () => {
    expect(
      run(open(), "exactIn", [30n, [100, 1, 2], [101, 2, 3]], [10n, [102, 1, 3]]),
    ).toMatchObject({ filled: true, amountIn: 40n, amountOut: 100n });
  });

  it("uses a pool again in the state that the paths before have left, either way", () => {
    const market = open();
    const pool = market.graph.findPool(address(102))!;
    // 30 of 100 leave a capacity of 40.
    expect(run(market, "exactIn", [30n, [102, 1, 3]], [40n, [102, 1, 3]])).toMatchObject({
      ...{ filled: true, amountOut: 70n },
    });
    const tokenIn = token(market, 1);
    const refusal = { filled: false, pool, tokenIn, reason: "InsufficientLiquidity" };
    expect(run(market, "exactIn", [30n, [102, 1, 3]], [42n, [102, 1, 3]])).toEqual(refusal);
    expect(run(market, "exactOut", [30n, [102, 1, 3]], [42n, [102, 1, 3]])).toEqual(refusal);
  });

  it("has paths between the same two tokens, each of pools that join", () => {
    const market = open();
    const wrong: ReadonlyArray<readonly [RegExp, ...Path[]]> = [
      [/paths: they begin with one token/, [30n, [102, 1, 3]], [42n, [102, 3, 1]]],
      [/paths: a route has at least one/],
      [/hops: a path has at least one/, [30n]],
      [/hops: each takes what the one before gives/, [30n, [100, 1, 2], [102, 1, 3]]],
      [/hops: a pool twice/, [30n, [100, 1, 2], [100, 2, 1]]],
      [/tokenOut: pool \d has no token/, [30n, [100, 1, 3]]],
      [/tokenOut: the same token/, [30n, [100, 1, 1]]],
      [/amount: expected a bigint/, [0n, [100, 1, 2]]],
    ];
    for (const [message, ...paths] of wrong) {
      expect(() => run(market, "exactIn", ...paths)).toThrow(message);
    }
  });

  it("starts each time from the newest block", () => {
    const market = open();
    const twice = () => run(market, "exactIn", [30n, [102, 1, 3]], [42n, [102, 1, 3]]).filled;
    expect([twice(), twice()]).toEqual([false, false]);
    const state = { pool: address(102), state: capacityState(102n) };
    market.writer.applyBlock({ ...emptyBlock(2), states: [state] });
    expect([twice(), twice()]).toEqual([true, true]);
    expect(run(market, "exactIn", [100n, [102, 1, 3]])).toMatchObject({
      ...{ filled: true, stamp: { number: 2 } },
    });
  });

  it("says which hop does not fill, and whether it had too little or too much", () => {
    const market = open();
    expect(run(market, "exactIn", [DUST, [100, 1, 2], [101, 2, 3]])).toEqual({
      filled: false,
      pool: market.graph.findPool(address(100)),
      tokenIn: token(market, 1),
      reason: "AmountTooSmall",
    });
    expect(run(market, "exactOut", [303n, [100, 1, 2], [101, 2, 3]])).toEqual({
      filled: false,
      pool: market.graph.findPool(address(101)),
      tokenIn: token(market, 2),
      reason: "InsufficientLiquidity",
    });
  });
});
