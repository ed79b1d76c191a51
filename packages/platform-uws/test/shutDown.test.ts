import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { HttpServerResponse } from "effect/http";
import * as Scope from "effect/Scope";
import type { ServerOptions } from "../src/index.ts";
import { connect, requestText, sendRaw, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

/** A server in a scope of its own, whose handler waits to be told to answer. */
const startWaiting = (options: Partial<ServerOptions> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make();
    const started = yield* Deferred.make<void>();
    const goOn = yield* Deferred.make<void>();
    const outcome = yield* Deferred.make<"answered" | "interrupted">();
    const handler = Deferred.succeed(started, undefined).pipe(
      Effect.andThen(Deferred.await(goOn)),
      Effect.as(HttpServerResponse.text("finished")),
      Effect.tap(Deferred.succeed(outcome, "answered")),
      Effect.onInterrupt(() => Deferred.succeed(outcome, "interrupted")),
      // As the routes of an HttpRouter are.
      Effect.interruptible,
    );
    const directRoutes: ServerOptions["directRoutes"] = [
      {
        method: "POST",
        path: "/direct",
        handle: ({ body }) => ({ status: 200, contentType: "text/plain", body }),
      },
    ];
    const server = yield* startServer({ directRoutes, ...options }, handler).pipe(
      Scope.provide(scope),
    );
    return { ...server, scope, started, goOn, outcome };
  });

const request = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

describe("the shutdown", () => {
  it.live("lets requests in flight finish, closes their connections and takes no new ones", () =>
    Effect.gen(function* () {
      const { drain, goOn, port, scope, started } = yield* startWaiting();
      const waiting = connect(port);
      waiting.socket.write(request);
      const halfSent = connect(port);
      halfSent.socket.write("POST /direct HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nha");
      yield* Deferred.await(started);
      while ((yield* drain.inFlight) < 2) yield* Effect.sleep(5);
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void));
      yield* drain.begun;
      yield* Effect.sleep(20);
      assert.strictEqual((yield* sendRaw(port, request)).text, "");
      halfSent.socket.write("lf");
      yield* Deferred.succeed(goOn, undefined);
      yield* Effect.promise(() => waiting.closed);
      yield* Effect.promise(() => halfSent.closed);
      for (const { received } of [waiting, halfSent])
        assert.include(received(), "Connection: close");
      assert.isTrue(waiting.received().endsWith("finished"));
      assert.isTrue(halfSent.received().endsWith("half"));
      yield* Fiber.join(closing);
    }),
  );

  it.live("refuses new requests on connections that were kept alive", () =>
    Effect.gen(function* () {
      const { drain, goOn, port, scope, started } = yield* startWaiting();
      const kept = ["/", "/direct"].map((target) => ({ target, ...connect(port) }));
      for (const { socket } of kept) {
        socket.write("POST /direct HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\nx");
      }
      for (const { received } of kept) yield* until(() => received().endsWith("x"));
      const waiting = connect(port);
      waiting.socket.write(request);
      yield* Deferred.await(started);
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void));
      yield* drain.begun;
      yield* Effect.sleep(20);
      for (const { closed, received, socket, target } of kept) {
        socket.write(`POST ${target} HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\nx`);
        yield* Effect.promise(() => closed);
        assert.include(received(), "503 Service Unavailable");
        assert.include(received(), "Connection: close");
        assert.include(received(), `"code":"NOT_READY"`);
      }
      yield* Deferred.succeed(goOn, undefined);
      yield* Fiber.join(closing);
      yield* Effect.promise(() => waiting.closed);
      assert.isTrue(waiting.received().endsWith("finished"));
    }),
  );

  it.live("closes connections that are kept alive and idle", () =>
    Effect.gen(function* () {
      const { port, scope } = yield* startWaiting();
      const idle = connect(port);
      idle.socket.write("POST /direct HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\nx");
      yield* until(() => idle.received().endsWith("x"));
      yield* Scope.close(scope, Exit.void);
      yield* Effect.promise(() => idle.closed);
    }),
  );

  it.live(
    "cuts what is not finished at the end of the grace period, and interrupts its fiber",
    () =>
      Effect.gen(function* () {
        const { outcome, port, scope, started } = yield* startWaiting({ gracePeriodMs: 30 });
        const waiting = connect(port);
        waiting.socket.write(request);
        yield* Deferred.await(started);
        yield* Scope.close(scope, Exit.void);
        yield* Effect.promise(() => waiting.closed);
        assert.strictEqual(yield* Deferred.await(outcome), "interrupted");
        assert.strictEqual(waiting.received(), "");
      }),
  );

  it.live("is seen by readiness first, while requests are still served", () =>
    Effect.gen(function* () {
      const { drain, port, scope } = yield* startWaiting({ readinessDelayMs: 200 });
      assert.isFalse(yield* drain.isDraining);
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void));
      yield* drain.begun;
      assert.isTrue(drain.isDrainingUnsafe());
      const answer = yield* sendRaw(
        port,
        requestText("POST", "/direct", ["Content-Length: 1"], "x"),
      );
      assert.strictEqual(answer.body, "x");
      yield* Fiber.join(closing);
    }),
  );

  it.live("can be announced long before", () =>
    Effect.gen(function* () {
      const { drain, port } = yield* startServer();
      yield* drain.begin;
      yield* drain.begin;
      assert.isTrue(yield* drain.isDraining);
      assert.strictEqual((yield* sendRaw(port, requestText("GET", "/"))).body, "ok");
    }),
  );
});
