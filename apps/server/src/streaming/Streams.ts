import { encodeMessage, type TopicRequest } from "@millrace/api";
import type { UpgradeRequest, WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import { Context, Effect, Layer } from "effect";
import type { Answer } from "../answers/Answer.ts";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { AnswerTurns } from "../limits/AnswerTurns.ts";
import { costOfTopic } from "../limits/costs.ts";
import { Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import { Networks } from "../networks/Networks.ts";
import { Feed } from "./Feed.ts";
import { Heartbeats } from "./Heartbeats.ts";
import { makeAdmission, sourceOf } from "./makeAdmission.ts";
import { Session } from "./Session.ts";
import { sentAtNow } from "./sentAtNow.ts";
import type { TopicRefusal } from "./Topic.ts";

/** The WebSocket of the service: sessions, and the feeds that they subscribe to. */
export class Streams extends Context.Service<
  Streams,
  {
    /** A refusal, where the address has too many connections, or the client's budget is used up. */
    readonly admit: (request: UpgradeRequest) => Answer | undefined;
    readonly open: (connection: WebSocketConnection, request: UpgradeRequest) => WebSocketHandler;
    readonly counts: () => StreamCounts;
  }
>()("@millrace/server/Streams") {
  static readonly layer = (
    config: ServerConfig,
  ): Layer.Layer<Streams, never, AnswerTurns | Limits | Metrics | Networks> =>
    Layer.effect(Streams, make(config));
}

/** Numbers of open connections, subscriptions and distinct quotes. */
export interface StreamCounts {
  readonly connections: number;
  readonly subscriptions: number;
  readonly distinctQuotes: number;
}

const make = Effect.fnUntraced(function* ({ streams: rules }: ServerConfig) {
  const networks = yield* Networks;
  const limits = yield* Limits;
  const turns = yield* AnswerTurns;
  const { streams: metrics } = yield* Metrics;
  const context = yield* Effect.context<never>();
  const heartbeats = new Heartbeats<Session>(rules.heartbeatMs, (session) =>
    session.send(heartbeat()),
  );
  const connectionsOf = new Map<string, number>();
  const feeds = new Map<string, Feed>();
  const report = (cause: unknown): void => {
    Effect.runForkWith(context)(Effect.logError("A stream failed", cause));
  };
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      heartbeats.stop();
      for (const feed of feeds.values()) feed.close();
    }),
  );

  function feedOf(networkId: string, channel: TopicRequest["channel"]): Feed | TopicRefusal {
    const network = networks.byId(networkId);
    if (network === undefined) {
      return { code: "UNKNOWN_NETWORK", detail: "The service has no such network" };
    }
    const obstacle = network.obstacle(Date.now());
    const { market } = network;
    // Once a network had a block, its state is available whether it can answer or not.
    const isAnswered = obstacle === undefined || channel === "networks";
    if (market === undefined || !isAnswered) {
      const detail = `${network.config.id} is not ready: ${obstacle ?? "starting"}`;
      return { code: "NOT_READY", detail };
    }
    let feed = feeds.get(networkId);
    if (feed === undefined) {
      feed = new Feed(network, market, {
        report,
        hasRequests: () => turns.length > 0,
        pays: limits.pays,
        published: (durationMs) => metrics.published(durationMs),
      });
      feeds.set(networkId, feed);
    }
    return feed;
  }

  function count(address: string, change: number): void {
    const connections = (connectionsOf.get(address) ?? 0) + change;
    if (connections === 0) connectionsOf.delete(address);
    else connectionsOf.set(address, connections);
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
    admit: makeAdmission(limits, rules, (address) => connectionsOf.get(address) ?? 0),
    open: (connection, request) => {
      const source = sourceOf(request);
      const client = limits.identify(source);
      const { address } = client;
      const session = new Session(connection, {
        rules,
        client: client.name,
        feedOf,
        affords: (topic) => limits.charge(client, costOfTopic(topic)).refusal === undefined,
        nowMs: () => performance.now(),
        metrics,
        report,
        closed: (gone) => {
          heartbeats.delete(gone);
          count(address, -1);
          metrics.connections--;
        },
      });
      count(address, 1);
      metrics.connections++;
      heartbeats.add(session);
      const { connectionsPerAddress: _, ...announced } = rules;
      session.send(
        encodeMessage({
          op: "hello",
          limits: announced,
          sentAt: sentAtNow(),
          networks: networks.all.map(({ config }) => config.id),
        }),
      );
      return session;
    },
    counts: () => ({
      connections: metrics.connections,
      subscriptions: metrics.subscriptionCount,
      distinctQuotes: [...feeds.values()].reduce((sum, { quotes }) => sum + quotes.size, 0),
    }),
  });
});
