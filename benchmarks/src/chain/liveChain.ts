import { chainSource } from "@millrace/chain";
import { openMarket } from "@millrace/core";
import { type Devnet, startDevnet } from "@millrace/devnet";
import { curves } from "@millrace/protocols";
import { Effect, Stream } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { timeStart } from "../http/service.ts";
import { median, quantile } from "../statistics.ts";
import { addPools } from "./addPools.ts";
import { watchHeads } from "./watchHeads.ts";

const FULL = { starts: 5, blocks: 200, concentrated: 70 };
const SMOKE = { starts: 1, blocks: 5, concentrated: 10 };
const ACTIONS_A_BLOCK = 4;

/**
 * A real chain on this machine: the time from a block's announcement until the graph has it, the
 * node's own time to answer for the logs, and the speed at which a market is read in bulk.
 */
export const liveChain = Effect.fnUntraced(
  function* (smoke: boolean) {
    const sizes = smoke ? SMOKE : FULL;
    const started = performance.now();
    const devnet = yield* startDevnet({ network: "ETH" });
    const devnetMs = performance.now() - started;
    const startsMs: number[] = [];
    for (let start = 0; start < sizes.starts; start++) startsMs.push(yield* timeStart({}));
    const latency = yield* Effect.scoped(timeBlocks(devnet, sizes.blocks));
    yield* addPools(devnet, sizes.concentrated);
    const bulk = yield* Effect.scoped(timeBulk(devnet));
    return [
      { name: "live-chain.devnet.start", value: devnetMs, unit: "ms" },
      { name: "live-chain.service.ready", value: median(startsMs), unit: "ms" },
      { name: "live-chain.block.p50", value: median(latency.graph), unit: "ms" },
      { name: "live-chain.block.p99", value: quantile(latency.graph, 0.99), unit: "ms" },
      { name: "live-chain.node-answer.p50", value: median(latency.node), unit: "ms" },
      { name: "live-chain.bulk.pools", value: bulk.pools, unit: "pools" },
      { name: "live-chain.bulk.rate", value: bulk.pools / (bulk.ms / 60_000), unit: "pools/min" },
    ] satisfies ReadonlyArray<Figure>;
  },
  Effect.scoped,
  Effect.mapError((cause) => new BenchmarkError({ message: String(cause) })),
);

/**
 * Milliseconds from each block's announcement until the graph has it, and milliseconds of one
 * answer for its logs.
 */
const timeBlocks = Effect.fnUntraced(function* (devnet: Devnet, count: number) {
  const market = openMarket(devnet.chainId, curves);
  const source = yield* follow(devnet);
  const appliedAt = new Map<string, number>();
  yield* source.blocks.pipe(
    Stream.runForEach((block) =>
      Effect.sync(() => {
        market.writer.applyBlock(block);
        appliedAt.set(block.stamp.hash, performance.now());
      }),
    ),
    Effect.forkScoped,
  );
  const announcedAt = yield* watchHeads(devnet.webSocketUrl);
  yield* until(() => source.obstacle() === undefined);
  const node: number[] = [];
  for (let block = 0; block < count; block++) {
    yield* devnet.traffic.block(ACTIONS_A_BLOCK);
    yield* Effect.sleep(30);
    const hash = [...announcedAt.keys()].at(-1);
    if (hash !== undefined) node.push(yield* timeLogs(devnet.rpcUrl, hash));
  }
  yield* until(() => [...announcedAt.keys()].every((hash) => appliedAt.has(hash)));
  const graph = Array.from(announcedAt, ([hash, at]) => appliedAt.get(hash)! - at);
  return { graph, node };
});

/** The read of the whole market, as at a cold start. */
const timeBulk = Effect.fnUntraced(function* (devnet: Devnet) {
  const source = yield* follow(devnet);
  const beforeMs = performance.now();
  const [first] = yield* source.blocks.pipe(Stream.take(1), Stream.runCollect);
  return { pools: first?.pools.length ?? 0, ms: performance.now() - beforeMs };
});

function follow(devnet: Devnet) {
  return chainSource({
    chainId: devnet.chainId,
    endpoints: [{ url: devnet.rpcUrl, webSocketUrl: devnet.webSocketUrl }],
    dexes: devnet.dexes,
    admission: { anchors: devnet.anchors, depthFloorUsd: 0, pools: [] },
    multicall: devnet.contracts.multicall3,
    blockTimeMs: devnet.blockTimeMs,
  });
}

const until = (isDone: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isDone() ? Effect.void : Effect.andThen(Effect.sleep(5), until(isDone))));

/** Milliseconds that the node takes to return the logs of a block. */
const timeLogs = (url: string, blockHash: string) =>
  Effect.tryPromise({
    try: async () => {
      const params = [{ blockHash }];
      const started = performance.now();
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params }),
      });
      await response.json();
      return performance.now() - started;
    },
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });
