import type { PoolIndex } from "@millrace/core";
import { eventually } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { type FeedGround, openFeedGround } from "./feedGround.ts";
import { hold, told, truth } from "./heldTopics.ts";

let ground: FeedGround;
afterEach(() => ground?.close());

/** A pool of three tokens or more, and all others that link two of them. */
function poolOfMany(): { readonly pool: PoolIndex; readonly others: ReadonlyArray<PoolIndex> } {
  const { graph } = ground.market.engine;
  const pools = Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex);
  const tokensOf = (pool: PoolIndex) =>
    Array.from({ length: graph.poolTokenCount[pool]! }, (_, at) => graph.poolToken(pool, at));
  const pool = pools.find((each) => graph.poolTokenCount[each]! > 2)!;
  const tokens = tokensOf(pool);
  const shared = (other: PoolIndex) => tokensOf(other).filter((each) => tokens.includes(each));
  return { pool, others: pools.filter((other) => other !== pool && shared(other).length > 1) };
}

describe("streams of a pool with many tokens", () => {
  it("tell of every pair of it when any pair trades: quotes, prices and the pool itself", async () => {
    ground = await openFeedGround(80, 5, 0, { "curve-stable": 0.5 });
    const { engine } = ground.market;
    const { graph } = engine;
    const { pool, others } = poolOfMany();
    const address = graph.poolAddress(pool);
    const count = graph.poolTokenCount[pool]!;
    const tokens = Array.from({ length: count }, (_, at) =>
      graph.tokenAddress(graph.poolToken(pool, at)),
    );
    const positions = tokens.map((_, at) => at);
    const pairs = positions.flatMap((from) =>
      positions.filter((to) => to !== from).map((to) => [from, to] as const),
    );
    const family = engine.familyOf(pool);
    const shared = { channel: "quote", network: "ETH", maxHops: 1 };
    const quotes = pairs.map(([from, to]) => {
      const amountIn = String(family.tokenAmounts(pool)[from]! / 1_000n);
      return hold(ground, { ...shared, tokenA: tokens[from], tokenB: tokens[to], amountIn });
    });
    const prices = hold(ground, { channel: "price", network: "ETH", tokens });
    const itself = hold(ground, { channel: "pool", network: "ETH", pool: address });
    const all = [...quotes, prices, itself];
    await ground.apply({ removedPools: others.map((other) => graph.poolAddress(other)) });
    await ground.told();
    for (const [from, to] of pairs) {
      const before = all.map(told);
      // Enough that every price of the pool changes.
      const amountIn = family.tokenAmounts(pool)[from]! / 3n;
      const { state } = family.swapExactIn(pool, from, to, amountIn)!;
      await ground.apply({ states: [{ pool: address, state }] });
      await ground.told();
      for (const held of quotes) {
        expect(told(held), JSON.stringify(held.parameters)).toBe(truth(ground, held));
      }
      // Market data follows the block in the background.
      for (const held of [prices, itself]) {
        await eventually(() => told(held) === truth(ground, held));
      }
      // Quotes of the two tokens change too, since the pool's holdings of both have changed.
      const changed = quotes.filter((held, index) => told(held) !== before[index]);
      const own = pairs.findIndex(([a, b]) => a === from && b === to);
      expect(changed).toContain(quotes[own]);
      expect(changed.length).toBeGreaterThan(2);
      expect(told(itself)).not.toBe(before.at(-1));
      expect(told(prices)).not.toBe(before.at(-2));
    }
    expect(ground.failures).toEqual([]);
  });
});
