import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { connect, requestText, sendRaw, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const start = (inFlightMax = 1_024) => {
  const answer = () => ({ status: 200, contentType: "text/plain", body: "direct" });
  return startServer({
    inFlightMax,
    directRoutes: [
      { method: "GET", path: "/direct", handle: answer },
      { method: "POST", path: "/direct", handle: answer },
    ],
  });
};

const preflight = ["Origin: https://page.example", "Access-Control-Request-Method: GET"];

describe("connections kept alive", () => {
  for (const [name, first] of [
    ["HEAD on a direct route", ["HEAD /direct HTTP/1.1"]],
    ["HEAD on an effect route", ["HEAD / HTTP/1.1"]],
    ["a preflight", ["OPTIONS / HTTP/1.1", ...preflight]],
    ["GET on a direct route", ["GET /direct HTTP/1.1"]],
    ["GET on an effect route", ["GET / HTTP/1.1"]],
  ] as ReadonlyArray<[string, ReadonlyArray<string>]>) {
    it.live(`go on after ${name}, and nothing is left in flight`, () =>
      Effect.gen(function* () {
        const { drain, port } = yield* start();
        const client = connect(port);
        client.socket.write([...first, "Host: test", "", ""].join("\r\n"));
        yield* until(() => client.received().includes("\r\n\r\n"));
        assert.strictEqual(yield* drain.inFlight, 0);
        client.socket.write(requestText("GET", "/direct"));
        yield* Effect.promise(() => client.closed);
        assert.isTrue(client.received().endsWith("direct"));
      }),
    );
  }

  it.live("may carry any number of requests, whatever the limit at once", () =>
    Effect.gen(function* () {
      const { drain, port } = yield* start(1);
      const text = "GET / HTTP/1.1\r\nHost: test\r\n\r\n".repeat(50);
      const { statuses } = yield* sendRaw(port, text + requestText("GET", "/"));
      assert.deepStrictEqual(statuses, new Array(51).fill(200));
      assert.strictEqual(yield* drain.inFlight, 0);
    }),
  );

  for (const target of ["/direct", "/effect"]) {
    it.live(`leave nothing in flight when the client of ${target} leaves in mid-body`, () =>
      Effect.gen(function* () {
        const { drain, port } = yield* start();
        const client = connect(port);
        client.socket.write(requestText("POST", target, ["Content-Length: 9"], "abc"));
        while ((yield* drain.inFlight) === 0) yield* Effect.sleep(5);
        client.socket.destroy();
        while ((yield* drain.inFlight) > 0) yield* Effect.sleep(5);
        assert.strictEqual((yield* sendRaw(port, requestText("GET", "/direct"))).body, "direct");
      }),
    );
  }

  it.live("count a request once when its client leaves while the answer is on its way", () =>
    Effect.gen(function* () {
      const body = "x".repeat(16 * 1024 * 1024);
      const handle = () => ({ status: 200, contentType: "text/plain", body });
      const { drain, port } = yield* startServer({
        directRoutes: [{ method: "GET", path: "/large", handle }],
      });
      const client = connect(port);
      client.socket.once("data", () => client.socket.pause());
      client.socket.write(requestText("GET", "/large"));
      yield* until(() => client.received() !== "");
      client.socket.destroy();
      yield* Effect.promise(() => client.closed);
      yield* Effect.sleep(20);
      assert.strictEqual(yield* drain.inFlight, 0);
    }),
  );

  it.live("leave nothing in flight when requests are refused or dropped", () =>
    Effect.gen(function* () {
      const { drain, port } = yield* start();
      for (const target of ["/direct", "/effect"]) {
        const tooLarge = requestText("POST", target, ["Content-Length: 70000"]);
        const ambiguous = requestText(
          "POST",
          target,
          ["Content-Length: 1", "Content-Length: 2"],
          "ab",
        );
        yield* sendRaw(port, tooLarge);
        yield* sendRaw(port, tooLarge + requestText("GET", "/direct"));
        yield* sendRaw(port, ambiguous);
      }
      yield* Effect.sleep(20);
      assert.strictEqual(yield* drain.inFlight, 0);
    }),
  );
});
