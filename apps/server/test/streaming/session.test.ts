import { ServerMessage, type TopicRequest } from "@millrace/api";
import type { WebSocketConnection } from "@millrace/platform-uws";
import { Schema } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamMetrics } from "../../src/metrics/StreamMetrics.ts";
import { EvaluatedTopic } from "../../src/streaming/EvaluatedTopic.ts";
import { Session } from "../../src/streaming/Session.ts";
import type { Flushable, Moment, Publisher, Topic } from "../../src/streaming/Topic.ts";
import { TopicBook } from "../../src/streaming/TopicBook.ts";

const RULES = {
  subscriptionsMax: 4,
  operationsPerSecond: 1_000_000,
  messageBytesMax: 16_384,
  bufferedBytesMax: 262_144,
  connectionsPerAddress: 8,
  heartbeatMs: 15_000,
};
const CONGESTED = 100_000;

const hash = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;

const momentOf = (number: number, reorganisations: number): Moment => ({
  stamp: { number, hash: hash(number), timestampMs: number },
  reorganisations,
});

/** A network whose pools are numbers that blocks change. */
class NumberFeed implements Publisher {
  readonly numbers = new Map<string, number>();
  readonly book = new TopicBook<NumberTopic>();
  readonly head = { moment: momentOf(0, 0) };
  readonly #readers = new Set<Flushable>();

  acquire(request: TopicRequest): Topic {
    const key = request.channel === "pool" ? request.pool : request.channel;
    return this.book.acquire(key, () => {
      const topic = new NumberTopic(this, key);
      topic.evaluate();
      return topic;
    });
  }

  release(_: TopicRequest["channel"], topic: Topic): void {
    this.book.release(topic);
  }

  hasNews(reader: Flushable): void {
    this.#readers.add(reader);
  }

  block(changes: ReadonlyArray<readonly [pool: string, value: number]>, isReorganised: boolean) {
    const { stamp, reorganisations } = this.head.moment;
    this.head.moment = momentOf(stamp.number + 1, reorganisations + (isReorganised ? 1 : 0));
    for (const [pool, value] of changes) this.numbers.set(pool, value);
    for (const topic of this.book.values()) topic.evaluate();
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

function open(feed: Publisher, rules: Partial<typeof RULES> = {}) {
  const metrics = new StreamMetrics();
  const failures: unknown[] = [];
  const reader = new Reader();
  let nowMs = 0;
  const session = new Session(reader, {
    rules: { ...RULES, ...rules },
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

const pool = (name: number) => `0x${String(name).padStart(40, "0")}`;
const subscribe = (name: number) => ({
  ...{ op: "subscribe", id: name, channel: "pool", network: "N", pool: pool(name) },
});

/** What may happen, in any order. */
const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("subscribe" as const),
      at: fc.nat(2),
      pool: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("unsubscribe" as const),
      at: fc.nat(2),
      nth: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("stall" as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("drain" as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("disconnect" as const), at: fc.nat(2) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("block" as const),
      changes: fc.array(fc.tuple(fc.nat(3), fc.nat(2)), { maxLength: 3 }),
      isReorganised: fc.boolean(),
    }),
  },
);

/** What a subscription was told, and what of its value has happened since. */
interface Model {
  readonly pool: string;
  readonly first: number;
  changes: number;
  told: number;
  seq: number;
  toldReorganisations: number;
}

describe("the book of subscriptions", () => {
  it("tells every reader each value once, in any order of what may happen", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const feed = new NumberFeed();
        const sessions = [0, 1, 2].map(() => ({
          ...open(feed),
          models: new Map<string, Model>(),
          count: 0,
          gone: false,
        }));
        const valueOf = (key: string) => feed.numbers.get(key) ?? 0;
        for (const step of acts) {
          if (step.act === "block") {
            const changes = step.changes.map(([name, value]) => [pool(name), value] as const);
            const after = new Map([...feed.numbers, ...changes]);
            for (const { models } of sessions) {
              for (const model of models.values()) {
                if (valueOf(model.pool) !== (after.get(model.pool) ?? 0)) model.changes++;
              }
            }
            feed.block(changes, step.isReorganised);
            for (const session of sessions) expectTold(session);
            continue;
          }
          const session = sessions[step.at]!;
          if (session.gone) continue;
          const { send, take, models, reader } = session;
          if (step.act === "subscribe") {
            send(subscribe(step.pool));
            const [answer, snapshot] = take();
            if (models.size >= RULES.subscriptionsMax) {
              expect(answer).toMatchObject({ op: "error", id: step.pool, code: "RATE_LIMITED" });
              continue;
            }
            const name = `s${++session.count}`;
            expect(answer).toEqual({
              op: "subscribed",
              id: step.pool,
              subscription: name,
              channel: "pool",
            });
            const value = valueOf(pool(step.pool));
            expect(snapshot).toMatchObject({
              op: "snapshot",
              subscription: name,
              seq: 0,
              data: value,
            });
            const { reorganisations } = feed.head.moment;
            models.set(name, {
              pool: pool(step.pool),
              first: 0,
              changes: 0,
              told: value,
              seq: 0,
              toldReorganisations: reorganisations,
            });
          } else if (step.act === "unsubscribe") {
            const name = `s${step.nth}`;
            send({ op: "unsubscribe", id: "u", subscription: name });
            const [answer] = take();
            const expected = models.delete(name) ? "unsubscribed" : "error";
            expect(answer).toMatchObject({ op: expected, id: "u" });
          } else if (step.act === "stall") {
            reader.buffered = CONGESTED;
          } else if (step.act === "drain") {
            reader.buffered = 0;
            session.session.drained();
            expectTold(session);
          } else {
            session.gone = true;
            session.session.closed();
            models.clear();
          }
        }
        for (const session of sessions) if (!session.gone) session.session.closed();
        expect(feed.book.size).toBe(0);

        function expectTold({ take, models, reader, gone }: (typeof sessions)[number]): void {
          const messages = take();
          if (gone || reader.buffered > 0) {
            expect(messages).toEqual([]);
            return;
          }
          const bySubscription = new Map(
            messages.map((message) => [message.subscription, message]),
          );
          expect(bySubscription.size).toBe(messages.length);
          for (const [name, model] of models) {
            const message = bySubscription.get(name);
            bySubscription.delete(name);
            if (model.changes === model.seq) {
              expect(message).toBe(undefined);
              continue;
            }
            expect(message).toMatchObject({
              op: "update",
              data: valueOf(model.pool),
              seq: model.changes,
            });
            const { stamp, reorganisations } = feed.head.moment;
            expect(message.blockNumber).toBe(String(stamp.number));
            expect(message.reorg === true).toBe(reorganisations !== model.toldReorganisations);
            model.seq = model.changes;
            model.toldReorganisations = reorganisations;
          }
          expect([...bySubscription.keys()]).toEqual([]);
        }
      }),
      { seed: 7, numRuns: 300 * Number(process.env["MILLRACE_FUZZ"] ?? 1) },
    );
  });
});

describe("a session", () => {
  it("lists its subscriptions, with what was asked", () => {
    const { send, take } = open(new NumberFeed());
    send(subscribe(1));
    take();
    send({ op: "list", id: "l" });
    expect(take()).toEqual([
      {
        op: "subscriptions",
        id: "l",
        subscriptions: [
          {
            subscription: "s1",
            channel: "pool",
            network: "N",
            seq: 0,
            parameters: { pool: pool(1) },
          },
        ],
      },
    ]);
  });

  it("answers what is malformed with an error, and closes when it comes again and again", () => {
    const { send, take, reader } = open(new NumberFeed());
    const texts = ["", "x", "{", "[]", "7", "null", '{"op":1}', "[".repeat(4_000), "{}", '"ping"'];
    for (let count = 0; count < 31; count++) send(texts[count % texts.length]!);
    const answers = take();
    expect(answers.length).toBe(31);
    for (const answer of answers) {
      expect(Schema.decodeUnknownSync(ServerMessage)(answer)).toMatchObject({
        ...{ op: "error", id: null, code: "INVALID_REQUEST" },
      });
    }
    expect(reader.closing).toBe(undefined);
    // One that is well forgives.
    send({ op: "ping" });
    for (let count = 0; count < 31; count++) send("x");
    expect(reader.closing).toBe(undefined);
    send("x");
    expect(reader.closing?.[0]).toBe(1008);
  });

  it("takes so many operations a second, and says so of the others", () => {
    const { send, take, pass } = open(new NumberFeed(), { operationsPerSecond: 5 });
    const ping = () => {
      send({ op: "ping", id: 1 });
      return take()[0];
    };
    for (let count = 0; count < 5; count++) expect(ping().op).toBe("pong");
    expect(ping()).toMatchObject({ op: "error", code: "RATE_LIMITED" });
    pass(200);
    expect(ping().op).toBe("pong");
    expect(ping().op).toBe("error");
    pass(60_000);
    for (let count = 0; count < 5; count++) expect(ping().op).toBe("pong");
    expect(ping().op).toBe("error");
  });

  it("counts its messages, what readers were spared, and those who were too slow", () => {
    const feed = new NumberFeed();
    const { send, take, reader, session, metrics } = open(feed);
    send(subscribe(1));
    send(subscribe(2));
    expect(metrics).toMatchObject({ messages: 4, sparedUpdates: 0, subscriptionCount: 2 });
    reader.buffered = CONGESTED;
    for (let value = 1; value <= 5; value++) feed.block([[pool(1), value]], false);
    feed.block([[pool(2), 1]], false);
    take();
    reader.buffered = 0;
    session.drained();
    expect(take().map(({ seq, data }) => [seq, data])).toEqual([
      [5, 5],
      [1, 1],
    ]);
    expect(metrics).toMatchObject({ messages: 6, sparedUpdates: 4, slowReaders: 0 });
    reader.buffered = RULES.bufferedBytesMax + 1;
    send({ op: "list", id: 1 });
    expect(reader.closing?.[0]).toBe(1013);
    expect(metrics).toMatchObject({ messages: 6, slowReaders: 1, subscriptionCount: 0 });
    expect(feed.book.size).toBe(0);
    expect(metrics.lines().join("\n")).toContain("millrace_stream_spared_updates_total 4");
  });

  it("answers INTERNAL where a fault of ours stands in the way, and goes on", () => {
    const feed = new NumberFeed();
    const { send, take, failures, reader } = open({
      acquire: (request) => {
        if (request.channel === "block") throw new Error("a secret of ours");
        return feed.acquire(request);
      },
      release: (channel, topic) => feed.release(channel, topic),
      hasNews: (other) => feed.hasNews(other),
    });
    send({ op: "subscribe", id: 1, channel: "block", network: "N" });
    const detail = "Something went wrong on our side";
    expect(take()).toEqual([{ op: "error", id: 1, code: "INTERNAL", detail }]);
    expect(failures).toMatchObject([{ message: "a secret of ours" }]);
    send(subscribe(1));
    expect(take().map(({ op }) => op)).toEqual(["subscribed", "snapshot"]);
    expect(reader.closing).toBe(undefined);
  });

  it("says of networks that there are not that there are not", () => {
    const { send, take } = open(new NumberFeed());
    send({ ...subscribe(1), network: "M" });
    expect(take()).toEqual([{ op: "error", id: 1, code: "UNKNOWN_NETWORK", detail: "none" }]);
  });
});
