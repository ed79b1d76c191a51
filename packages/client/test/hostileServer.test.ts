import { law } from "@millrace/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collect, connectClient, fakeTime, price, settled } from "./fakeServer.ts";

beforeEach(() => fakeTime());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const stamp = { blockNumber: "7", blockHash: "0x", timestamp: 5, sentAt: 9 };

/** A client that reads a price and blocks, and the first of whose subscriptions stands. */
function connected() {
  const opened = connectClient();
  const states: Array<string | undefined> = [];
  opened.client.onState((_, reason) => states.push(reason));
  const prices = collect(opened.client.price("ETH", "0x01"));
  const blocks = collect(opened.client.blocks("ETH"));
  const socket = opened.socket();
  socket.hello();
  socket.accept(socket.sent[0]!, "s1");
  socket.snapshot("s1", price(1));
  return { ...opened, socket, states, prices, blocks };
}

describe("a hostile server", () => {
  it.each([
    ["text that is not JSON", "{"],
    ["nothing", ""],
    ["no object", "7"],
    ["null", "null"],
    ["no operation", "{}"],
    ["an array", "[]"],
    ["an answer without its id", '{"op":"subscribed","subscription":"s1","channel":"price"}'],
    [
      "an update without a sequence",
      JSON.stringify({ op: "update", subscription: "s1", ...stamp }),
    ],
    [
      "a sequence that is no number",
      JSON.stringify({ op: "update", subscription: "s1", seq: "1", ...stamp }),
    ],
    ["a problem of no code", '{"op":"error","id":1,"code":"NOPE","detail":""}'],
    ["a hello without limits", '{"op":"hello","networks":[],"sentAt":1}'],
    ["a text without end", `"${"x".repeat(4 * 1_048_576)}"`],
    ["brackets without end", "[".repeat(4 * 1_048_576)],
  ])("that sends %s loses the connection, and no more", async (_, text) => {
    const { client, socket, states } = connected();
    expect(() => socket.say(text)).not.toThrow();
    expect(client.state).toBe("lost");
    expect(socket.isClosed).toBe(true);
    expect(states.at(-1)).toBeTypeOf("string");
    await vi.advanceTimersByTimeAsync(250);
    expect(client.state).toBe("connecting");
    client.close();
  });

  it("that sends bytes loses the connection as well", () => {
    const { client, socket } = connected();
    socket.onmessage!({ data: new ArrayBuffer(4) });
    expect(client.state).toBe("lost");
    client.close();
  });

  it("may say what this version does not know yet", async () => {
    const { client, socket, prices } = connected();
    socket.say({ op: "motd", text: "hello", nested: { deep: [1] } });
    socket.say({ op: "__proto__" });
    socket.say({ op: "constructor" });
    socket.update("s1", 1, price(2));
    await settled();
    expect(client.state).toBe("open");
    expect(prices.items.at(-1)?.data.price).toBe(2);
    client.close();
  });

  it("gets nowhere by names and ids that nobody gave, or twice", async () => {
    const { client, socket, prices, blocks } = connected();
    socket.update("s9", 1, price(9));
    socket.accept({ op: "subscribe", id: 99, channel: "price" }, "s9");
    socket.accept(socket.sent[0]!, "s1");
    socket.refuse({ id: 99 }, "INTERNAL");
    socket.refuse({ id: Number.MAX_SAFE_INTEGER }, "INTERNAL");
    socket.say({ op: "unsubscribed", id: 98, subscription: "s1" });
    socket.say({ op: "pong", sentAt: 1 });
    socket.hello({ subscriptionsMax: 0 });
    await settled();
    expect(client.state).toBe("open");
    expect(prices).toMatchObject({ isDone: false, items: [{ data: { price: 1 } }] });
    expect(blocks.isDone).toBe(false);
    expect(socket.sent).toHaveLength(2);
    client.close();
  });

  it("cannot set limits that stop the client, or let it run away", async () => {
    for (const limit of [0, -1, 1e300, -1e300, 0.5]) {
      const { client, socket } = connectClient();
      for (let index = 0; index < 30; index++) collect(client.price("ETH", `0x${index}`));
      const limits = { operationsPerSecond: limit, heartbeatMs: limit, subscriptionsMax: 1e300 };
      socket().hello(limits);
      expect(socket().sent.length).toBeGreaterThanOrEqual(1);
      expect(socket().sent.length).toBeLessThanOrEqual(16);
      client.close();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("that cuts every connection after its hello is asked ever more seldom", async () => {
    const { client, sockets } = connectClient();
    collect(client.blocks("ETH"));
    for (let second = 0; second < 300; second++) {
      const socket = sockets.at(-1)!;
      if (!socket.isClosed) {
        socket.hello();
        socket.say("garbage");
      }
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(sockets.length).toBeLessThan(40);
    client.close();
  });

  it("never makes the client throw, whatever it sends in whatever order", () => {
    const text = fc.constantFrom(
      "s1",
      "s2",
      "",
      "price",
      "__proto__",
      "7",
      "NOT_READY",
      "INTERNAL",
    );
    const value = fc.oneof(
      text,
      fc.integer({ min: -2, max: 4 }),
      fc.constantFrom(null, true, false, 0.5, 1e300),
      fc.constant(price(1)),
      fc.array(fc.constant(price(1)), { maxLength: 2 }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const op = fc.constantFrom(
      ...["hello", "subscribed", "snapshot", "update", "unsubscribed", "subscriptions", "pong"],
      ...["heartbeat", "closing", "error", "other"],
    );
    // Mostly sound, with some fields exchanged: what is wrong early hides what is wrong late.
    const message = fc
      .tuple(op, fc.dictionary(fc.constantFrom("id", "subscription", "seq", "data", "code"), value))
      .map(([name, fields]) => ({
        ...{ op: name, id: 1, subscription: "s1", channel: "price", seq: 0, ...stamp },
        ...{ data: price(1), code: "NOT_READY", detail: "", reason: "", retryAfterMs: 1 },
        ...{ networks: [], subscriptions: [] },
        limits: { subscriptionsMax: 9, operationsPerSecond: 9, heartbeatMs: 9_000 },
        ...fields,
      }));
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), (messages) => {
        const { client, socket } = connected();
        for (const one of messages) socket.say(one);
        vi.advanceTimersByTime(2_000);
        expect(["open", "lost", "connecting", "idle"]).toContain(client.state);
        client.close();
        expect(vi.getTimerCount()).toBe(0);
      }),
      law("client: a hostile server", 60).options,
    );
  });
});
