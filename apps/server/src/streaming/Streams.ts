import { encodeMessage } from "@millrace/api";
import type { UpgradeRequest, WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import { Context, Effect, Layer } from "effect";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { Networks } from "../networks/Networks.ts";
import { type Answer, problemAnswer } from "../routes/Answer.ts";
import { Feed } from "./Feed.ts";
import { Session } from "./Session.ts";
import { sentAtNow } from "./sentAtNow.ts";
import type { Refusal } from "./Topic.ts";

/** How often it is looked whose heartbeat is due. */
const TICK_MS = 1_000;

/** The WebSocket of the service: sessions, and the feeds that they subscribe to. */
export class Streams extends Context.Service<
  Streams,
  {
    /** A refusal, where an address has as many connections as it may. */
    readonly admit: (request: UpgradeRequest) => Answer | undefined;
    readonly open: (connection: WebSocketConnection, request: UpgradeRequest) => WebSocketHandler;
    /** What there is, for metrics. */
    readonly counts: () => StreamCounts;
  }
>()("@millrace/server/Streams") {
  static readonly layer = (config: ServerConfig): Layer.Layer<Streams, never, Networks> =>
    Layer.effect(Streams, make(config));
}

export interface StreamCounts {
  readonly connections: number;
  readonly subscriptions: number;
  readonly distinctQuotes: number;
}

const make = Effect.fnUntraced(function* ({ streams: rules }: ServerConfig) {
  const networks = yield* Networks;
  const context = yield* Effect.context<never>();
  const sessions = new Map<Session, { readonly address: string; nextBeatMs: number }>();
  const connectionsOf = new Map<string, number>();
  const feeds = new Map<string, Feed>();
  const report = (cause: unknown): void => {
    Effect.runForkWith(context)(Effect.logError("A stream failed", cause));
  };
  const ticking = setInterval(beat, TICK_MS);
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      clearInterval(ticking);
      for (const feed of feeds.values()) feed.close();
    }),
  );

  function feedOf(networkId: string): Feed | Refusal {
    const network = networks.byId(networkId);
    if (network === undefined) {
      return { code: "UNKNOWN_NETWORK", detail: "The service has no such network" };
    }
    const obstacle = network.obstacle(Date.now());
    const { market } = network;
    if (market === undefined || obstacle !== undefined) {
      const detail = `${network.config.id} is not ready: ${obstacle ?? "starting"}`;
      return { code: "NOT_READY", detail };
    }
    let feed = feeds.get(networkId);
    if (feed === undefined) {
      feed = new Feed(network, market, report);
      feeds.set(networkId, feed);
    }
    return feed;
  }

  function count(address: string, change: number): void {
    const connections = (connectionsOf.get(address) ?? 0) + change;
    if (connections === 0) connectionsOf.delete(address);
    else connectionsOf.set(address, connections);
  }

  function beat(): void {
    const nowMs = performance.now();
    let text: string | undefined;
    for (const [session, state] of sessions) {
      if (state.nextBeatMs > nowMs) continue;
      state.nextBeatMs = nowMs + rules.heartbeatMs;
      text ??= heartbeat();
      session.tell(text);
    }
  }

  function heartbeat(): string {
    const heads = networks.all.flatMap(({ config, market }) => {
      if (market === undefined) return [];
      const { number, hash, timestampMs } = market.engine.graph.stamp;
      const stamp = { blockNumber: String(number), blockHash: hash, timestamp: timestampMs };
      return [{ network: config.id, ...stamp }];
    });
    return encodeMessage({ op: "heartbeat", networks: heads, sentAt: sentAtNow() });
  }

  return Streams.of({
    admit: ({ peerAddress }) => {
      if ((connectionsOf.get(peerAddress) ?? 0) < rules.connectionsPerAddress) return undefined;
      const detail = `At most ${rules.connectionsPerAddress} connections an address`;
      return { ...problemAnswer("RATE_LIMITED", detail), headers: [["retry-after", "10"]] };
    },
    open: (connection, { peerAddress }) => {
      const session = new Session(connection, {
        ...{ rules, feedOf },
        affords: () => true,
        nowMs: () => performance.now(),
        closed: (gone) => {
          sessions.delete(gone);
          count(peerAddress, -1);
        },
      });
      count(peerAddress, 1);
      sessions.set(session, {
        address: peerAddress,
        nextBeatMs: performance.now() + rules.heartbeatMs,
      });
      const { connectionsPerAddress: _, ...limits } = rules;
      connection.send(
        encodeMessage({
          ...{ op: "hello", limits, sentAt: sentAtNow() },
          networks: networks.all.map(({ config }) => config.id),
        }),
      );
      return session;
    },
    counts: () => ({
      connections: sessions.size,
      subscriptions: [...sessions.keys()].reduce((sum, one) => sum + one.subscriptionCount, 0),
      distinctQuotes: [...feeds.values()].reduce((sum, feed) => sum + feed.quotes.size, 0),
    }),
  });
});
