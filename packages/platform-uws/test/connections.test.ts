import { once } from "node:events";
import { connect as connectTo, type Socket } from "node:net";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { Connections } from "../src/Connections.ts";
import { connect, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const MAX = 40;
const OF_PEER_MAX = 10;

const HANDLER = { message: () => {}, drained: () => {}, closed: () => {}, closing: () => {} };

/** A server that counts, and connections to it from addresses of this machine. */
const start = Effect.gen(function* () {
  const counts = { open: 0, all: 0, peer: 0 };
  const { port } = yield* startServer({
    connections: {
      max: MAX,
      ofPeerMax: OF_PEER_MAX,
      onCount: (open) => {
        counts.open = open;
      },
      onRefused: (reason) => {
        counts[reason]++;
      },
    },
    webSocketRoutes: [{ path: "/ws", open: () => HANDLER }],
  });
  const sockets: Socket[] = [];
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy();
    }),
  );
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connectTo({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  };
  return { counts, port, open, sockets };
});

const untilTrue = (predicate: () => boolean) => Effect.runPromise(until(predicate));

/** The status of an answer to who connects from an address; undefined where it gets none. */
async function ask(port: number, localAddress: string): Promise<string | undefined> {
  const socket = connectTo({ port, host: "127.0.0.1", localAddress });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await Promise.race([once(socket, "data"), once(socket, "close")]);
  socket.destroy();
  return Buffer.concat(chunks).toString().split(" ")[1];
}

describe("connections of one peer", () => {
  it.live("are refused above its share, and others are served", () =>
    Effect.gen(function* () {
      const { counts, open, port, sockets } = yield* start;
      yield* Effect.promise(async () => {
        for (let count = 0; count < 3 * OF_PEER_MAX; count++) await open("127.0.0.1");
        await untilTrue(() => counts.open === OF_PEER_MAX);
        assert.strictEqual(await ask(port, "127.0.0.1"), undefined);
        assert.strictEqual(await ask(port, "127.0.0.2"), "200");
        assert.strictEqual(counts.all, 0);
        assert.isAtLeast(counts.peer, 2 * OF_PEER_MAX);
        for (const socket of sockets) socket.destroy();
        await untilTrue(() => counts.open === 0);
        // The system is asked who is there, at the next one that comes.
        const deadlineMs = performance.now() + 20_000;
        while ((await ask(port, "127.0.0.1")) !== "200") {
          assert.isBelow(performance.now(), deadlineMs, "still refused");
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
    }),
  );

  it.live("that come and go are never refused", () =>
    Effect.gen(function* () {
      const { counts, port } = yield* start;
      yield* Effect.promise(async () => {
        // Many more than the system is asked for in that time.
        for (let count = 0; count < 20 * OF_PEER_MAX; count++) {
          assert.strictEqual(await ask(port, "127.0.0.1"), "200");
          await untilTrue(() => counts.open === 0);
        }
        assert.strictEqual(counts.peer, 0);
      });
    }),
  );
});

describe("all connections", () => {
  it.live("are refused above the most, and taken again once some are gone", () =>
    Effect.gen(function* () {
      const { counts, open, port, sockets } = yield* start;
      yield* Effect.promise(async () => {
        for (let count = 0; count < MAX + 5; count++) await open(`127.0.1.${1 + count}`);
        await untilTrue(() => counts.open === MAX && counts.all >= 5);
        assert.strictEqual(counts.all, 5);
        assert.strictEqual(await ask(port, "127.0.0.9"), undefined);
        sockets[0]!.destroy();
        await untilTrue(() => counts.open === MAX - 1);
        assert.strictEqual(await ask(port, "127.0.0.9"), "200");
      });
    }),
  );

  it.live("count WebSockets until they close", () =>
    Effect.gen(function* () {
      const { counts, port } = yield* start;
      yield* Effect.promise(async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
        await new Promise((resolve) => socket.addEventListener("open", resolve));
        assert.strictEqual(counts.open, 1);
        socket.close();
        await untilTrue(() => counts.open === 0);
        const { socket: plain } = connect(port);
        await untilTrue(() => counts.open === 1);
        plain.destroy();
        await untilTrue(() => counts.open === 0);
      });
    }),
  );

  it("are at most three quarters of what the process may have open", () => {
    let refused = 0;
    const connections = new Connections({ onRefused: () => refused++ });
    const { userLimits } = process.report.getReport() as never as {
      userLimits: { open_files: { soft: number } };
    };
    const most = Math.floor(0.75 * userLimits.open_files.soft);
    for (let count = 0; count < most; count++) connections.opened("192.0.2.1");
    assert.strictEqual(refused, 0);
    connections.opened("192.0.2.1");
    assert.strictEqual(refused, 1);
  });
});
