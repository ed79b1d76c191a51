import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import type { WebSocketConnection, WebSocketHandler } from "../../src/index.ts";
import { sendRaw, until } from "../rawClient.ts";
import { startEcho } from "./echoServer.ts";
import { frame, OPCODES, openFrames, upgradeText } from "./frameClient.ts";

const QUIET: WebSocketHandler = {
  message: () => {},
  drained: () => {},
  closed: () => {},
  closing: () => {},
};

const fail = (): never => {
  throw new Error("a handler that fails");
};

/** Whether the server still takes connections, and closes them well. */
const assertAlive = (port: number) =>
  Effect.gen(function* () {
    const client = yield* Effect.promise(() => openFrames(port));
    client.send(frame(OPCODES.close, ""));
    yield* Effect.promise(() => client.closed);
  });

describe("a handler", () => {
  it.live("that fails to admit gives 500, and the server goes on", () =>
    Effect.gen(function* () {
      let asked = 0;
      const { port, events } = yield* startEcho({
        admit: () => (asked++ === 0 ? fail() : undefined),
      });
      const answer = yield* sendRaw(port, upgradeText());
      assert.deepStrictEqual(answer.statuses, [500]);
      assert.include(answer.text, `"code":"INTERNAL"`);
      assert.deepStrictEqual(events, []);
      yield* assertAlive(port);
    }),
  );

  it.live("that fails when its reader has caught up closes with 1011", () =>
    Effect.gen(function* () {
      let first: WebSocketConnection | undefined;
      const { port } = yield* startEcho({
        open: (connection) => {
          if (first !== undefined) return QUIET;
          first = connection;
          return { ...QUIET, drained: fail };
        },
      });
      const client = yield* Effect.promise(() => openFrames(port));
      yield* until(() => first !== undefined);
      client.socket.pause();
      while (first!.bufferedBytes() === 0) first!.send("x".repeat(10_000));
      client.socket.resume();
      yield* Effect.promise(() => client.closed);
      assert.strictEqual(client.closing()?.code, 1011);
      yield* assertAlive(port);
    }),
  );

  it.live("that fails when its connection is gone harms nobody, and is called once", () =>
    Effect.gen(function* () {
      let closed = 0;
      const { port } = yield* startEcho({
        open: () => ({
          ...QUIET,
          closed: () => {
            closed++;
            fail();
          },
        }),
      });
      for (const end of ["by frame", "by reset"]) {
        const client = yield* Effect.promise(() => openFrames(port));
        if (end === "by frame") client.send(frame(OPCODES.close, ""));
        else client.socket.resetAndDestroy();
        yield* Effect.promise(() => client.closed);
      }
      yield* until(() => closed === 2);
      yield* assertAlive(port);
      assert.strictEqual(closed, 3);
    }),
  );

  it.live("may close while it opens, and is told so after it has opened", () =>
    Effect.gen(function* () {
      const events: string[] = [];
      const { port } = yield* startEcho({
        open: (connection) => {
          connection.send("hello");
          connection.close(4001, "not you");
          connection.send("to nobody");
          events.push(`open ${connection.isOpen()}`);
          return {
            ...QUIET,
            closed: () => {
              events.push("closed");
              connection.send("to nobody");
              connection.together(() => connection.send("to nobody"));
              connection.close(1000, "");
            },
          };
        },
      });
      const client = yield* Effect.promise(() => openFrames(port));
      yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(client.texts(), ["hello"]);
      assert.deepStrictEqual(client.closing(), { code: 4001, reason: "not you" });
      assert.deepStrictEqual(events, ["open false", "closed"]);
    }),
  );

  it.live("may close among what is sent together, where the rest is spared", () =>
    Effect.gen(function* () {
      const { port } = yield* startEcho({
        open: (connection) => ({
          ...QUIET,
          message: () =>
            connection.together(() => {
              connection.send("a");
              connection.close(1000, "enough");
              connection.send("b");
              fail();
            }),
        }),
      });
      const client = yield* Effect.promise(() => openFrames(port));
      client.send(frame(OPCODES.text, "x"), frame(OPCODES.text, "behind"));
      yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(client.texts(), ["a"]);
      assert.deepStrictEqual(client.closing(), { code: 1000, reason: "enough" });
      yield* assertAlive(port);
    }),
  );

  it.live("may send to others within its own callbacks, together too", () =>
    Effect.gen(function* () {
      const connections: WebSocketConnection[] = [];
      const { port } = yield* startEcho({
        open: (connection) => {
          connections.push(connection);
          const tell = (text: string) =>
            connection.together(() => {
              for (const other of connections) other.together(() => other.send(text));
            });
          return { ...QUIET, message: tell, closed: () => tell("gone") };
        },
      });
      const clients = yield* Effect.promise(() =>
        Promise.all([openFrames(port), openFrames(port), openFrames(port)]),
      );
      yield* until(() => connections.length === 3);
      clients[0]!.send(frame(OPCODES.text, "a"), frame(OPCODES.text, "b"));
      yield* until(() => clients.every((client) => client.texts().length === 2));
      clients[0]!.socket.destroy();
      yield* until(() => clients.slice(1).every((client) => client.texts().length === 3));
      assert.deepStrictEqual(clients[1]!.texts(), ["a", "b", "gone"]);
      for (const client of clients) client.socket.destroy();
    }),
  );
});

describe("the shutdown", () => {
  it.live("finishes whatever its handlers do, and whoever does not read", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const events: string[] = [];
      const started = startEcho({
        open: (connection, { query }) => {
          events.push("open");
          if (query === "deaf") {
            while (connection.bufferedBytes() === 0) connection.send("x".repeat(10_000));
          }
          return {
            ...QUIET,
            closing: () => {
              if (query === "fails") fail();
              if (query === "closes") connection.close(4002, "bye");
              connection.send("farewell");
            },
            closed: () => events.push("closed"),
          };
        },
      });
      const { port } = yield* Scope.provide(started, scope);
      const open = (query: string) => Effect.promise(() => openFrames(port, {}, `/ws?${query}`));
      const [fails, closes, other] = [yield* open("fails"), yield* open("closes"), yield* open("")];
      const deaf = yield* open("deaf");
      deaf.socket.pause();
      yield* until(() => events.length === 4);
      yield* Scope.close(scope, Exit.void);
      for (const client of [fails, closes, other]) yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(
        [fails, closes, other].map((client) => [client.texts(), client.closing()?.code]),
        [
          [[], 1011],
          [[], 4002],
          [["farewell"], 1012],
        ],
      );
      assert.strictEqual(events.filter((event) => event === "closed").length, 4);
      deaf.socket.destroy();
    }),
  );
});
