import { assert, describe, it } from "@effect/vitest";
import {
  bookOf,
  Engine,
  type MarketBlock,
  openMarket,
  type PoolGraph,
  type PoolState,
} from "@millrace/core";
import { curves, encodeConcentrated, encodeReserves } from "@millrace/protocols";
import { sharedDataPath } from "@millrace/testing";
import { Effect, Exit, Fiber, Stream } from "effect";
import { TestClock } from "effect/testing";
import { marketFile } from "../src/index.ts";
import { type RecordingJson, readRecording, type StateJson } from "./sharedData.ts";

const UNIVERSE_A = "ethereum-2026-03/universe-a.json";
const UNIVERSE_B = "ethereum-2026-03/universe-b.json";
const MAJORS = "v3-majors/universe.json";

describe("a market file", () => {
  it.effect.each([UNIVERSE_A, UNIVERSE_B, MAJORS])(
    "%s loads whole, with every pool at its last recorded state",
    Effect.fnUntraced(function* (name) {
      const json = readRecording(name);
      const [block, ...rest] = yield* blocksOf(name);
      assert.deepStrictEqual(rest, []);
      const { graph, writer } = openMarket(json.chainId, curves);
      assert.deepStrictEqual(writer.applyBlock(block!).rejected, []);
      assert.strictEqual(graph.livePoolCount, json.pools.length);
      const last = json.updates?.at(-1)?.block ?? json.block ?? 0;
      assert.strictEqual(graph.stamp.number, last);
      for (const [place, pool] of json.pools.entries()) {
        expectState(graph, block!.pools[place]!.address, lastState(json, pool.id) ?? pool);
      }
    }),
  );

  it.effect(
    "is stamped with its time and twelve seconds for each block after the first",
    Effect.fnUntraced(function* () {
      const json = readRecording(UNIVERSE_A);
      const [block] = yield* blocksOf(UNIVERSE_A);
      const blocks = block!.stamp.number - json.block!;
      assert.isAbove(blocks, 0);
      assert.strictEqual(block!.stamp.timestampMs, json.blockTimestamp! * 1_000 + blocks * 12_000);
      assert.match(block!.stamp.hash, /^0x0{64}$/);
    }),
  );

  it.effect(
    "names the DEXes as people do, each with its factory on Ethereum",
    Effect.fnUntraced(function* () {
      const [block] = yield* blocksOf(UNIVERSE_A);
      const dexes = block!.dexes.map(({ id, name, factory }) => `${id} ${name} ${factory}`);
      assert.sameMembers(dexes, [
        "UNISWAP_V2 Uniswap V2 0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
        "SUSHISWAP_V2 SushiSwap V2 0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac",
        "PANCAKESWAP_V2 PancakeSwap V2 0x1097053fd2ea711dad45caccc45eff7548fcb362",
        "UNISWAP_V3 Uniswap V3 0x1f98431c8ad98523631ae4a59f267346ea31f984",
        "PANCAKESWAP_V3 PancakeSwap V3 0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865",
      ]);
    }),
  );

  it.effect(
    "with replayMs starts as recorded and applies one block for every step of time",
    Effect.fnUntraced(function* () {
      const json = readRecording(UNIVERSE_A);
      const updates = json.updates!;
      const source = yield* marketFile(sharedDataPath(UNIVERSE_A), { replayMs: 250 });
      const { graph } = yield* Engine.make({ source, curves });
      assert.strictEqual(graph.stamp.number, json.block);
      for (const pool of json.pools) expectState(graph, pool.id, pool);
      yield* TestClock.adjust(249);
      assert.strictEqual(graph.stamp.number, json.block);
      yield* TestClock.adjust(1);
      for (const update of updates) {
        assert.strictEqual(graph.stamp.number, update.block);
        for (const [id, state] of Object.entries(update.pools)) expectState(graph, id, state);
        yield* TestClock.adjust(250);
      }
      assert.strictEqual(graph.stamp.number, updates.at(-1)!.block);
      const version = graph.version;
      yield* TestClock.adjust(10_000);
      assert.strictEqual(graph.version, version);
    }),
  );

  it.effect(
    "takes no pace below a millisecond or with a fraction: that is a mistake of the caller",
    Effect.fnUntraced(function* () {
      for (const replayMs of [0, -5, 0.5, Number.NaN]) {
        const exit = yield* Effect.exit(marketFile(sharedDataPath(MAJORS), { replayMs }));
        assert.isTrue(Exit.hasDies(exit), `${replayMs}`);
      }
    }),
  );

  it.effect(
    "can be replayed by two readers, each from the start",
    Effect.fnUntraced(function* () {
      const source = yield* marketFile(sharedDataPath(UNIVERSE_A), { replayMs: 10 });
      const reading = yield* Stream.runCollect(source.blocks).pipe(Effect.forkChild);
      yield* TestClock.adjust(1_000);
      const first: ReadonlyArray<MarketBlock> = yield* Fiber.join(reading);
      const again = yield* Stream.runCollect(source.blocks).pipe(Effect.forkChild);
      yield* TestClock.adjust(1_000);
      assert.deepStrictEqual(yield* Fiber.join(again), first);
    }),
  );

  it.effect(
    "gives pools without an address one that is the same every time",
    Effect.fnUntraced(function* () {
      const [first] = yield* blocksOf(MAJORS);
      const [again] = yield* blocksOf(MAJORS);
      const addresses = first!.pools.map(({ address }) => address);
      assert.strictEqual(new Set(addresses).size, addresses.length);
      for (const address of addresses) assert.match(address, /^0x[0-9a-f]{40}$/);
      assert.deepStrictEqual(again!.pools, first!.pools);
    }),
  );
});

const blocksOf = Effect.fnUntraced(function* (name: string) {
  const source = yield* marketFile(sharedDataPath(name));
  const blocks: ReadonlyArray<MarketBlock> = yield* Stream.runCollect(source.blocks);
  return blocks;
});

function lastState(json: RecordingJson, id: string): StateJson | undefined {
  return json.updates?.findLast(({ pools }) => pools[id] !== undefined)?.pools[id];
}

function expectState(graph: PoolGraph, address: string, json: StateJson): void {
  const pool = graph.findPool(address)!;
  const expected = stateOf(json);
  const start = graph.poolStateStart[pool]!;
  const words = graph.stateWords.slice(start, start + expected.words.length);
  assert.deepStrictEqual(words, expected.words, address);
  const book = bookOf(graph, pool);
  assert.deepStrictEqual([...book.keys], [...(expected.book?.keys ?? [])], address);
  assert.deepStrictEqual([...book.words], [...(expected.book?.words ?? [])], address);
}

function stateOf(json: StateJson): PoolState {
  if (json.reserve0 !== undefined) {
    return encodeReserves([BigInt(json.reserve0), BigInt(json.reserve1!)]);
  }
  return encodeConcentrated({
    sqrtPriceX96: BigInt(json.sqrtPriceX96!),
    tick: json.tick!,
    liquidity: BigInt(json.liquidity!),
    ticks: json.ticks!.map(([tick, liquidityNet]) => [tick, BigInt(liquidityNet)]),
  });
}
