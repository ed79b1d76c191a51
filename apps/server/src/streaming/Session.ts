import {
  decodeOperation,
  encodeMessage,
  type Operation,
  type OperationId,
  type RefusedOperation,
  type TopicRequest,
} from "@millrace/api";
import type { WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import { Result } from "effect";
import { isOverfull, parseJson } from "../answers/parseJson.ts";
import type { ServerConfig } from "../config/ServerConfig.ts";
import type { StreamMetrics } from "../metrics/StreamMetrics.ts";
import { OperationPace } from "./OperationPace.ts";
import { Subscription } from "./Subscription.ts";
import { sentAtNow } from "./sentAtNow.ts";
import type { Publisher, Topic, TopicRefusal } from "./Topic.ts";

/**
 * Beyond so much waiting for its reader, a connection gets no news until later, and then only the
 * newest.
 */
const CONGESTED_BYTES = 65_536;
/** Refused messages in a row after which the connection is closed. */
const REFUSALS_MAX = 32;

/** What a session needs of the service. */
export interface SessionHost {
  readonly rules: ServerConfig["streams"];
  /** The client whose share of the work the session takes. */
  readonly client: string;
  /** The feed of a network that can answer now, or why there is none. */
  readonly feedOf: (
    networkId: string,
    channel: TopicRequest["channel"],
  ) => Publisher | TopicRefusal;
  /** Takes the cost of an operation out of the client's budget; false when it has too little. */
  readonly affords: (request: TopicRequest) => boolean;
  readonly closed: (session: Session) => void;
  readonly nowMs: () => number;
  readonly metrics: StreamMetrics;
  /** Reports a bug of the service. */
  readonly report: (cause: unknown) => void;
}

/** One connection: its operations, its subscriptions, and what is sent. */
export class Session implements WebSocketHandler {
  readonly #connection: WebSocketConnection;
  readonly #host: SessionHost;
  readonly #pace: OperationPace;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #news = new Set<Subscription>();
  #subscriptionCount = 0;
  #refusalsInARow = 0;
  #isGone = false;
  #isBehind = false;

  constructor(connection: WebSocketConnection, host: SessionHost) {
    this.#connection = connection;
    this.#host = host;
    this.#pace = new OperationPace(host.rules.operationsPerSecond, host.nowMs());
  }

  message(text: string): void {
    if (!this.#pace.takes(this.#host.nowMs())) {
      const { operationsPerSecond } = this.#host.rules;
      const detail = `At most ${operationsPerSecond} operations a second`;
      this.#refuse(undefined, { code: "RATE_LIMITED", detail });
      return;
    }
    const json = parseJson(text);
    const operation = json === undefined ? malformed(text) : decodeOperation(json);
    if (Result.isFailure(operation)) {
      const { id, issues } = operation.failure;
      const detail = "The operation is malformed";
      this.#refuse(id, { code: "INVALID_REQUEST", detail, issues });
    } else {
      this.#operate(operation.success);
    }
  }

  drained(): void {
    if (!this.#looksBehind() && this.#news.size > 0) this.flush();
  }

  /** Sends what is new, as far as the reader keeps up. */
  flush(): void {
    if (this.#looksBehind()) return;
    // One message fits into one packet anyway.
    if (this.#news.size === 1) this.#sendAllNews();
    else this.#connection.together(this.#sendAllNews);
  }

  /** Sends a text of the service's own, such as a heartbeat; skips readers that are behind. */
  send(text: string): void {
    if (!this.#looksBehind()) this.#write(text);
  }

  closed(): void {
    this.#isGone = true;
    this.#setBehind(false);
    for (const subscription of this.#subscriptions.values()) this.#close(subscription);
    this.#subscriptions.clear();
    this.#news.clear();
    this.#host.closed(this);
  }

  closing(): void {
    this.#write(farewell());
  }

  #operate(operation: Operation): void {
    switch (operation.op) {
      case "subscribe":
        this.#subscribe(operation.id, operation.topic);
        return;
      case "unsubscribe":
        this.#end(operation.id, operation.subscription);
        return;
      case "list":
        this.#done(encodeMessage({ op: "subscriptions", id: operation.id, ...this.#list() }));
        return;
      case "ping": {
        const { id } = operation;
        this.#done(
          encodeMessage({ op: "pong", ...(id !== undefined && { id }), sentAt: sentAtNow() }),
        );
      }
    }
  }

  #subscribe(id: OperationId, request: TopicRequest): void {
    const { rules, feedOf, affords } = this.#host;
    if (this.#subscriptions.size >= rules.subscriptionsMax) {
      const detail = `At most ${rules.subscriptionsMax} subscriptions a connection`;
      this.#refuse(id, { code: "RATE_LIMITED", detail });
      return;
    }
    const feed = feedOf(request.network, request.channel);
    if ("code" in feed) return this.#refuse(id, feed);
    if (!affords(request)) {
      return this.#refuse(id, {
        code: "RATE_LIMITED",
        detail: "Your budget is used up: ask later",
      });
    }
    const topic = this.#acquire(feed, request);
    if ("code" in topic) return this.#refuse(id, topic);
    const name = `s${++this.#subscriptionCount}`;
    const { client } = this.#host;
    const subscription = new Subscription(name, request, feed, topic, client, this, (changed) =>
      this.#news.add(changed),
    );
    this.#subscriptions.set(name, subscription);
    this.#host.metrics.subscribed(request.channel);
    this.#connection.together(() => {
      this.#done(
        encodeMessage({ op: "subscribed", id, subscription: name, channel: request.channel }),
      );
      if (subscription.hasNews()) this.#sendNews(subscription, sentAtNow());
    });
  }

  /** A bug ends neither the connection nor its other subscriptions. */
  #acquire(feed: Publisher, request: TopicRequest): Topic | TopicRefusal {
    try {
      return feed.acquire(request, this.#host.client);
    } catch (cause) {
      this.#host.report(cause);
      return { code: "INTERNAL", detail: "Something went wrong on our side" };
    }
  }

  #end(id: OperationId, name: string): void {
    const subscription = this.#subscriptions.get(name);
    if (subscription === undefined) {
      const detail = "No such subscription";
      const issue = { code: "not_found", path: ["subscription"], message: detail } as const;
      this.#refuse(id, { code: "INVALID_REQUEST", detail, issues: [issue] });
      return;
    }
    this.#subscriptions.delete(name);
    this.#news.delete(subscription);
    this.#close(subscription);
    this.#done(encodeMessage({ op: "unsubscribed", id, subscription: name }));
  }

  #close(subscription: Subscription): void {
    subscription.close();
    this.#host.metrics.unsubscribed(subscription.request.channel);
  }

  #list() {
    const subscriptions = [...this.#subscriptions.values()].map(({ name, request, seq }) => ({
      subscription: name,
      channel: request.channel,
      network: request.network,
      seq,
      parameters: parametersOf(request),
    }));
    return { subscriptions };
  }

  #looksBehind(): boolean {
    this.#setBehind(!this.#isGone && this.#connection.bufferedBytes() > CONGESTED_BYTES);
    return this.#isBehind;
  }

  #setBehind(isBehind: boolean): void {
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    this.#host.metrics.readersBehind += isBehind ? 1 : -1;
  }

  readonly #sendAllNews = (): void => {
    const sentAt = sentAtNow();
    for (const subscription of this.#news) {
      this.#news.delete(subscription);
      if (subscription.hasNews()) this.#sendNews(subscription, sentAt);
      if (this.#news.size > 0 && this.#looksBehind()) return;
    }
  };

  #sendNews(subscription: Subscription, sentAt: number): void {
    this.#host.metrics.sparedUpdates += subscription.sparedCount;
    this.#write(subscription.next(sentAt));
  }

  #write(text: string): void {
    if (this.#isGone) return;
    const { metrics } = this.#host;
    this.#connection.send(text);
    // `send` closes the connection instead, when too much waits already.
    if (this.#isGone) metrics.slowReaders++;
    else metrics.messages++;
  }

  #done(text: string): void {
    this.#refusalsInARow = 0;
    this.#write(text);
  }

  #refuse(id: OperationId | undefined, refusal: TopicRefusal): void {
    this.#writeError(id, refusal);
    if (++this.#refusalsInARow >= REFUSALS_MAX) {
      this.#connection.close(1008, "too many messages in a row were refused");
    }
  }

  #writeError(id: OperationId | undefined, { code, detail, issues }: TopicRefusal): void {
    this.#write(
      encodeMessage({
        op: "error",
        id: id ?? null,
        code,
        detail,
        ...(issues !== undefined && { issues }),
      }),
    );
  }
}

/** The message to a connection before the server closes it. */
export const farewell = (): string =>
  encodeMessage({ op: "closing", reason: "the server is restarting", retryAfterMs: 1_000 });

function malformed(text: string): Result.Result<Operation, RefusedOperation> {
  const message = isOverfull(text)
    ? "The message holds too many values"
    : "The message is not JSON";
  const issues = [{ code: "invalid_format", format: "json", path: [], message } as const];
  return Result.fail({ id: undefined, issues });
}

/** The parameters of a subscription, defaults included. */
function parametersOf(request: TopicRequest): Readonly<Record<string, unknown>> {
  switch (request.channel) {
    case "price":
      return request.isList ? { tokens: request.tokens } : { token: request.tokens[0] };
    case "quote": {
      const { amountIn, ...rest } = request.request;
      const { amounts, minChangeBps } = request;
      const sizes = amounts === undefined ? { amountIn } : { amounts };
      return { ...rest, ...sizes, minChangeBps };
    }
    case "pool":
      return { pool: request.pool };
    case "trades":
      return request.subject;
    case "candles":
      return { ...request.subject, interval: request.interval };
    case "block":
    case "networks":
      return {};
  }
}
