import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import type { WebSocketConnection } from "../../src/index.ts";
import { until } from "../rawClient.ts";
import { startEcho } from "./echoServer.ts";
import { frame, OPCODES, openFrames } from "./frameClient.ts";

/** A server that hands out the connections it has. */
const startOpen = (bufferedBytesMax = 262_144) =>
  Effect.gen(function* () {
    const connections: WebSocketConnection[] = [];
    const events: string[] = [];
    const { port } = yield* startEcho({
      bufferedBytesMax,
      open: (connection) => {
        connections.push(connection);
        return {
          message: () => {},
          drained: () => events.push("drained"),
          closed: () => events.push("closed"),
          closing: () => {},
        };
      },
    });
    return { port, connections, events };
  });

describe("a connection", () => {
  it.live("whose handler fails closes with 1011, and the server goes on", () =>
    Effect.gen(function* () {
      const { port, events } = yield* startEcho();
      const client = yield* Effect.promise(() => openFrames(port));
      client.send(frame(OPCODES.text, "throw"), frame(OPCODES.text, "behind"));
      yield* Effect.promise(() => client.closed);
      assert.strictEqual(client.closing()?.code, 1011);
      assert.deepStrictEqual(events, ["open", "message throw", "closed"]);
      const other = yield* Effect.promise(() => openFrames(port));
      yield* until(() => other.texts().length === 1);
      other.socket.destroy();
    }),
  );

  it.live("tells a slow reader why it is closed, and keeps no more for it than it may", () =>
    Effect.gen(function* () {
      const { port, connections, events } = yield* startOpen(100_000);
      const client = yield* Effect.promise(() => openFrames(port));
      yield* until(() => connections.length === 1);
      const connection = connections[0]!;
      client.socket.pause();
      const text = "x".repeat(10_000);
      let buffered = 0;
      // The kernel's own buffers hold megabytes at most.
      for (let sent = 0; sent < 10_000 && connection.isOpen(); sent++) {
        connection.send(text);
        buffered = Math.max(buffered, connection.bufferedBytes());
      }
      assert.isFalse(connection.isOpen());
      assert.deepStrictEqual(events, ["closed"]);
      assert.isAbove(buffered, 100_000);
      assert.isBelow(buffered, 120_000);
      client.socket.resume();
      yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(client.closing(), { code: 1013, reason: "the reader is too slow" });
    }),
  );

  it.live("that asks for pongs and reads none is closed, and keeps few of them", () =>
    Effect.gen(function* () {
      const { port, connections, events } = yield* startOpen(100_000);
      const client = yield* Effect.promise(() => openFrames(port));
      yield* until(() => connections.length === 1);
      client.socket.pause();
      const pings = Buffer.concat(
        Array.from({ length: 1_000 }, () => frame(OPCODES.ping, "p".repeat(125))),
      );
      let buffered = 0;
      while (!client.socket.destroyed && connections[0]!.isOpen()) {
        client.socket.write(pings);
        yield* Effect.sleep(1);
        buffered = Math.max(buffered, connections[0]!.bufferedBytes());
      }
      assert.deepStrictEqual(events, ["closed"]);
      assert.isBelow(buffered, 4 * 100_000 + 1_000);
      client.socket.destroy();
    }),
  );

  it.live("tells when a reader has caught up", () =>
    Effect.gen(function* () {
      const { port, connections, events } = yield* startOpen();
      const client = yield* Effect.promise(() => openFrames(port));
      yield* until(() => connections.length === 1);
      const connection = connections[0]!;
      client.socket.pause();
      let count = 0;
      while (connection.bufferedBytes() === 0) {
        connection.send(`${count++} ${"x".repeat(10_000)}`);
      }
      assert.deepStrictEqual(events, []);
      client.socket.resume();
      yield* until(() => connection.bufferedBytes() === 0 && events.includes("drained"));
      yield* until(() => client.texts().length === count);
      assert.deepStrictEqual(
        client.texts().map((text) => Number.parseInt(text, 10)),
        Array.from({ length: count }, (_, index) => index),
      );
      client.socket.destroy();
    }),
  );

  it.live("may be used after it is gone, whoever closed it", () =>
    Effect.gen(function* () {
      const { port, connections, events } = yield* startOpen();
      for (const end of ["destroyed", "closed"] as const) {
        const client = yield* Effect.promise(() => openFrames(port));
        yield* until(() => connections.length === 1);
        const connection = connections.pop()!;
        if (end === "destroyed") client.socket.destroy();
        else connection.close(4000, "é".repeat(100));
        yield* until(() => !connection.isOpen());
        connection.send("to nobody");
        connection.together(() => connection.send("to nobody"));
        connection.close(1000, "");
        assert.strictEqual(connection.bufferedBytes(), 0);
        yield* Effect.promise(() => client.closed);
        // The reason is cut to what a close frame can hold, at a character's end.
        if (end === "closed") {
          assert.deepStrictEqual(client.closing(), { code: 4000, reason: "é".repeat(61) });
        }
      }
      assert.deepStrictEqual(events, ["closed", "closed"]);
    }),
  );

  it.live("sends what is written together in one packet", () =>
    Effect.gen(function* () {
      const { port, connections } = yield* startOpen();
      const client = yield* Effect.promise(() => openFrames(port));
      let packets = 0;
      client.socket.on("data", () => packets++);
      yield* until(() => connections.length === 1);
      connections[0]!.together(() => {
        for (let index = 0; index < 50; index++) connections[0]!.send(`${index}`);
      });
      yield* until(() => client.texts().length === 50);
      assert.strictEqual(packets, 1);
      client.socket.destroy();
    }),
  );

  it.live(
    "that gives no sign of life is closed, whatever it is sent",
    () =>
      Effect.gen(function* () {
        const events: string[] = [];
        const { port } = yield* startEcho({
          idleSeconds: 8,
          open: (connection) => {
            events.push("open");
            const telling = setInterval(() => connection.send("news"), 500);
            return {
              message: () => events.push("message"),
              drained: () => {},
              closed: () => {
                clearInterval(telling);
                events.push("closed");
              },
              closing: () => {},
            };
          },
        });
        const client = yield* Effect.promise(() => openFrames(port));
        yield* Effect.promise(() => client.closed);
        assert.deepStrictEqual(events, ["open", "closed"]);
        assert.isAbove(client.texts().length, 5);
        // It was asked before.
        assert.isTrue(client.frames().some(({ opcode }) => opcode === OPCODES.ping));
      }),
    20_000,
  );
});

describe("the shutdown", () => {
  it.live("lets every handler say its last, and closes with 1012", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const { port, events } = yield* Scope.provide(startEcho(), scope);
      const clients = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: 20 }, () => openFrames(port))),
      );
      yield* until(() => events.length === 20);
      yield* Scope.close(scope, Exit.void);
      for (const client of clients) {
        yield* Effect.promise(() => client.closed);
        assert.deepStrictEqual(client.texts(), ["hello", "farewell"]);
        assert.deepStrictEqual(client.closing(), {
          code: 1012,
          reason: "the server is restarting",
        });
      }
      assert.strictEqual(events.filter((event) => event === "closed").length, 20);
    }),
  );
});
