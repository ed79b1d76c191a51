import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { connect, requestText, sendRaw, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const onPath = (path: string, response: HttpServerResponse.HttpServerResponse) =>
  startServer(
    {},
    Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      request.url === path ? response : HttpServerResponse.text("fine"),
    ),
  );

describe("effect routes", () => {
  it.live("see method, url, headers, cookies, address and request id", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer(
        {},
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const { cookies, headers, method, originalUrl, remoteAddress, url } = request;
          return yield* Effect.orDie(
            HttpServerResponse.json({ cookies, headers, method, originalUrl, remoteAddress, url }),
          );
        }),
      );
      const headers = [
        "Cookie: a=1",
        "Cookie: b=2",
        "X-Twice: 1",
        "X-Twice: 2",
        "__proto__: x",
        "X-Request-Id: id-1",
      ];
      const answer = yield* sendRaw(port, requestText("GET", "/a/b?c=d", headers));
      const seen = JSON.parse(answer.body);
      assert.strictEqual(seen.method, "GET");
      assert.strictEqual(seen.url, "/a/b?c=d");
      assert.strictEqual(seen.originalUrl, "http://test/a/b?c=d");
      assert.deepStrictEqual(seen.cookies, { a: "1", b: "2" });
      assert.strictEqual(seen.headers["x-twice"], "1, 2");
      assert.strictEqual(seen.headers["x-request-id"], "id-1");
      assert.include(JSON.stringify(seen.remoteAddress), "127.0.0.1");
      assert.include(answer.text, "x-request-id: id-1\r\n");
    }),
  );

  it.live("see what the client sent after any number of awaits", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer(
        {},
        Effect.gen(function* () {
          yield* Effect.sleep(20);
          const request = yield* HttpServerRequest.HttpServerRequest;
          return HttpServerResponse.text(`${request.url} ${yield* request.text}`);
        }),
      );
      const answer = yield* sendRaw(
        port,
        requestText("POST", "/a?b", ["Content-Length: 3"], "abc"),
      );
      assert.strictEqual(answer.body, "/a?b abc");
    }),
  );

  for (const [name, effect] of [
    ["dies", Effect.die(new Error("on purpose"))],
    ["dies later", Effect.andThen(Effect.sleep(10), Effect.die(new Error("on purpose")))],
    ["fails", Effect.fail("on purpose")],
    ["throws", Effect.suspend(() => assert.fail("on purpose"))],
    ["gives a header with a line end", Effect.succeed(withHeader("x-a", "b\r\nInjected: 1"))],
    ["gives a header name with a line end", Effect.succeed(withHeader("x-a: 1\r\nInjected", "1"))],
    [
      "redirects to an address with a line end",
      Effect.succeed(HttpServerResponse.redirect("/\r\nInjected: 1")),
    ],
    [
      "gives a status that does not exist",
      Effect.succeed(HttpServerResponse.text("", { status: 777 })),
    ],
    ["gives a body of an unknown kind", Effect.succeed(HttpServerResponse.raw(42))],
  ] as ReadonlyArray<[string, Effect.Effect<HttpServerResponse.HttpServerResponse, string>]>) {
    it.live(`a handler that ${name} gets its client a 500, and the next one an answer`, () =>
      Effect.gen(function* () {
        const { port } = yield* startServer(
          {},
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            request.url === "/bad" ? effect : Effect.succeed(HttpServerResponse.text("fine")),
          ),
        );
        const answer = yield* sendRaw(port, requestText("GET", "/bad"));
        assert.deepStrictEqual(answer.statuses, [500]);
        assert.strictEqual(JSON.parse(answer.body).code, "INTERNAL");
        assert.notInclude(answer.text, "Injected");
        assert.notInclude(answer.text, "on purpose");
        assert.strictEqual((yield* sendRaw(port, requestText("GET", "/"))).body, "fine");
      }),
    );
  }

  it.live("a client that leaves interrupts the fiber of its request", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>();
      const interrupted = yield* Deferred.make<void>();
      const { drain, port } = yield* startServer(
        {},
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
          // As the routes of an HttpRouter are.
          Effect.interruptible,
        ),
      );
      const client = connect(port);
      client.socket.write(requestText("GET", "/"));
      yield* Deferred.await(started);
      assert.strictEqual(yield* drain.inFlight, 1);
      client.socket.destroy();
      yield* Deferred.await(interrupted);
      assert.strictEqual(yield* drain.inFlight, 0);
    }),
  );

  it.live("an uninterruptible handler may finish after its client has left", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>();
      const goOn = yield* Deferred.make<void>();
      const { drain, port } = yield* startServer(
        {},
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Deferred.await(goOn)),
          Effect.as(HttpServerResponse.text("too late")),
          Effect.uninterruptible,
        ),
      );
      const client = connect(port);
      client.socket.write(requestText("GET", "/"));
      yield* Deferred.await(started);
      client.socket.destroy();
      while ((yield* drain.inFlight) > 0) yield* Effect.sleep(5);
      yield* Deferred.succeed(goOn, undefined);
      const next = yield* sendRaw(port, requestText("GET", "/"));
      assert.strictEqual(next.body, "too late");
    }),
  );

  it.live("asynchronous answers are not pipelined: the second request closes the connection", () =>
    Effect.gen(function* () {
      let runCount = 0;
      const handler = Effect.sync(() => void runCount++).pipe(
        Effect.andThen(Effect.sleep(20)),
        Effect.as(HttpServerResponse.text("ok")),
      );
      const { port } = yield* startServer({}, handler);
      yield* sendRaw(port, `GET /a HTTP/1.1\r\nHost: test\r\n\r\n${requestText("GET", "/b")}`);
      assert.strictEqual(runCount, 1);
    }),
  );

  for (const target of [
    "/../../etc/passwd",
    "//",
    "//evil.example/x",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/%",
    "/%ff%fe",
    "/%00",
    "/a?%",
    "/?",
    '/[]{}|\\^`"<>',
    `/${"a/".repeat(700)}`,
  ]) {
    it.live(`the path ${JSON.stringify(target.slice(0, 40))} reaches the handler as it is`, () =>
      Effect.gen(function* () {
        const { port } = yield* startServer(
          {},
          Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
            HttpServerResponse.text(request.method + request.originalUrl.slice(0, 12)),
          ),
        );
        const answer = yield* sendRaw(port, requestText("GET", target));
        assert.deepStrictEqual(answer.statuses, [200]);
        assert.isTrue(answer.body.startsWith("GEThttp://test/"));
      }),
    );
  }

  it.live("a NUL in the path, HTTP/1.0 and an absolute target are refused by the parser", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer();
      for (const target of ["/a\0b", "http://test/", "*"]) {
        const answer = yield* sendRaw(port, requestText("GET", target));
        assert.deepStrictEqual(answer.statuses, [505]);
      }
      assert.deepStrictEqual(
        (yield* sendRaw(port, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")).statuses,
        [505],
      );
    }),
  );

  it.live("a flood of headers is refused by the parser with 431", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer();
      const long = yield* sendRaw(port, requestText("GET", "/", [`X-Long: ${"x".repeat(5_000)}`]));
      assert.deepStrictEqual(long.statuses, [431]);
      const headers = Array.from({ length: 120 }, (_, index) => `X-${index}: 1`);
      assert.deepStrictEqual(
        (yield* sendRaw(port, requestText("GET", "/", headers))).statuses,
        [431],
      );
    }),
  );

  it.live("more requests at once than the limit get 503", () =>
    Effect.gen(function* () {
      const { drain, port } = yield* startServer(
        { inFlightMax: 1 },
        Effect.interruptible(Effect.never),
      );
      const client = connect(port);
      client.socket.write(requestText("GET", "/"));
      while ((yield* drain.inFlight) === 0) yield* Effect.sleep(5);
      const answer = yield* sendRaw(port, requestText("GET", "/"));
      assert.deepStrictEqual(answer.statuses, [503]);
      client.socket.destroy();
      while ((yield* drain.inFlight) > 0) yield* Effect.sleep(5);
    }),
  );

  it.live("an empty answer with a status of its own stays empty", () =>
    Effect.gen(function* () {
      const { port } = yield* onPath("/", HttpServerResponse.empty({ status: 404 }));
      const answer = yield* sendRaw(port, requestText("GET", "/"));
      assert.deepStrictEqual(answer.statuses, [404]);
      assert.strictEqual(answer.body, "");
    }),
  );

  it.live("cookies are set one a line", () =>
    Effect.gen(function* () {
      const response = HttpServerResponse.text("ok").pipe(
        HttpServerResponse.setCookieUnsafe("a", "1"),
        HttpServerResponse.setCookieUnsafe("b", "2"),
      );
      const { port } = yield* onPath("/", response);
      const answer = yield* sendRaw(port, requestText("GET", "/"));
      assert.include(answer.text, "\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n");
    }),
  );

  it.live("204 has no body and no length, and the connection goes on", () =>
    Effect.gen(function* () {
      const { port } = yield* onPath("/none", HttpServerResponse.empty());
      const client = connect(port);
      client.socket.write("GET /none HTTP/1.1\r\nHost: test\r\n\r\n");
      yield* until(() => client.received().includes("\r\n\r\n"));
      assert.notInclude(client.received().toLowerCase(), "content-length");
      client.socket.write(requestText("GET", "/"));
      yield* Effect.promise(() => client.closed);
      assert.isTrue(client.received().endsWith("fine"));
    }),
  );
});

function withHeader(name: string, value: string) {
  return HttpServerResponse.text("ok", { headers: { [name]: value } });
}
