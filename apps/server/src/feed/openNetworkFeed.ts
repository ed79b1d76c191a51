import { randomUUID } from "node:crypto";
import type { ChainSource } from "@millrace/chain";
import type { MarketSource } from "@millrace/core";
import { type FeedLog, type MarketFeed, openFeed, redisLog } from "@millrace/feed";
import { Clock, Effect, type Scope } from "effect";
import type { NetworkConfig, ServerConfig } from "../config/ServerConfig.ts";

/** The feed through which servers share a network's market. */
export interface NetworkFeed extends MarketFeed {
  /** Sets what each snapshot takes along: data made of the swaps so far. */
  readonly attach: (attachment: Effect.Effect<Uint8Array>) => void;
}

export interface FeedPlace {
  readonly config: NonNullable<ServerConfig["feed"]>;
  /** In place of the configured Redis. */
  readonly log?: FeedLog | undefined;
}

/** Opens the market of a feed, until the scope closes; the server's own source can lead it. */
export const openNetworkFeed = Effect.fnUntraced(function* (
  { config, log: given }: FeedPlace,
  { id, chainId }: NetworkConfig,
  market: MarketSource,
  chain: ChainSource | undefined,
): Effect.fn.Return<NetworkFeed, never, Scope.Scope> {
  const { url, name, lead, leaseMs, silenceMs } = config;
  const log = given ?? (yield* redisLog({ url, name: `${name}:${chainId}` }));
  let attachment: Effect.Effect<Uint8Array | undefined> = Effect.undefined;
  const retell: ChainSource["republish"] | undefined = chain?.republish;
  const feed = yield* openFeed({
    ...{ log, chainId, leaseMs, silenceMs, holder: randomUUID() },
    ...(lead !== "never" && {
      own: {
        isStandby: lead === "standby",
        open: Effect.succeed({
          source: market,
          ...(retell !== undefined && {
            retell: ({ fromBlock, toBlock }) => retell(fromBlock, toBlock),
          }),
        }),
      },
    }),
    attachment: Effect.suspend(() => attachment),
  });
  yield* Effect.forkScoped(logRoles(feed, id));
  return {
    ...feed,
    attach: (made) => {
      attachment = made;
    },
  };
});

/** The chain's follower, with the market of the feed. */
export function fedChain(chain: ChainSource, { source, emittedCount }: MarketFeed): ChainSource {
  return {
    ...chain,
    ...source,
    published: () => ({ messageCount: emittedCount(), ranges: [] }),
    confirmedTo: () => undefined,
    archiveConfirmedTo: () => undefined,
    archiveProgress: () => undefined,
  };
}

const EVERY_MS = 500;

const logRoles = Effect.fnUntraced(function* ({ status }: MarketFeed, network: string) {
  let former = status();
  for (;;) {
    const now = status();
    if (now.role !== former.role && now.role !== "starting") {
      yield* Effect.annotateLogs(Effect.logInfo(`${now.role} of the feed`), {
        ...{ network, epoch: now.position.epoch, sequence: now.position.sequence },
        atMs: yield* Clock.currentTimeMillis,
      });
    }
    if (now.problem !== undefined && former.problem === undefined) {
      yield* Effect.annotateLogs(Effect.logWarning("the feed's log does not answer"), {
        ...{ network, detail: now.problem },
      });
    }
    former = now;
    yield* Effect.sleep(EVERY_MS);
  }
});
