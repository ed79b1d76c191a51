import { assert, describe, it } from "@effect/vitest";
import { Clock, Effect, Fiber, Random, Stream } from "effect";
import { TestClock } from "effect/testing";
import type { CreatedPool } from "../../src/reading/creations.ts";
import { type DiscoveredChunk, discoverRange } from "../../src/reading/discoverRange.ts";
import type { Endpoints } from "../../src/rpc/Endpoints.ts";
import type { RpcError } from "../../src/rpc/RpcError.ts";
import {
  hashOf,
  limitedTo,
  nodeOf,
  opened,
  pairAt,
  pairCreated,
  pairDex,
  type RawLog,
  rangeOf,
} from "./factoryChain.ts";
import { rpcError, type Script, scriptedEndpoints } from "./scriptedEndpoints.ts";

const HEAD = 30_000;
/** Pairs 1 … 60, one every 480 blocks or so, the last two in the last block. */
const LOGS = [
  ...Array.from({ length: 58 }, (_, index) => pairCreated(index + 1, 100 + 480 * index)),
  pairCreated(59, HEAD),
  pairCreated(60, HEAD),
];
const ALL = LOGS.map((_, index) => pairAt(index + 1));

const discover = (endpoints: Endpoints, fromBlock = 0, dexes = [pairDex]) =>
  discoverRange({ endpoints, dexes: opened(dexes), fromBlock, toBlock: HEAD });

/** All chunks up to the end or the failure, within an hour of test time. */
const run = Effect.fnUntraced(function* (stream: Stream.Stream<DiscoveredChunk, RpcError>) {
  const chunks: DiscoveredChunk[] = [];
  const fiber = yield* stream.pipe(
    Stream.runForEach((chunk) => Effect.sync(() => void chunks.push(chunk))),
    Effect.result,
    Random.withSeed("discovery"),
    Effect.forkChild({ startImmediately: true }),
  );
  yield* TestClock.adjust("1 hour");
  const outcome = yield* Fiber.join(fiber);
  return { chunks, pools: addresses(chunks), outcome };
});

/** All pools at the end: where the stream goes back, it reads the pools of those blocks again. */
function addresses(chunks: ReadonlyArray<DiscoveredChunk>) {
  let known: CreatedPool[] = [];
  for (const { creations, follows } of chunks) {
    const before = known.filter(({ block }) => block <= follows.number);
    known = [...before, ...creations.pools];
  }
  return known.map(({ listing }) => listing.address);
}

/** Vaults of a DEX without any logs. */
const VAULTS = [7, 8].map((number) => pairAt(1_000 + number));
const vaultDex = {
  ...{ id: "VAULTS", name: "Vaults", protocol: "erc4626", factory: VAULTS[0]! },
  ...{ startBlock: 20_000, vaults: VAULTS },
};

/** Counts a node's getLogs requests. */
function counted(node: Script) {
  const ranges: Array<{ from: number; to: number }> = [];
  const script: Script = (method, params) => {
    if (method === "eth_getLogs") ranges.push(rangeOf(params));
    return node(method, params);
  };
  return { script, ranges };
}

/** A node whose first `times` answers of logs are changed on the way. */
function changing(node: Script, change: (logs: RawLog[]) => unknown, times: number): Script {
  let left = times;
  return (method, params) =>
    node(method, params).pipe(
      Effect.map((answer) => {
        if (method !== "eth_getLogs" || left === 0) return answer;
        const changed = change([...(answer as RawLog[])]);
        left--;
        return changed;
      }),
    );
}

describe("discoverRange", () => {
  it.effect(
    "tells of pools that are configured once, in the block that their DEX begins with",
    () =>
      Effect.gen(function* () {
        const endpoints = scriptedEndpoints(nodeOf(LOGS, HEAD));
        const { chunks, pools } = yield* run(discover(endpoints, 0, [pairDex, vaultDex]));
        assert.deepStrictEqual(pools, ALL);
        const configured = chunks.flatMap(({ creations }) => creations.unresolved);
        assert.deepStrictEqual(
          configured.map(({ block, dex }) => [block, dex.dex.id]),
          VAULTS.map(() => [20_000, "VAULTS"]),
        );
        const later = yield* run(discover(endpoints, 20_001, [vaultDex]));
        assert.deepStrictEqual(
          later.chunks.flatMap(({ creations }) => creations.unresolved),
          [],
        );
      }),
  );

  it.effect("finds every pool, each with the block that created it", () =>
    Effect.gen(function* () {
      const { chunks, pools } = yield* run(discover(scriptedEndpoints(nodeOf(LOGS, HEAD))));
      assert.deepStrictEqual(pools, ALL);
      assert.strictEqual(chunks.at(-1)!.discoveredTo.number, HEAD);
      const last = chunks.flatMap(({ creations }) => creations.pools).at(-1)!;
      assert.strictEqual(last.block, HEAD);
      assert.strictEqual(last.listing.feePips, 3_000);
    }),
  );

  it.effect("does not ask for blocks before the first dex's", () =>
    Effect.gen(function* () {
      const { script, ranges } = counted(nodeOf(LOGS, HEAD));
      yield* run(discover(scriptedEndpoints(script)));
      assert.strictEqual(ranges[0]!.from, pairDex.startBlock);
      const { chunks } = yield* run(discover(scriptedEndpoints(script), 0, []));
      assert.deepStrictEqual(
        chunks.map(({ discoveredTo }) => discoveredTo.number),
        [HEAD],
      );
    }),
  );

  it.effect("asks for longer ranges while all goes well", () =>
    Effect.gen(function* () {
      const { script, ranges } = counted(nodeOf([], 2_000_000));
      const endpoints = scriptedEndpoints(script);
      const options = { dexes: opened([pairDex]), fromBlock: 0, toBlock: 2_000_000 };
      yield* run(discoverRange({ endpoints, ...options }));
      assert.isBelow(ranges.length, 20);
    }),
  );

  // Messages and codes that providers have used; the point is that none of them is known.
  const refusals: ReadonlyArray<RpcError> = [
    rpcError("Refused", "query returned more than 10000 results", -32005),
    rpcError("Refused", "query exceeds max block range 1000", -32602),
    rpcError("Refused", "block range is too wide", -32000),
    rpcError("Refused", "eth_getLogs is limited to a 1,000 range", -32614),
    rpcError("Refused", "Log response size exceeded", -32602),
    rpcError("Refused", "something else", 35),
    rpcError("TooLarge", "the body has more than 10 MB"),
    rpcError("TimedOut"),
    rpcError("Malformed", "HTTP 413 <html>"),
    rpcError("RateLimited", "compute units"),
    rpcError("Unreachable", "the connection was reset"),
    rpcError("BadData"),
  ];
  for (const refusal of refusals) {
    it.effect(`halves a range after ${refusal.reason}: ${refusal.detail}`, () =>
      Effect.gen(function* () {
        const { script, ranges } = counted(limitedTo(1_000, nodeOf(LOGS, HEAD), refusal));
        const { pools, outcome } = yield* run(discover(scriptedEndpoints(script)));
        assert.strictEqual(outcome._tag, "Success");
        assert.deepStrictEqual(pools, ALL);
        assert.isBelow(ranges.length, 90);
      }),
    );
  }

  it.effect("gets on where no range is allowed at all", () =>
    Effect.gen(function* () {
      const endpoints = scriptedEndpoints(limitedTo(1, nodeOf(LOGS, HEAD)));
      const { pools } = yield* run(discover(endpoints, HEAD - 500));
      assert.deepStrictEqual(pools, ALL.slice(-2));
    }),
  );

  it.effect("asks for less when a node cuts its answers without a word", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 12_000 }, (_, index) =>
        pairCreated(index + 1, 100 + Math.floor(index / 2)),
      );
      const cut = changing(nodeOf(many, HEAD), (logs) => logs.slice(0, 10_000), Infinity);
      const { pools } = yield* run(discover(scriptedEndpoints(cut)));
      assert.strictEqual(pools.length, many.length);
    }),
  );

  it.effect(
    "keeps what came before a failure, and tries a single block a limited number of times",
    () =>
      Effect.gen(function* () {
        const broken = counted(nodeOf(LOGS, 20_000));
        const { chunks, pools, outcome } = yield* run(discover(scriptedEndpoints(broken.script)));
        assert.strictEqual(outcome._tag, "Failure");
        assert.strictEqual(chunks.at(-1)!.discoveredTo.number, 20_000);
        const rest = yield* run(discover(scriptedEndpoints(nodeOf(LOGS, HEAD)), 20_001));
        assert.deepStrictEqual([...pools, ...rest.pools], ALL);
      }),
  );

  it.effect("believes no node that lags and answers nothing for blocks it has not got", () =>
    Effect.gen(function* () {
      const lagging = nodeOf(LOGS, 25_000);
      const { pools } = yield* run(discover(scriptedEndpoints(lagging, nodeOf(LOGS, HEAD))));
      assert.deepStrictEqual(pools, ALL);
    }),
  );

  it.effect("believes nothing of a range whose last block changed meanwhile", () =>
    Effect.gen(function* () {
      // The node is asked for the last block, the first, and after the logs the last again.
      let asked = 0;
      const sound = nodeOf(LOGS, HEAD);
      const forked: Script = (method, params) =>
        sound(method, params).pipe(
          Effect.map((answer) =>
            method === "eth_getBlockByNumber" && ++asked % 3 === 0
              ? { ...(answer as object), hash: hashOf(-1) }
              : answer,
          ),
        );
      const alone = yield* run(discover(scriptedEndpoints(forked)));
      assert.strictEqual(alone.outcome._tag, "Failure");
      const { pools } = yield* run(discover(scriptedEndpoints(forked, sound)));
      assert.deepStrictEqual(pools, ALL);
    }),
  );

  const lies: ReadonlyArray<readonly [string, (logs: RawLog[]) => unknown]> = [
    ["a log twice", (logs) => [...logs, ...logs.slice(-1)]],
    ["logs without order", (logs) => logs.reverse()],
    ["logs outside the range", (logs) => [pairCreated(1, 5), ...logs]],
    ["a log of another address", (logs) => [{ ...logs[0]!, address: pairAt(1) }, ...logs.slice(1)]],
    ["a log of another topic", (logs) => [{ ...logs[0]!, topics: [] }, ...logs.slice(1)]],
    ["a log that was reverted", (logs) => [{ ...logs[0]!, removed: true }, ...logs.slice(1)]],
    ["a log of another fork", (logs) => logs.map((log) => ({ ...log, blockHash: hashOf(-1) }))],
    ["all logs but the first", (logs) => logs.slice(1)],
    ["logs with one left out", (logs) => logs.filter(({ data }) => data !== LOGS[3]!.data)],
    ["no list", () => ({ logs: [] })],
    ["a log without a block", (logs) => [{ ...logs[0]!, blockHash: null }, ...logs.slice(1)]],
  ];
  for (const [name, lie] of lies) {
    it.effect(`asks another endpoint when one gives ${name}`, () =>
      Effect.gen(function* () {
        const sound = nodeOf(LOGS, HEAD);
        const liar = changing(sound, lie, Infinity);
        const { pools } = yield* run(discover(scriptedEndpoints(liar, sound)));
        assert.deepStrictEqual(pools, ALL);
        const alone = yield* run(discover(scriptedEndpoints(liar)));
        assert.strictEqual(alone.outcome._tag, "Failure");
      }),
    );
  }

  it.effect("goes back for logs that an earlier answer left out", () =>
    Effect.gen(function* () {
      // The first answer ends too early; only the next one shows it.
      const forgetful = changing(nodeOf(LOGS, HEAD), (logs) => logs.slice(0, -5), 1);
      const { script, ranges } = counted(forgetful);
      const { pools, outcome } = yield* run(discover(scriptedEndpoints(script)));
      assert.strictEqual(outcome._tag, "Success");
      assert.deepStrictEqual(pools, ALL);
      assert.isTrue(ranges.some(({ from }, index) => from < (ranges[index - 1]?.from ?? 0)));
    }),
  );

  it.effect("fails when logs stay away, and says which are missing", () =>
    Effect.gen(function* () {
      const pruned = nodeOf(LOGS.slice(10), HEAD);
      const { pools, outcome } = yield* run(discover(scriptedEndpoints(pruned)));
      assert.deepStrictEqual(pools, []);
      assert.isTrue(outcome._tag === "Failure" && outcome.failure.detail.includes("creation 11"));
    }),
  );

  it.effect("counts and skips what is no creation of a pool", () =>
    Effect.gen(function* () {
      const own = { ...pairDex, initCodeHash: hashOf(0) };
      const { chunks } = yield* run(discover(scriptedEndpoints(nodeOf(LOGS, HEAD)), 0, [own]));
      assert.deepStrictEqual(addresses(chunks), []);
      assert.strictEqual(
        chunks.reduce((sum, { skipped }) => sum + skipped, 0),
        LOGS.length,
      );
    }),
  );

  it.effect("lives through an outage of all endpoints for a minute", () =>
    Effect.gen(function* () {
      const node = nodeOf(LOGS, HEAD);
      const start = yield* Clock.currentTimeMillis;
      const script: Script = (method, params) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now - start < 60_000 ? Effect.fail(rpcError("Unreachable")) : node(method, params),
        );
      const { pools } = yield* run(discover(scriptedEndpoints(script)));
      assert.deepStrictEqual(pools, ALL);
    }),
  );
});
