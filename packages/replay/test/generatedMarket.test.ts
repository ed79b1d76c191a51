import { assert, describe, it } from "@effect/vitest";
import {
  Engine,
  type MarketBlock,
  openMarket,
  type PoolGraph,
  type PoolIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { Effect, Fiber, Stream } from "effect";
import { TestClock } from "effect/testing";
import { generatedMarket } from "../src/index.ts";

describe("a generated market as a source", () => {
  it.effect(
    "holds the market of its seed in its only block, unless traffic is asked for",
    Effect.fnUntraced(function* () {
      const source = generatedMarket({ seed: 1, poolCount: 300, chainId: 8453 });
      assert.strictEqual(source.chainId, 8453);
      const blocks = yield* Stream.runCollect(source.blocks);
      assert.strictEqual(blocks.length, 1);
      assert.strictEqual(blocks[0]!.pools.length, 300);
    }),
  );

  it.effect(
    "brings a block of swaps for every step of time, stamped with it",
    Effect.fnUntraced(function* () {
      yield* TestClock.setTime(1_000_000);
      const source = generatedMarket({ seed: 1, poolCount: 300, blockEveryMs: 2_000 });
      const { graph } = yield* Engine.make({ source, curves });
      const { number, timestampMs } = graph.stamp;
      assert.strictEqual(timestampMs, 1_000_000);
      yield* TestClock.adjust(1_999);
      assert.strictEqual(graph.stamp.number, number);
      yield* TestClock.adjust(1);
      assert.strictEqual(graph.stamp.number, number + 1);
      assert.strictEqual(graph.stamp.timestampMs, 1_002_000);
      yield* TestClock.adjust(20_000);
      assert.strictEqual(graph.stamp.number, number + 11);
    }),
  );

  it.effect.each([1, 8453] as const)(
    "trades on chain %i only what the pools would give, and tells the states that remain",
    Effect.fnUntraced(function* (chainId) {
      const blocks = yield* traffic({ seed: 6, poolCount: 200, chainId, swapsPerBlock: 5 }, 50);
      const { graph, families, writer } = openMarket(chainId, curves);
      writer.applyBlock(blocks[0]!);
      let first = 0;
      for (const block of blocks.slice(1)) {
        assert.strictEqual(block.swaps.length, 5);
        const traded = new Set<string>();
        for (const swap of block.swaps) {
          if (traded.has(swap.pool)) continue; // its state inside the block is not told
          traded.add(swap.pool);
          const pool = graph.findPool(swap.pool)!;
          const tokenIn = graph.poolPosition(pool, graph.findToken(swap.tokenIn)!);
          const family = families[graph.poolCurve[pool]!]!;
          const whole = family.quoteExactIn(pool, tokenIn, 1 - tokenIn, swap.amountIn);
          assert.isTrue(
            swap.amountOut > 0n &&
              swap.amountOut <= whole &&
              whole - swap.amountOut < whole / 1_000n + 2n,
          );
          first++;
        }
        const before = new Map([...traded].map((pool) => [pool, product(pool)]));
        const { rejected, changedPools } = writer.applyBlock(block);
        assert.deepStrictEqual(rejected, []);
        assert.strictEqual(changedPools.length, traded.size);
        for (const [pool, k] of before) assert.isTrue(product(pool) >= k);
      }
      assert.isAbove(first, 100);

      function product(address: string): bigint {
        const pool = graph.findPool(address) as PoolIndex;
        const [amount0, amount1] = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
        return amount0! * amount1!;
      }
    }),
  );

  it.effect(
    "keeps prices near where they began, however long it trades",
    Effect.fnUntraced(function* () {
      const options = { seed: 2, poolCount: 20, families: ["constant-product"] as const };
      const blocks = yield* traffic({ ...options, swapsPerBlock: 20 }, 300);
      const { graph, families, writer } = openMarket(1, curves);
      writer.applyBlock(blocks[0]!);
      const price = (pool: number) => {
        const family = families[graph.poolCurve[pool]!]!;
        return family.midPrice(pool as PoolIndex, 0, 1);
      };
      const start = Array.from({ length: graph.poolCount }, (_, pool) => price(pool));
      for (const block of blocks.slice(1)) {
        writer.applyBlock(block);
        for (const [pool, was] of start.entries()) {
          assert.isBelow(Math.abs(price(pool) / was - 1), 0.0025);
        }
      }
    }),
  );

  it.effect.each([1, 8453] as const)(
    "with further families trades on chain %i in pools of all, to the wei, and stays near its prices",
    Effect.fnUntraced(function* (chainId) {
      const options = { seed: 31, poolCount: 150, chainId, swapsPerBlock: 12 };
      const blocks = yield* traffic({ ...options, familyShares: SHARES }, 120);
      const { graph, families, writer } = openMarket(chainId, curves);
      writer.applyBlock(blocks[0]!);
      const familyOf = (pool: PoolIndex) => families[graph.poolCurve[pool]!]!;
      const pools = Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex);
      const start = pools.map((pool) => familyOf(pool).midPrice(pool, 0, 1));
      const traded = new Set<string>();
      for (const block of blocks.slice(1)) {
        assert.strictEqual(block.swaps.length, 12);
        for (const swap of block.swaps) {
          const pool = graph.findPool(swap.pool)!;
          const positionIn = graph.poolPosition(pool, graph.findToken(swap.tokenIn)!);
          const positionOut = graph.poolPosition(pool, graph.findToken(swap.tokenOut)!);
          const sides = [pool, positionIn, positionOut] as const;
          const executed = familyOf(pool).swapExactIn(...sides, swap.amountIn)!;
          assert.strictEqual(executed.amountOut, swap.amountOut);
          writer.applySwap(executed);
          assert.strictEqual(swap.priceAfter, familyOf(pool).midPrice(...sides));
          traded.add(graph.dexes[graph.poolDex[pool]!]!.id + graph.poolCurve[pool]);
        }
        const before = block.states.map(({ pool }) => wordsOf(graph, pool));
        assert.deepStrictEqual(
          block.states.map(({ state }) => state.words),
          before,
        );
        assert.deepStrictEqual(writer.applyBlock(block).rejected, []);
        for (const pool of pools) {
          const now = familyOf(pool).midPrice(pool, 0, 1);
          assert.isBelow(Math.abs(now / start[pool]! - 1), 0.005);
        }
      }
      const offered = pools.map(
        (pool) => graph.dexes[graph.poolDex[pool]!]!.id + graph.poolCurve[pool],
      );
      assert.deepStrictEqual([...traded].sort(), [...new Set(offered)].sort());
    }),
  );

  it.effect(
    "trades the same for the same seed",
    Effect.fnUntraced(function* () {
      const options = { seed: 11, poolCount: 40, swapsPerBlock: 3 };
      assert.deepStrictEqual(yield* traffic(options, 5), yield* traffic(options, 5));
      const mixed = { ...options, familyShares: SHARES };
      assert.deepStrictEqual(yield* traffic(mixed, 5), yield* traffic(mixed, 5));
      const other = yield* traffic({ ...options, seed: 12 }, 5);
      assert.notDeepEqual(other[1]!.swaps, (yield* traffic(options, 5))[1]!.swaps);
    }),
  );

  it.effect(
    "tells of each swap the price that it left: of a pool's last one, that of the state",
    Effect.fnUntraced(function* () {
      const blocks = yield* traffic({ seed: 8, poolCount: 60, swapsPerBlock: 9 }, 20);
      const listings = new Map(blocks[0]!.pools.map((listing) => [listing.address, listing]));
      for (const { swaps, states } of blocks.slice(1)) {
        for (const { pool, state } of states) {
          const last = swaps.findLast((swap) => swap.pool === pool)!;
          const isToken0In = listings.get(pool)!.tokens[0] === last.tokenIn;
          const [reserve0, reserve1] = [state.words[0]!, state.words[2]!].map(
            (low, place) => Number(low) + Number(state.words[2 * place + 1]!) * 2 ** 64,
          ) as [number, number];
          const price = isToken0In ? reserve1 / reserve0 : reserve0 / reserve1;
          assert.isBelow(Math.abs(last.priceAfter / price - 1), 1e-12);
        }
      }
    }),
  );

  it.effect(
    "brings new pools with its blocks, with the tokens that they need, until all have come",
    Effect.fnUntraced(function* () {
      const options = { seed: 6, poolCount: 1_000, newPoolsPerBlock: 1_500, swapsPerBlock: 1 };
      const blocks = yield* traffic(options, 4);
      const { graph, writer } = openMarket(1, curves);
      for (const block of blocks) assert.deepStrictEqual(writer.applyBlock(block).rejected, []);
      assert.deepStrictEqual(
        blocks.map(({ pools }) => pools.length),
        [1_000, 1_500, 1_500, 1_096, 0],
      );
      assert.strictEqual(graph.livePoolCount, 5_096);
    }),
  );

  it("refuses a pace that is none", () => {
    for (const blockEveryMs of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => generatedMarket({ seed: 1, poolCount: 1, blockEveryMs }), RangeError);
    }
  });
});

const SHARES = {
  "uniswap-v4": 0.1,
  slipstream: 0.1,
  "algebra-integral": 0.1,
  "pancake-v3": 0.1,
  "pancake-v2": 0.1,
  "aerodrome-volatile": 0.1,
  "aerodrome-stable": 0.1,
  "curve-crypto": 0.08,
  "curve-stable": 0.05,
  "curve-stable-ng": 0.05,
};

function wordsOf(graph: PoolGraph, address: string): BigUint64Array {
  const pool = graph.findPool(address)!;
  const start = graph.poolStateStart[pool]!;
  const count = curves[graph.poolCurve[pool]!]!.stateWords(graph.poolTokenCount[pool]!);
  return graph.stateWords.slice(start, start + count);
}

/** The first block and `count` blocks of swaps, at an unmoved clock's time. */
const traffic = Effect.fnUntraced(function* (
  options: Omit<Parameters<typeof generatedMarket>[0], "blockEveryMs">,
  count: number,
) {
  const source = generatedMarket({ ...options, blockEveryMs: 1 });
  yield* TestClock.setTime(0);
  const reading = yield* source.blocks.pipe(
    Stream.take(count + 1),
    Stream.runCollect,
    Effect.forkChild,
  );
  yield* TestClock.adjust(count);
  const blocks: ReadonlyArray<MarketBlock> = yield* Fiber.join(reading);
  return blocks;
});
