import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StreamRefused } from "../src/index.ts";
import { answersAll, collect, connectClient, fakeTime, price, settled } from "./fakeServer.ts";

beforeEach(() => {
  fakeTime();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const count = (sent: ReadonlyArray<{ readonly op: string }>, op: string) =>
  sent.filter((operation) => operation.op === op).length;

describe("subscriptions", () => {
  it("connect with the first reading, and are asked for after the hello", async () => {
    const { client, sockets, socket } = connectClient();
    const unread = client.price("ETH", "0x01");
    unread[Symbol.asyncIterator]();
    expect(sockets).toHaveLength(0);
    collect(unread);
    expect(socket().url).toBe("ws://service.test/ws");
    expect(client.state).toBe("connecting");
    expect(socket().sent).toEqual([]);
    socket().hello();
    expect(client.state).toBe("open");
    expect(socket().sent).toEqual([
      { op: "subscribe", id: 1, channel: "price", network: "ETH", token: "0x01" },
    ]);
    client.close();
  });

  it("are asked for as each channel has it", () => {
    const { client, socket } = connectClient();
    const request = { tokenA: "0x01", tokenB: "0x02" };
    collect(client.prices("ETH", ["0x01", "0x02"]));
    collect(client.quotes("ETH", { ...request, amountIn: "5" }, 2));
    collect(client.ladder("ETH", request, ["5", "6"]));
    collect(client.pool("ETH", "0x03"));
    collect(client.blocks("ETH"));
    collect(client.trades("ETH", { pool: "0x03" }));
    collect(client.trades("ETH", { token: "0x01" }));
    collect(client.candles("ETH", { token: "0x01" }));
    collect(client.candles("ETH", { pool: "0x03" }, "5m"));
    collect(client.networkState("ETH"));
    socket().hello();
    expect(socket().sent.map(({ op: _, id: __, ...rest }) => rest)).toEqual([
      { channel: "price", network: "ETH", tokens: ["0x01", "0x02"] },
      { channel: "quote", network: "ETH", ...request, amountIn: "5", minChangeBps: 2 },
      { channel: "quote", network: "ETH", ...request, amounts: ["5", "6"], minChangeBps: 0 },
      { channel: "pool", network: "ETH", pool: "0x03" },
      { channel: "block", network: "ETH" },
      { channel: "trades", network: "ETH", pool: "0x03" },
      { channel: "trades", network: "ETH", token: "0x01" },
      { channel: "candles", network: "ETH", token: "0x01", interval: "1h" },
      { channel: "candles", network: "ETH", pool: "0x03", interval: "5m" },
      { channel: "networks", network: "ETH" },
    ]);
    client.close();
  });

  it("that are given up before the acknowledgement are ended when it comes", async () => {
    const { client, socket } = connectClient();
    const reading = client.price("ETH", "0x01")[Symbol.asyncIterator]();
    const next = reading.next();
    socket().hello();
    await reading.return!();
    expect(await next).toEqual({ done: true, value: undefined });
    const [asked] = socket().sent;
    socket().accept(asked!, "s1");
    socket().snapshot("s1", price(1));
    expect(socket().sent.at(-1)).toMatchObject({ op: "unsubscribe", subscription: "s1" });
    client.close();
  });

  it("that are given up before they were asked for never are", async () => {
    const { client, socket } = connectClient();
    const reading = client.price("ETH", "0x01")[Symbol.asyncIterator]();
    void reading.next();
    collect(client.price("ETH", "0x02"));
    await reading.return!();
    socket().hello();
    expect(socket().sent).toMatchObject([{ op: "subscribe", token: "0x02" }]);
    client.close();
  });

  it("end with the loop that reads them", async () => {
    const { client, socket } = connectClient();
    collect(client.blocks("ETH"));
    const loop = (async () => {
      for await (const { data } of client.price("ETH", "0x01")) return data.price;
      return undefined;
    })();
    const held = answersAll(socket());
    socket().hello();
    socket().snapshot("s2", price(3));
    expect(await loop).toBe(3);
    expect([...held.keys()]).toEqual(["s1"]);
    client.close();
  });

  it("come and go at any pace without anything being kept, and within the server's pace", async () => {
    const { client, socket } = connectClient();
    collect(client.blocks("ETH"));
    const held = answersAll(socket());
    socket().hello();
    for (let round = 0; round < 500; round++) {
      const reading = client.price("ETH", "0x01")[Symbol.asyncIterator]();
      void reading.next();
      void reading.return!();
      if (round % 50 === 0) await vi.advanceTimersByTimeAsync(100);
    }
    const { length: first } = socket().sent;
    await vi.advanceTimersByTimeAsync(60_000);
    for (const second of [0, 1]) expect(first + second).toBeLessThanOrEqual(20 + 20);
    expect(socket().sent.length).toBeLessThanOrEqual(first + 2);
    expect([...held.values()]).toMatchObject([{ channel: "block" }]);
    client.close();
  });

  it("go out no faster than the server takes them, and all of them in the end", async () => {
    const { client, socket } = connectClient();
    for (let index = 0; index < 90; index++) collect(client.price("ETH", `0x${index}`));
    const held = answersAll(socket());
    socket().hello();
    expect(socket().sent).toHaveLength(20);
    for (let second = 1; second <= 4; second++) {
      const before = socket().sent.length;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(socket().sent.length - before).toBeLessThanOrEqual(20);
    }
    expect(held.size).toBe(90);
    client.close();
  });

  it("wait for answers: no more than 16 operations are under way at once", () => {
    const { client, socket } = connectClient();
    for (let index = 0; index < 30; index++) collect(client.price("ETH", `0x${index}`));
    socket().hello();
    expect(socket().sent).toHaveLength(16);
    socket().accept(socket().sent[0]!, "s1");
    expect(socket().sent).toHaveLength(17);
    client.close();
  });

  it("are waited for as long as the server answers anything", async () => {
    const { client, socket } = connectClient();
    for (let index = 0; index < 4; index++) collect(client.price("ETH", `0x${index}`));
    socket().hello();
    for (const [index, operation] of [...socket().sent].entries()) {
      await vi.advanceTimersByTimeAsync(10_000);
      socket().accept(operation, `s${index}`);
    }
    expect(client.state).toBe("open");
    client.close();
  });

  it("beyond what a connection may have are refused, and the others go on", async () => {
    const { client, socket } = connectClient();
    const readings = [0, 1, 2].map((index) => collect(client.price("ETH", `0x${index}`)));
    const held = answersAll(socket());
    socket().hello({ subscriptionsMax: 2 });
    await settled();
    expect(readings.map(({ isDone }) => isDone)).toEqual([false, false, true]);
    expect(readings[2]!.failure).toBeInstanceOf(StreamRefused);
    expect(readings[2]!.failure).toMatchObject({ code: "RATE_LIMITED" });
    expect(socket().sent).toHaveLength(2);
    expect(held.size).toBe(2);
    expect(collect(client.blocks("ETH"))).toMatchObject({ items: [] });
    socket().drop();
    await vi.advanceTimersByTimeAsync(250);
    socket().hello();
    // Who was refused, at once or later, is not asked for again.
    expect(socket().sent).toMatchObject([{ token: "0x0" }, { token: "0x1" }]);
    client.close();
  });

  it("find the place of one that was given up just before", async () => {
    const { client, socket } = connectClient();
    const first = client.price("ETH", "0x01")[Symbol.asyncIterator]();
    void first.next();
    const held = answersAll(socket());
    socket().hello({ subscriptionsMax: 1 });
    expect(held.size).toBe(1);
    // The server takes operations in their order, whenever it answers.
    socket().onSent = () => {};
    await first.return!();
    const second = collect(client.price("ETH", "0x02"));
    await settled();
    expect(second.failure).toBeUndefined();
    expect(socket().sent.slice(1)).toMatchObject([{ op: "unsubscribe" }, { token: "0x02" }]);
    client.close();
  });

  it("that are refused end with the code and the issues; the connection stays", async () => {
    const { client, socket } = connectClient();
    const issue = { code: "not_found", path: ["token"], message: "none" };
    const reading = collect(client.price("ETH", "0x01"));
    const other = collect(client.blocks("ETH"));
    socket().hello();
    const { id } = socket().sent[0]!;
    socket().say({ op: "error", id, code: "UNKNOWN_TOKEN", detail: "no token", issues: [issue] });
    await settled();
    expect(reading.failure).toBeInstanceOf(StreamRefused);
    expect(reading.failure).toMatchObject({
      ...{ code: "UNKNOWN_TOKEN", message: "UNKNOWN_TOKEN: no token", issues: [issue] },
    });
    expect(other.isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(count(socket().sent, "subscribe")).toBe(2);
    client.close();
  });

  it("that have to come later are asked for again, one at a time and ever more seldom", async () => {
    const { client, socket } = connectClient();
    for (let index = 0; index < 40; index++) collect(client.price("ETH", `0x${index}`));
    let isReady = false;
    let names = 0;
    socket().onSent = (operation) => {
      if (isReady) socket().accept(operation, `s${++names}`);
      else queueMicrotask(() => socket().refuse(operation, "NOT_READY"));
    };
    socket().hello();
    await vi.advanceTimersByTimeAsync(1);
    expect(socket().sent).toHaveLength(16);
    await vi.advanceTimersByTimeAsync(250);
    expect(socket().sent).toHaveLength(17);
    await vi.advanceTimersByTimeAsync(400);
    expect(socket().sent).toHaveLength(17);
    await vi.advanceTimersByTimeAsync(100);
    expect(socket().sent).toHaveLength(18);
    const beat = setInterval(() => socket().heartbeat(), 15_000);
    await vi.advanceTimersByTimeAsync(60_000);
    // Fewer in a row than a server bears.
    expect(socket().sent.length).toBeLessThan(32);
    const before = socket().sent.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(socket().sent.length - before).toBeLessThanOrEqual(5);
    isReady = true;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(names).toBe(40);
    clearInterval(beat);
    client.close();
  });

  it("are ended in the end, where the server would not take that at first", async () => {
    const { client, socket } = connectClient();
    collect(client.price("ETH", "0x01"));
    const reading = client.price("ETH", "0x02")[Symbol.asyncIterator]();
    void reading.next();
    const held = answersAll(socket());
    socket().hello();
    expect(held.size).toBe(2);
    const answer = socket().onSent;
    socket().onSent = (operation) => {
      socket().refuse(operation, "RATE_LIMITED");
      socket().onSent = answer;
    };
    await reading.return!();
    expect(held.size).toBe(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...held.values()]).toMatchObject([{ token: "0x01" }]);
    client.close();
  });

  it("take a refusal that names no operation for one of the oldest", async () => {
    const { client, socket } = connectClient();
    const readings = [1, 2].map((index) => collect(client.price("ETH", `0x0${index}`)));
    socket().hello();
    const [first, second] = socket().sent;
    socket().say({ op: "error", id: null, code: "RATE_LIMITED", detail: "too fast" });
    socket().accept(second!, "s2");
    await vi.advanceTimersByTimeAsync(1_000);
    const { id: _, ...request } = first!;
    expect(socket().sent.at(-1)).toMatchObject(request);
    expect(socket().sent).toHaveLength(3);
    expect(readings.map(({ isDone }) => isDone)).toEqual([false, false]);
    client.close();
  });
});
