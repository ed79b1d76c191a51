import type { PoolGraph, PoolIndex, QuoteStep, TokenIndex } from "@millrace/core";
import { describe, expect, it } from "vitest";
import { RoutedSwaps } from "../../src/quote/RoutedSwaps.ts";

/** Pools of two tokens, of which the first has an even index. */
const graph = {
  poolAddress: (pool: PoolIndex) => `0x${String(pool).padStart(40, "0")}`,
  poolPosition: (_: PoolIndex, token: TokenIndex) => token % 2,
} as unknown as PoolGraph;

const step = (pool: number, amountIn: bigint, tokenIn = 0): QuoteStep => ({
  ...{ pool: pool as PoolIndex, amountIn, amountOut: 1n },
  ...{ tokenIn: tokenIn as TokenIndex, tokenOut: (1 - tokenIn) as TokenIndex },
});

describe("the steps of quotes that the chain is asked for", () => {
  it("are all of them while they are few, once", () => {
    const swaps = new RoutedSwaps();
    swaps.note(graph, [step(3, 7n), step(4, 9n, 1)]);
    expect(swaps.take()).toEqual([
      { pool: `0x${"3".padStart(40, "0")}`, positionIn: 0, positionOut: 1, amountIn: 7n },
      { pool: `0x${"4".padStart(40, "0")}`, positionIn: 1, positionOut: 0, amountIn: 9n },
    ]);
    expect(swaps.take()).toEqual([]);
  });

  it("are of pools by how much routes lead through them, whenever they were quoted", () => {
    const swaps = new RoutedSwaps();
    let [often, first, taken] = [0, 0, 0];
    for (let round = 0; round < 2_000; round++) {
      for (let quote = 0n; quote < 40n; quote++) {
        swaps.note(graph, [step(quote % 4n === 0n ? 1 : 2, quote)]);
      }
      for (const { pool, amountIn } of swaps.take()) {
        taken++;
        if (pool.endsWith("2")) often++;
        if (amountIn < 20n) first++;
      }
    }
    expect(taken).toBe(2_000 * 8);
    // Three of four, and one of two; a tenth off would be thirty standard deviations.
    expect(often / taken).toBeCloseTo(0.75, 1);
    expect(first / taken).toBeCloseTo(0.5, 1);
  });
});
