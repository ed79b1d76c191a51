import { assert, describe, it } from "@effect/vitest";
import type { Address } from "@millrace/core";
import { type Hex, protocols } from "@millrace/protocols";
import { Effect, Fiber, Random } from "effect";
import { TestClock } from "effect/testing";
import { numberToHex } from "viem";
import { Dexes } from "../../src/follow/Dexes.ts";
import { Discovery } from "../../src/follow/Discovery.ts";
import { discoverTo } from "../../src/follow/discoverMarket.ts";
import type { Header } from "../../src/follow/Header.ts";
import type { MarketReading } from "../../src/follow/MarketReading.ts";
import {
  nodeOf,
  hashOf as onlyHashOf,
  pairAt,
  pairCreated,
  pairDex,
  type RawLog,
  rangeOf,
} from "../reading/factoryChain.ts";
import { type Script, scriptedEndpoints } from "../reading/scriptedEndpoints.ts";

const HEAD = 15_000;
const NO_BLOOM: Hex = `0x${"00".repeat(256)}`;

/** Branch `b` leaves branch `a` after this block. */
const FORK = 2_000;
type Branch = "a" | "b";

const hashOf = (number: number, branch: Branch): Hex =>
  branch === "a" || number <= FORK ? onlyHashOf(number) : onlyHashOf(1_000_000 + number);

/** The numbers of pairs, by the block that creates them. */
const CREATIONS: Readonly<Record<Branch, ReadonlyArray<readonly [pair: number, block: number]>>> = {
  a: [
    [1, 1_000],
    [2, 3_000],
    [3, 8_000],
    [4, 9_000],
    [5, 12_000],
  ],
  // On this branch the same factory creates other pairs, in other blocks.
  b: [
    [1, 1_000],
    [12, 4_000],
    [13, 5_000],
    [14, 9_500],
    [15, 12_500],
  ],
};

/** Logs of a branch: the factory counts its pairs from 1, whatever their addresses. */
function logsOf(branch: Branch): RawLog[] {
  return CREATIONS[branch].map(([pair, block], index) => ({
    ...pairCreated(pair, block),
    data:
      pairCreated(pair, block).data.slice(0, -64) + numberToHex(index + 1, { size: 32 }).slice(2),
    blockHash: hashOf(block, branch),
  }));
}

/** A node whose first answer lacks the last log, and which may then change its branch. */
function forgetfulNode(later: Branch) {
  let branch: Branch = "a";
  const ranges: Array<readonly [from: number, to: number]> = [];
  const script: Script = (method, params) => {
    if (method !== "eth_getLogs") {
      const number = Number(params[0]);
      if (number === HEAD) branch = later;
      return Effect.map(nodeOf([], HEAD)(method, params), (block) => ({
        ...(block as object),
        ...{ logsBloom: NO_BLOOM, timestamp: numberToHex(number) },
        ...{ hash: hashOf(number, branch), parentHash: hashOf(number - 1, branch) },
      }));
    }
    const { from, to } = rangeOf(params);
    ranges.push([from, to]);
    const end = ranges.length === 1 ? -1 : undefined;
    return Effect.map(nodeOf(logsOf(branch), HEAD)(method, params), (logs) =>
      (logs as RawLog[]).slice(0, end),
    );
  };
  return { script, ranges };
}

const discover = Effect.fnUntraced(function* (script: Script, branch: Branch) {
  const reading: MarketReading = {
    endpoints: scriptedEndpoints(script),
    dexes: new Dexes([pairDex], protocols),
    nativeToken: { symbol: "ETH", name: "Ether" },
    protocols,
    blockLogs: () => Effect.succeed([]),
    readerAt: () => assert.fail("no contract is read"),
    journalDepth: 0,
    lookBack: 0,
    admission: { anchors: [], depthFloorUsd: 0, pools: [] },
    onProgress: () => {},
  };
  const header: Header = {
    ...{ number: HEAD, hash: hashOf(HEAD, branch), parentHash: hashOf(HEAD - 1, branch) },
    ...{ timestampMs: HEAD, logsBloom: NO_BLOOM, receiptsRoot: undefined },
  };
  const discovery = new Discovery(pairDex.startBlock);
  const fiber = yield* discoverTo(reading, discovery, header).pipe(
    Random.withSeed("discovery"),
    Effect.forkChild({ startImmediately: true }),
  );
  yield* TestClock.adjust("1 hour");
  return { market: yield* Fiber.join(fiber), discovery };
});

const pairsOf = (branch: Branch) =>
  CREATIONS[branch].map(([pair, block]): [Address, number] => [pairAt(pair), block]);

const poolsIn = ({ pools }: Discovery) =>
  [...pools.values()].map(({ listing, createdBlock }) => [listing.address, createdBlock]);

describe("discovery that goes back for logs that a node left out", () => {
  it.effect("has every pool once", () =>
    Effect.gen(function* () {
      const { script, ranges } = forgetfulNode("a");
      const { market, discovery } = yield* discover(script, "a");
      assert.isDefined(market);
      assert.deepStrictEqual(poolsIn(discovery), pairsOf("a"));
      assert.deepStrictEqual(ranges, [
        [100, 10_099],
        [10_100, HEAD],
        [100, 10_099],
        [10_100, HEAD],
      ]);
    }),
  );

  it.effect("keeps no pool of a branch that the chain has left meanwhile", () =>
    Effect.gen(function* () {
      // The last log before the gap is of block 8,000; from 3,000 on the branches have other pairs.
      const { discovery } = yield* discover(forgetfulNode("b").script, "b");
      assert.deepStrictEqual(poolsIn(discovery), pairsOf("b"));
    }),
  );
});
