import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import type { DirectResponse, ServerOptions } from "../src/index.ts";
import { connect, requestText, sendRaw } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const plain = (body: string): DirectResponse => ({ status: 200, contentType: "text/plain", body });

/**
 * A server in a scope of its own, whose direct routes `/later` give the Effect, and whose route
 * `/now` answers at once.
 */
const start = (later: Effect.Effect<DirectResponse>, options: Partial<ServerOptions> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (made) =>
      Scope.close(made, Exit.void),
    );
    const directRoutes: ServerOptions["directRoutes"] = [
      { method: "GET", path: "/later", handle: () => later },
      { method: "POST", path: "/later", handle: () => later },
      { method: "POST", path: "/now", handle: () => plain("now") },
    ];
    const server = yield* startServer({ directRoutes, ...options }).pipe(Scope.provide(scope));
    return { ...server, scope };
  });

/** An answer that waits to be told, and what became of it. */
const makeWaiting = Effect.gen(function* () {
  const started = yield* Deferred.make<void>();
  const goOn = yield* Deferred.make<void>();
  const outcome = yield* Deferred.make<"answered" | "interrupted">();
  const answer = Deferred.succeed(started, undefined).pipe(
    Effect.andThen(Deferred.await(goOn)),
    Effect.as(plain("later")),
    Effect.tap(Deferred.succeed(outcome, "answered")),
    Effect.onInterrupt(() => Deferred.succeed(outcome, "interrupted")),
  );
  return { answer, started, goOn, outcome };
});

const post = (path: string) => requestText("POST", path, ["Content-Length: 1"], "x");

describe("an answer given as an Effect", () => {
  it.live("is sent when it is there, and others meanwhile", () =>
    Effect.gen(function* () {
      const { answer, goOn, started } = yield* makeWaiting;
      const { port } = yield* start(answer);
      const later = yield* Effect.forkChild(sendRaw(port, post("/later")));
      yield* Deferred.await(started);
      assert.strictEqual((yield* sendRaw(port, post("/now"))).body, "now");
      yield* Deferred.succeed(goOn, undefined);
      const { body, text } = yield* Fiber.join(later);
      assert.strictEqual(body, "later");
      assert.include(text, "x-request-id: ");
    }),
  );

  it.live("that is there at once is sent at once, of every method", () =>
    Effect.gen(function* () {
      const { port } = yield* start(Effect.sync(() => plain("at once")));
      assert.strictEqual((yield* sendRaw(port, post("/later"))).body, "at once");
      assert.strictEqual((yield* sendRaw(port, requestText("GET", "/later"))).body, "at once");
      const head = yield* sendRaw(port, requestText("HEAD", "/later"));
      assert.deepStrictEqual(head.text.match(/content-length: .*/gi), ["Content-Length: 7"]);
      assert.strictEqual(head.body, "");
    }),
  );

  it.live("gets its client a 500 when it dies, or is none", () =>
    Effect.gen(function* () {
      const dying = Effect.andThen(Effect.sleep(5), Effect.die(new Error("on purpose")));
      const wrong = Effect.succeed({ ...plain(""), contentType: "text/plain\r\nInjected: 1" });
      for (const later of [dying, Effect.die("at once"), wrong, Effect.interrupt]) {
        const { drain, port } = yield* start(later);
        for (const method of ["GET", "POST"]) {
          const answer = yield* sendRaw(port, requestText(method, "/later", ["Content-Length: 0"]));
          assert.deepStrictEqual(answer.statuses, [500]);
          assert.strictEqual(JSON.parse(answer.body).code, "INTERNAL");
          assert.notInclude(answer.text, "on purpose");
          assert.notInclude(answer.text, "Injected");
        }
        assert.strictEqual((yield* sendRaw(port, post("/now"))).body, "now");
        assert.strictEqual(yield* drain.inFlight, 0);
      }
    }),
  );

  it.live("is interrupted when its client leaves", () =>
    Effect.gen(function* () {
      for (const method of ["GET", "POST"]) {
        const { answer, outcome, started } = yield* makeWaiting;
        const { drain, port } = yield* start(answer);
        const { socket } = connect(port);
        socket.write(`${method} /later HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n`);
        yield* Deferred.await(started);
        assert.strictEqual(yield* drain.inFlight, 1);
        socket.destroy();
        assert.strictEqual(yield* Deferred.await(outcome), "interrupted");
        while ((yield* drain.inFlight) > 0) yield* Effect.sleep(5);
        assert.strictEqual((yield* sendRaw(port, post("/now"))).body, "now");
      }
    }),
  );

  it.live("is waited for by the shutdown", () =>
    Effect.gen(function* () {
      const { answer, goOn, outcome, started } = yield* makeWaiting;
      const { drain, port, scope } = yield* start(answer);
      const later = yield* Effect.forkChild(sendRaw(port, post("/later")));
      yield* Deferred.await(started);
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void));
      yield* drain.begun;
      yield* Effect.sleep(20);
      yield* Deferred.succeed(goOn, undefined);
      assert.strictEqual((yield* Fiber.join(later)).body, "later");
      assert.strictEqual(yield* Deferred.await(outcome), "answered");
      yield* Fiber.join(closing);
    }),
  );

  it.live("is cut at the end of the grace period", () =>
    Effect.gen(function* () {
      const { answer, outcome, started } = yield* makeWaiting;
      const { port, scope } = yield* start(answer, { gracePeriodMs: 30 });
      const later = yield* Effect.forkChild(sendRaw(port, post("/later")));
      yield* Deferred.await(started);
      yield* Scope.close(scope, Exit.void);
      assert.strictEqual(yield* Deferred.await(outcome), "interrupted");
      assert.strictEqual((yield* Fiber.join(later)).text, "");
    }),
  );
});
