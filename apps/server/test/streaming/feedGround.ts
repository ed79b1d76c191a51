import { decodeOperation, type TopicRequest } from "@millrace/api";
import type { AppliedBlock, MarketBlock, PoolIndex, PoolStateChange } from "@millrace/core";
import { type GeneratorOptions, generateMarketBlock } from "@millrace/replay";
import { RandomSource, TestScope } from "@millrace/testing";
import { Effect, Queue, Result, Stream } from "effect";
import { openLists } from "../../src/lists/openLists.ts";
import { Network } from "../../src/networks/Network.ts";
import type { NetworkMarket } from "../../src/networks/NetworkMarket.ts";
import { openNetworkMarket } from "../../src/networks/openNetworkMarket.ts";
import { Feed } from "../../src/streaming/Feed.ts";
import type { Topic } from "../../src/streaming/Topic.ts";
import { configOf, UNIVERSE_A } from "../kit/service.ts";
import type { Parameters } from "./mixedSubscriptions.ts";

/** A network whose blocks the test makes, and its feed. */
export interface FeedGround {
  readonly network: Network;
  readonly market: NetworkMarket;
  readonly feed: Feed;
  readonly failures: unknown[];
  /** Applies a block, by default with the next number, hash and time. */
  readonly apply: (block: Partial<MarketBlock>) => Promise<AppliedBlock>;
  /** States of `count` pools after a swap of a thousandth of their holdings. */
  readonly moves: (count: number) => ReadonlyArray<PoolStateChange>;
  /**
   * Resolves when everything of the newest block was published, but for liquidity and volumes that
   * are settled later.
   */
  readonly told: () => Promise<void>;
  readonly acquire: (parameters: Parameters, client?: string) => Topic;
  readonly close: () => Promise<void>;
}

const EMPTY: Omit<MarketBlock, "stamp"> = {
  ...{ dexes: [], tokens: [], pools: [], removedPools: [], states: [], swaps: [], supplies: [] },
};

export async function openFeedGround(
  poolCount: number,
  seed: number,
  searchWorkers = 0,
  familyShares: GeneratorOptions["familyShares"] = {},
  pays: (client: string, cost: number) => boolean = () => true,
): Promise<FeedGround> {
  const numbers = new RandomSource(seed);
  const random = (below: number): number => numbers.integer(below);
  const { networks } = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  const config = { ...networks[0], source: { kind: "generated" as const, seed, poolCount } };
  const network = new Network(config);
  const scope = new TestScope();
  const queue = await Effect.runPromise(Queue.unbounded<MarketBlock>());
  const first = generateMarketBlock({ chainId: 1, poolCount, seed, familyShares });
  Queue.offerUnsafe(queue, { ...first, stamp: { ...first.stamp, timestampMs: Date.now() } });
  const source = { chainId: config.chainId, blocks: Stream.fromQueue(queue) };
  const market = await scope.run(
    Effect.gen(function* () {
      const lists = yield* openLists(config);
      network.connected({ config, market: source });
      return yield* openNetworkMarket({ config, market: source }, lists, searchWorkers);
    }),
  );
  network.opened(market);
  const failures: unknown[] = [];
  let untold = 0;
  const feed = new Feed(network, market, {
    report: (cause) => failures.push(cause),
    hasRequests: () => false,
    pays,
    published: () => {
      untold = 0;
    },
  });
  const { engine } = market;
  const { graph } = engine;
  let directions = 0;

  return {
    ...{ network, market, feed, failures },
    apply: (block) => {
      const number = graph.stamp.number + 1;
      const hash = `0x${(number * 1_000 + random(999)).toString(16).padStart(64, "0")}`;
      const stamp = { number, hash: hash as `0x${string}`, timestampMs: Date.now() };
      untold++;
      return new Promise((resolve) => {
        const stop = engine.onPart((applied) => {
          stop();
          resolve(applied);
        });
        Queue.offerUnsafe(queue, { ...EMPTY, stamp, ...block });
      });
    },
    moves: (count) => {
      const changes = new Map<PoolIndex, PoolStateChange>();
      while (changes.size < count) {
        const pool = random(graph.poolCount) as PoolIndex;
        const tokenIn = directions++ % 2;
        const family = engine.familyOf(pool);
        const held = graph.isLive(pool) ? family.tokenAmounts(pool)[tokenIn]! : 0n;
        const state = family.swapExactIn(pool, tokenIn, 1 - tokenIn, held / 1_000n + 1n)?.state;
        if (held > 0n && state) changes.set(pool, { pool: graph.poolAddress(pool), state });
      }
      return [...changes.values()];
    },
    told: async () => {
      for (let turn = 0; untold > 0 && turn < 10_000; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      if (untold > 0) throw new Error("a block was never told");
    },
    acquire: (parameters, client = CLIENT) => {
      const topic = feed.acquire(requestOf(parameters), client);
      if ("code" in topic) throw new Error(`${topic.code}: ${topic.detail}`);
      return topic;
    },
    close: async () => {
      feed.close();
      await scope.close();
    },
  };
}

/** The default subscriber. */
export const CLIENT = "192.0.2.1";

function requestOf(parameters: Parameters): TopicRequest {
  const operation = decodeOperation({ op: "subscribe", id: 1, ...parameters });
  if (Result.isFailure(operation)) throw new Error(JSON.stringify(operation.failure));
  if (operation.success.op !== "subscribe") throw new Error("no subscription");
  return operation.success.topic;
}
