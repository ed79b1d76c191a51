import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConnectionState } from "../src/index.ts";
import { answersAll, collect, connectClient, fakeTime, price, settled } from "./fakeServer.ts";

beforeEach(() => {
  fakeTime();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A client with one reading of a price, which its server has told once. */
function readPrice() {
  const connected = connectClient();
  const states: Array<readonly [ConnectionState, string | undefined]> = [];
  connected.client.onState((state, reason) => states.push([state, reason]));
  const reading = collect(connected.client.price("ETH", "0x01"));
  const begin = () => {
    const socket = connected.socket();
    answersAll(socket);
    socket.hello();
    socket.snapshot("s1", price(1));
    return socket;
  };
  return { ...connected, reading, states, begin };
}

describe("a connection that is lost", () => {
  it("comes back with growing pauses, and subscribes again to what is still wanted", async () => {
    const { client, sockets, begin, states } = readPrice();
    const given = client.price("ETH", "0x02")[Symbol.asyncIterator]();
    void given.next();
    begin();
    expect(sockets[0]!.sent).toHaveLength(2);
    sockets[0]!.drop(1012, "restarting");
    expect(client.state).toBe("lost");
    expect(states.at(-1)).toEqual(["lost", "closed with 1012 restarting"]);
    await given.return!();
    const pauses: number[] = [];
    for (let failure = 1; failure <= 9; failure++) {
      const sinceMs = performance.now();
      await vi.advanceTimersToNextTimerAsync();
      while (sockets.length === failure) await vi.advanceTimersToNextTimerAsync();
      pauses.push(performance.now() - sinceMs);
      if (failure < 9) sockets.at(-1)!.drop();
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    begin();
    expect(sockets.at(-1)!.sent).toMatchObject([{ op: "subscribe", token: "0x01" }]);
    expect(client.state).toBe("open");
    client.close();
  });

  it("begins with short pauses again only after it has held for a while", async () => {
    const { client, sockets, begin } = readPrice();
    const pauseAfterMs = async (heldMs: number) => {
      begin();
      await vi.advanceTimersByTimeAsync(heldMs);
      const { length } = sockets;
      sockets.at(-1)!.drop();
      const sinceMs = performance.now();
      while (sockets.length === length) await vi.advanceTimersToNextTimerAsync();
      return performance.now() - sinceMs;
    };
    expect(await pauseAfterMs(100)).toBe(250);
    expect(await pauseAfterMs(100)).toBe(500);
    expect(await pauseAfterMs(100)).toBe(1_000);
    expect(await pauseAfterMs(11_000)).toBe(250);
    client.close();
  });

  it("waits as long as a server that is closing asks for", async () => {
    const { client, sockets, begin } = readPrice();
    const socket = begin();
    socket.say({ op: "closing", reason: "the server is restarting", retryAfterMs: 5_000 });
    socket.drop(1012);
    await vi.advanceTimersByTimeAsync(5_200);
    expect(sockets).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(sockets).toHaveLength(2);
    // But no longer than the longest pause.
    sockets[1]!.say({ op: "closing", reason: "never come back", retryAfterMs: 1e15 });
    sockets[1]!.drop();
    await vi.advanceTimersByTimeAsync(16_000);
    expect(sockets).toHaveLength(3);
    client.close();
  });

  it("is given up where the server is silent, and not where it only has nothing to tell", async () => {
    const { client, sockets, begin, states } = readPrice();
    const socket = begin();
    for (let beat = 0; beat < 10; beat++) {
      await vi.advanceTimersByTimeAsync(15_000);
      socket.heartbeat();
    }
    expect(client.state).toBe("open");
    await vi.advanceTimersByTimeAsync(37_000);
    expect(client.state).toBe("open");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states.at(-1)).toEqual(["lost", "the server is silent"]);
    expect(socket.isClosed).toBe(true);
    // What the half-open socket still says is nobody's.
    socket.drop();
    socket.say("garbage");
    await vi.advanceTimersByTimeAsync(250);
    expect(sockets).toHaveLength(2);
    client.close();
  });

  it("is not given up for the time in which this process itself was busy", async () => {
    const { client, begin } = readPrice();
    const socket = begin();
    // Timers that are overdue run before what has come in.
    vi.setSystemTime(Date.now() + 600_000);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 600_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(client.state).toBe("open");
    socket.heartbeat();
    client.close();
  });

  it("is given up where the server does not say hello, or does not answer", async () => {
    const { client, sockets, states } = readPrice();
    await vi.advanceTimersByTimeAsync(14_000);
    sockets[0]!.heartbeat();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states.at(-1)).toEqual(["lost", "the server does not say hello"]);
    await vi.advanceTimersByTimeAsync(250);
    sockets[1]!.hello();
    for (let second = 0; second < 15; second++) {
      sockets[1]!.heartbeat();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(states.at(-1)).toEqual(["lost", "the server does not answer"]);
    client.close();
  });

  it("is lost with an error too: not every platform closes a socket whose handshake failed", async () => {
    const { client, sockets, states } = readPrice();
    sockets[0]!.onerror!(Object.assign(new Event("error"), { message: "non-101 status code" }));
    expect(states.at(-1)).toEqual(["lost", "the socket failed non-101 status code"]);
    await vi.advanceTimersByTimeAsync(250);
    sockets[1]!.onerror!(new Event("error"));
    expect(states.at(-1)).toEqual(["lost", "the socket failed"]);
    await vi.advanceTimersByTimeAsync(500);
    expect(sockets).toHaveLength(3);
    client.close();
  });

  it("is tried again where the platform makes no socket", async () => {
    const { client, openSocket, sockets, states } = readPrice();
    openSocket.mockImplementation(() => {
      throw new SyntaxError("not today");
    });
    sockets[0]!.drop();
    await vi.advanceTimersByTimeAsync(250);
    expect(states.at(-1)).toEqual(["lost", "no socket: SyntaxError: not today"]);
    await vi.advanceTimersByTimeAsync(600);
    expect(openSocket.mock.calls.length).toBe(3);
    client.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(openSocket.mock.calls.length).toBe(3);
  });

  it("is told of where already the first socket cannot be made", async () => {
    const { client, reading } = (() => {
      const connected = connectClient({
        openSocket: () => {
          throw new Error("none here");
        },
      });
      return { ...connected, reading: collect(connected.client.blocks("ETH")) };
    })();
    expect(client.state).toBe("lost");
    client.close();
    await settled();
    expect(reading).toMatchObject({ isDone: true, failure: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is lost where the socket does not take what is sent", async () => {
    const { client, socket, states } = readPrice();
    const { send } = socket();
    socket().send = () => {
      throw new Error("InvalidStateError");
    };
    socket().hello();
    expect(states.at(-1)).toEqual(["lost", "cannot send: Error: InvalidStateError"]);
    expect(send).toBeTypeOf("function");
    client.close();
  });

  it("refuses after it came back what is no more, and goes on with the rest", async () => {
    const { client, sockets, begin, reading } = readPrice();
    const blocks = collect(client.blocks("ETH"));
    begin();
    sockets[0]!.drop();
    await vi.advanceTimersByTimeAsync(250);
    sockets[1]!.hello();
    sockets[1]!.refuse(sockets[1]!.sent[0]!, "UNKNOWN_TOKEN");
    sockets[1]!.accept(sockets[1]!.sent[1]!, "s1");
    await settled();
    expect(reading.failure).toMatchObject({ code: "UNKNOWN_TOKEN" });
    expect(blocks.isDone).toBe(false);
    sockets[1]!.drop();
    await vi.advanceTimersByTimeAsync(500);
    sockets[2]!.hello();
    expect(sockets[2]!.sent).toMatchObject([{ channel: "block" }]);
    client.close();
  });
});

describe("a client that is closed", () => {
  it("ends its readings, leaves no timer, and takes nothing any more", async () => {
    const { client, sockets, begin, reading } = readPrice();
    const socket = begin();
    await settled();
    client.close();
    client.close();
    await settled();
    expect(reading).toMatchObject({ isDone: true, failure: undefined });
    expect(reading.items).toHaveLength(1);
    expect(socket.isClosed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(client.state).toBe("closed");
    socket.update("s1", 1, price(2));
    const late = collect(client.price("ETH", "0x02"));
    await settled();
    expect(late).toMatchObject({ isDone: true, failure: undefined, items: [] });
    expect(sockets).toHaveLength(1);
  });

  it("while it connects, waits to connect again, or has operations to send", async () => {
    const connecting = connectClient();
    collect(connecting.client.blocks("ETH"));
    connecting.client.close();
    expect(connecting.socket().isClosed).toBe(true);
    connecting.socket().hello();
    expect(connecting.socket().sent).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);

    const waiting = connectClient();
    collect(waiting.client.blocks("ETH"));
    waiting.socket().drop();
    waiting.client.close();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(waiting.sockets).toHaveLength(1);

    const sending = connectClient();
    for (let index = 0; index < 50; index++) collect(sending.client.price("ETH", `0x${index}`));
    answersAll(sending.socket());
    sending.socket().hello();
    sending.client.close();
    const { length } = sending.socket().sent;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sending.socket().sent).toHaveLength(length);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("by a listener, at any change of the state", async () => {
    for (const moment of ["connecting", "open", "lost"] as const) {
      const { client, sockets } = connectClient();
      client.onState((state) => {
        if (state === moment) client.close();
      });
      collect(client.blocks("ETH"));
      sockets[0]?.hello();
      sockets[0]?.drop();
      await vi.advanceTimersByTimeAsync(20_000);
      expect(client.state).toBe("closed");
      expect(sockets.length).toBe(moment === "connecting" ? 0 : 1);
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});

describe("a connection that nobody needs", () => {
  it("is ended, so that a process may end, and opened again when it is needed", async () => {
    const { client, sockets, socket } = connectClient();
    const reading = client.blocks("ETH")[Symbol.asyncIterator]();
    void reading.next();
    socket().hello();
    await reading.return!();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(client.state).toBe("idle");
    expect(socket().isClosed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    collect(client.blocks("ETH"));
    expect(sockets).toHaveLength(2);
    client.close();
  });

  it("stays where the next reading comes soon", async () => {
    const { client, sockets, socket } = connectClient();
    for (let round = 0; round < 5; round++) {
      const reading = client.blocks("ETH")[Symbol.asyncIterator]();
      void reading.next();
      if (round === 0) socket().hello();
      await reading.return!();
      await vi.advanceTimersByTimeAsync(900);
    }
    expect(sockets).toHaveLength(1);
    client.close();
  });

  it("is not looked for again where everybody has gone while it was lost", async () => {
    const { client, sockets, socket } = connectClient({ reconnectMs: 5_000 });
    const reading = client.blocks("ETH")[Symbol.asyncIterator]();
    void reading.next();
    socket().drop();
    await reading.return!();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(1);
    expect(client.state).toBe("idle");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a listener", () => {
  it("that fails spoils nothing but itself", async () => {
    const { client, socket } = connectClient();
    const told: string[] = [];
    const failures: unknown[] = [];
    const keep = (failure: unknown) => failures.push(failure);
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", keep);
    client.onState(() => {
      throw new Error("mine");
    });
    const forget = client.onState((state) => told.push(state));
    collect(client.blocks("ETH"));
    socket().hello();
    forget();
    client.close();
    await vi.advanceTimersByTimeAsync(10);
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("uncaughtException", keep);
    for (const other of others) process.on("uncaughtException", other);
    expect(told).toEqual(["connecting", "open"]);
    expect(failures).toMatchObject([{ message: "mine" }, { message: "mine" }, { message: "mine" }]);
  });
});
