import { ServerMessage } from "@millrace/api";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { CONGESTED, NumberFeed, openSession, pool, RULES, subscribe } from "./numberFeed.ts";

describe("a session", () => {
  it("lists its subscriptions, with what was asked", () => {
    const { send, take } = openSession(new NumberFeed());
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
    const { send, take, reader } = openSession(new NumberFeed());
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
    // One valid operation resets the count of bad ones.
    send({ op: "ping" });
    for (let count = 0; count < 31; count++) send("x");
    expect(reader.closing).toBe(undefined);
    send("x");
    expect(reader.closing?.[0]).toBe(1008);
  });

  it("takes so many operations a second, and says so of the others", () => {
    const { send, take, pass } = openSession(new NumberFeed(), { operationsPerSecond: 5 });
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
    const { send, take, reader, session, metrics } = openSession(feed);
    send(subscribe(1));
    send(subscribe(2));
    expect(metrics).toMatchObject({ messages: 4, sparedUpdates: 0, subscriptionCount: 2 });
    reader.buffered = CONGESTED;
    for (let value = 1; value <= 5; value++) feed.block([[pool(1), value]], false);
    feed.block([[pool(2), 1]], false);
    expect(metrics.readersBehind).toBe(1);
    take();
    reader.buffered = 0;
    session.drained();
    expect(take().map(({ seq, data }) => [seq, data])).toEqual([
      [5, 5],
      [1, 1],
    ]);
    expect(metrics).toMatchObject({
      messages: 6,
      sparedUpdates: 4,
      slowReaders: 0,
      readersBehind: 0,
    });
    reader.buffered = RULES.bufferedBytesMax + 1;
    send({ op: "list", id: 1 });
    expect(reader.closing?.[0]).toBe(1013);
    expect(metrics).toMatchObject({ messages: 6, slowReaders: 1, subscriptionCount: 0 });
    expect(feed.shared.size).toBe(0);
    expect(metrics.lines().join("\n")).toContain("millrace_stream_spared_updates_total 4");
  });

  it("answers INTERNAL where a fault of ours stands in the way, and goes on", () => {
    const feed = new NumberFeed();
    const { send, take, failures, reader } = openSession({
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
    const { send, take } = openSession(new NumberFeed());
    send({ ...subscribe(1), network: "M" });
    expect(take()).toEqual([{ op: "error", id: 1, code: "UNKNOWN_NETWORK", detail: "none" }]);
  });
});
