import type { TopicRequest } from "@millrace/api";
import type { WebSocketConnection } from "@millrace/platform-uws";
import { StreamMetrics } from "../../src/metrics/StreamMetrics.ts";
import { EvaluatedTopic } from "../../src/streaming/EvaluatedTopic.ts";
import { Session } from "../../src/streaming/Session.ts";
import { SharedTopics } from "../../src/streaming/SharedTopics.ts";
import type { Flushable, HeadPosition, Publisher, Topic } from "../../src/streaming/Topic.ts";

export const RULES = {
  subscriptionsMax: 4,
  operationsPerSecond: 1_000_000,
  messageBytesMax: 16_384,
  bufferedBytesMax: 262_144,
  connectionsPerAddress: 8,
  heartbeatMs: 15_000,
};
export const CONGESTED = 100_000;

const hash = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;

const positionOf = (number: number, reorganisations: number): HeadPosition => ({
  stamp: { number, hash: hash(number), timestampMs: number },
  reorganisations,
});

/** A network whose pools are numbers that blocks change. */
export class NumberFeed implements Publisher {
  readonly numbers = new Map<string, number>();
  readonly shared = new SharedTopics<NumberTopic>();
  readonly head = { position: positionOf(0, 0) };
  readonly #readers = new Set<Flushable>();

  acquire(request: TopicRequest): Topic {
    const key = request.channel === "pool" ? request.pool : request.channel;
    return this.shared.acquire(key, () => {
      const topic = new NumberTopic(this, key);
      topic.evaluate();
      return topic;
    });
  }

  release(_: TopicRequest["channel"], topic: Topic): void {
    this.shared.release(topic);
  }

  hasNews(reader: Flushable): void {
    this.#readers.add(reader);
  }

  block(changes: ReadonlyArray<readonly [pool: string, value: number]>, isReorganised: boolean) {
    const { stamp, reorganisations } = this.head.position;
    this.head.position = positionOf(stamp.number + 1, reorganisations + (isReorganised ? 1 : 0));
    for (const [pool, value] of changes) this.numbers.set(pool, value);
    for (const topic of this.shared.values()) topic.evaluate();
    for (const reader of this.#readers) reader.flush();
    this.#readers.clear();
  }
}

class NumberTopic extends EvaluatedTopic {
  readonly #feed: NumberFeed;
  readonly #pool: string;
  #value = -1;

  constructor(feed: NumberFeed, pool: string) {
    super(feed.head);
    this.#feed = feed;
    this.#pool = pool;
  }

  dataSince(): string {
    return String(this.#value);
  }

  protected revalue(): boolean {
    const value = this.#feed.numbers.get(this.#pool) ?? 0;
    if (value === this.#value) return false;
    this.#value = value;
    return true;
  }
}

/** A connection whose reader can be stopped. */
class Reader implements WebSocketConnection {
  readonly received: string[] = [];
  buffered = 0;
  closing: readonly [code: number, reason: string] | undefined;
  onClose = (): void => {};
  readonly send = (text: string): void => {
    if (this.buffered > RULES.bufferedBytesMax) this.close(1013, "slow");
    else this.received.push(text);
  };
  readonly together = (write: () => void): void => write();
  readonly bufferedBytes = (): number => this.buffered;
  readonly isOpen = (): boolean => this.closing === undefined;
  readonly close = (code: number, reason: string): void => {
    if (this.closing !== undefined) return;
    this.closing = [code, reason];
    this.onClose();
  };
}

export function openSession(feed: Publisher, rules: Partial<typeof RULES> = {}) {
  const metrics = new StreamMetrics();
  const failures: unknown[] = [];
  const reader = new Reader();
  let nowMs = 0;
  const session = new Session(reader, {
    rules: { ...RULES, ...rules },
    client: "",
    feedOf: (id) => (id === "N" ? feed : { code: "UNKNOWN_NETWORK", detail: "none" }),
    affords: () => true,
    closed: () => {},
    nowMs: () => nowMs,
    metrics,
    report: (cause) => failures.push(cause),
  });
  reader.onClose = () => session.closed();
  const take = () => reader.received.splice(0).map((text) => JSON.parse(text));
  const send = (operation: unknown) =>
    session.message(typeof operation === "string" ? operation : JSON.stringify(operation));
  return { reader, session, metrics, failures, take, send, pass: (ms: number) => (nowMs += ms) };
}

export const pool = (name: number) => `0x${String(name).padStart(40, "0")}`;
export const subscribe = (name: number) => ({
  ...{ op: "subscribe", id: name, channel: "pool", network: "N", pool: pool(name) },
});
