import { assert, describe, it } from "@effect/vitest";
import type { Address, TokenSupply } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { numberToHex } from "viem";
import type { Following } from "../../src/follow/Following.ts";
import { readTotalSupplies } from "../../src/follow/readTotalSupplies.ts";
import { rpcError, type Script } from "../reading/scriptedEndpoints.ts";

const MINUTE_MS = 60_000;
/** Lengths in hex digits: a word, a selector with `0x`, a call of `totalSupply` in a batch. */
const WORD = 64;
const SELECTOR = 10;
const CALL = 5 * WORD;

const tokenAt = (index: number): Address => numberToHex(0x10_0000 + index, { size: 20 });
const word = (value: bigint | number) => value.toString(16).padStart(WORD, "0");

/**
 * A followed market of `tokenCount` tokens, two to a pool, and the last supplies that its reader
 * got.
 */
function openMarket(tokenCount: number) {
  const told = new Map<string, bigint | undefined>();
  const node = {
    supplyOf: (_token: Address): bigint | undefined => 1n,
    isDown: false,
    answersAfterMs: 0,
  };
  const pools = new Map<string, unknown>();
  const addPool = (...tokens: ReadonlyArray<Address>) =>
    pools.set(tokens.join(), { listing: { tokens } });
  for (let index = 0; index < tokenCount; index += 2) addPool(tokenAt(index), tokenAt(index + 1));
  const request: Script = Effect.fnUntraced(function* (_method, [call]) {
    yield* Effect.sleep(node.answersAfterMs);
    if (node.isDown) return yield* rpcError("Unreachable");
    const { data } = call as { data: Hex };
    return aggregated(targetsOf(data).map(node.supplyOf));
  });
  const endpoint = { name: "node", request };
  const following = {
    mirror: {
      head: { hash: `0x${"11".repeat(32)}` },
      pools,
      supply: (supplies: ReadonlyArray<TokenSupply>) => supplies,
    },
    reading: {
      readerAt: (blockHash: Hex) => ({ endpoint, blockHash, multicall: `0x${"ca".repeat(20)}` }),
    },
    condition: { obstacle: undefined, defects: 0 },
    emit: (supplies: ReadonlyArray<TokenSupply>) => {
      for (const { token, totalSupply } of supplies) told.set(token, totalSupply);
    },
  } as unknown as Following;
  return { told, node, pools, addPool, follow: Effect.forkChild(readTotalSupplies(following)) };
}

/** The targets of a batch of calls of one size. */
function targetsOf(data: Hex): Address[] {
  const count = Number(`0x${data.slice(SELECTOR + WORD, SELECTOR + 2 * WORD)}`);
  const first = SELECTOR + (2 + count) * WORD;
  return Array.from({ length: count }, (_, index) => {
    const end = first + index * CALL + WORD;
    return `0x${data.slice(end - 40, end)}` as const;
  });
}

/** Multicall3's result for calls that each gave a number, or failed. */
function aggregated(numbers: ReadonlyArray<bigint | undefined>): Hex {
  let offset = 32 * numbers.length;
  const offsets: string[] = [];
  const results = numbers.map((number) => {
    offsets.push(word(offset));
    offset += number === undefined ? 96 : 128;
    return number === undefined
      ? word(0) + word(64) + word(0)
      : word(1) + word(64) + word(32) + word(number);
  });
  return `0x${word(32)}${word(numbers.length)}${offsets.join("")}${results.join("")}`;
}

describe("total supplies", () => {
  it.effect("are published soon, and again within minutes of being minted or burnt", () =>
    Effect.gen(function* () {
      const { told, node, follow } = openMarket(4);
      const fiber = yield* follow;
      yield* TestClock.adjust(10_000);
      assert.deepStrictEqual([...told.values()], [1n, 1n, 1n, 1n]);
      for (const supply of [5n, 3n, 0n]) {
        node.supplyOf = () => supply;
        yield* TestClock.adjust(11 * MINUTE_MS);
        assert.deepStrictEqual([...told.values()], Array(4).fill(supply));
      }
      yield* Fiber.interrupt(fiber);
    }),
  );

  it.effect("are unknown again of a token that stopped giving it, and known when it goes on", () =>
    Effect.gen(function* () {
      const { told, node, follow } = openMarket(2);
      const fiber = yield* follow;
      yield* TestClock.adjust(10_000);
      assert.deepStrictEqual([...told.values()], [1n, 1n]);
      node.supplyOf = (token) => (token === tokenAt(0) ? undefined : 1n);
      yield* TestClock.adjust(11 * MINUTE_MS);
      assert.deepStrictEqual([...told.values()], [undefined, 1n]);
      node.supplyOf = () => 7n;
      yield* TestClock.adjust(11 * MINUTE_MS);
      assert.deepStrictEqual([...told.values()], [7n, 7n]);
      yield* Fiber.interrupt(fiber);
    }),
  );

  it.effect("of tokens of a new pool are published soon, in the middle of a round", () =>
    Effect.gen(function* () {
      const { told, addPool, follow } = openMarket(4);
      const fiber = yield* follow;
      yield* TestClock.adjust(MINUTE_MS);
      addPool(tokenAt(1), tokenAt(99));
      yield* TestClock.adjust(10_000);
      assert.strictEqual(told.get(tokenAt(99)), 1n);
      yield* Fiber.interrupt(fiber);
    }),
  );

  it.effect("of tokens whose pools have left are not asked for ever", () =>
    Effect.gen(function* () {
      const { pools, node, follow } = openMarket(4);
      const fiber = yield* follow;
      yield* TestClock.adjust(MINUTE_MS);
      pools.delete([tokenAt(0), tokenAt(1)].join());
      yield* TestClock.adjust(30 * MINUTE_MS);
      const asked = new Set<Address>();
      node.supplyOf = (token) => {
        asked.add(token);
        return 1n;
      };
      yield* TestClock.adjust(30 * MINUTE_MS);
      assert.deepStrictEqual(asked, new Set([tokenAt(2), tokenAt(3)]));
      yield* Fiber.interrupt(fiber);
    }),
  );

  it.effect("are published when the node that could not be reached is back", () =>
    Effect.gen(function* () {
      const { told, node, follow } = openMarket(4);
      node.isDown = true;
      const fiber = yield* follow;
      yield* TestClock.adjust(25 * MINUTE_MS);
      assert.strictEqual(told.size, 0);
      node.isDown = false;
      yield* TestClock.adjust(10_000);
      assert.strictEqual(told.size, 4);
      yield* Fiber.interrupt(fiber);
    }),
  );

  it.effect(
    "are published of every token, and anew of each, however long it takes to ask for all",
    () =>
      Effect.gen(function* () {
        const count = 12_000;
        const { told, node, follow } = openMarket(count);
        node.answersAfterMs = MINUTE_MS;
        const fiber = yield* follow;
        for (const supply of [1n, 2n]) {
          node.supplyOf = () => supply;
          yield* TestClock.adjust(30 * MINUTE_MS);
          assert.strictEqual([...told.values()].filter((value) => value === supply).length, count);
        }
        yield* Fiber.interrupt(fiber);
      }),
  );
});
