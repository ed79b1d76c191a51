import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { HttpServerResponse } from "effect/http";
import type { ServerOptions } from "../src/index.ts";
import { requestText, sendRaw } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const start = (cors?: ServerOptions["cors"]) =>
  startServer({
    ...(cors === undefined ? {} : { cors }),
    directRoutes: [
      {
        method: "POST",
        path: "/:network/quote",
        handle: () => ({ status: 200, contentType: "text/plain", body: "quoted" }),
      },
    ],
  });

const origin = "Origin: https://page.example";
const length = "Content-Length: 0";

const allowedOrigin = (text: string): string | undefined =>
  /\r\naccess-control-allow-origin: (.*)\r\n/.exec(text)?.[1];

const preflight = (port: number, target: string, method: string) =>
  sendRaw(
    port,
    requestText("OPTIONS", target, [origin, `Access-Control-Request-Method: ${method}`]),
  );

describe("cross-origin requests", () => {
  it.live("reads are open to every origin by default", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      const answer = yield* sendRaw(port, requestText("GET", "/tokens", [origin]));
      assert.strictEqual(allowedOrigin(answer.text), "*");
      assert.include(
        answer.text,
        "access-control-expose-headers: x-request-id, retry-after, ratelimit, ratelimit-policy\r\n",
      );
      const same = yield* sendRaw(port, requestText("GET", "/tokens"));
      assert.isUndefined(allowedOrigin(same.text));
    }),
  );

  it.live("of the POST routes, quote, swap and permit are open by default", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      for (const target of ["/ETH/quote", "/ETH/swap", "/BASE/permit"]) {
        const answer = yield* sendRaw(port, requestText("POST", target, [origin, length]));
        assert.deepStrictEqual([target, allowedOrigin(answer.text)], [target, "*"]);
      }
      for (const target of ["/ETH/other", "/eth/quote", "/ETH/quote/x"]) {
        const answer = yield* sendRaw(port, requestText("POST", target, [origin, length]));
        assert.deepStrictEqual([target, allowedOrigin(answer.text)], [target, undefined]);
      }
    }),
  );

  it.live("a preflight is answered 204, with what is allowed", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      const answer = yield* preflight(port, "/ETH/quote", "POST");
      assert.deepStrictEqual(answer.statuses, [204]);
      assert.strictEqual(allowedOrigin(answer.text), "*");
      assert.include(answer.text, "access-control-allow-methods: GET, HEAD, POST\r\n");
      assert.include(
        answer.text,
        "access-control-allow-headers: content-type, x-request-id, authorization, x-api-key\r\n",
      );
      assert.include(answer.text, "access-control-max-age: 86400\r\n");
      assert.notInclude(answer.text.toLowerCase(), "content-length");
    }),
  );

  it.live("a preflight for what is not open allows nothing", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      const answer = yield* preflight(port, "/ETH/other", "POST");
      assert.deepStrictEqual(answer.statuses, [204]);
      assert.notInclude(answer.text, "access-control");
    }),
  );

  it.live("an OPTIONS request that is no preflight reaches the routes", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      assert.strictEqual((yield* sendRaw(port, requestText("OPTIONS", "/x"))).body, "ok");
    }),
  );

  it.live("a list opens to its origins only, and tells caches that answers vary", () =>
    Effect.gen(function* () {
      const { port } = yield* start({
        allowedOrigins: ["https://page.example", "https://b.example"],
      });
      for (const [sent, allowed] of [
        [[origin], "https://page.example"],
        [["Origin: https://b.example"], "https://b.example"],
        [["Origin: https://page.example.evil"], undefined],
        [["Origin: null"], undefined],
        [[], undefined],
      ] as const) {
        for (const method of ["GET", "POST"]) {
          const answer = yield* sendRaw(port, requestText(method, "/ETH/quote", [...sent, length]));
          assert.deepStrictEqual(answer.statuses, [200]);
          assert.strictEqual(allowedOrigin(answer.text), allowed);
          assert.include(answer.text, "\r\nvary: Origin\r\n");
        }
      }
    }),
  );

  it.live("refusals can be read from an allowed origin too", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      const headers = [origin, "Content-Length: 70000"];
      const answer = yield* sendRaw(port, requestText("POST", "/ETH/quote", headers));
      assert.deepStrictEqual(answer.statuses, [413]);
      assert.strictEqual(allowedOrigin(answer.text), "*");
    }),
  );

  it.live("a predicate of one's own decides, and its failure only closes the connection", () =>
    Effect.gen(function* () {
      const { port } = yield* start({
        allowedOrigins: "*",
        allows: (_method, path) => {
          if (path === "/BAD/quote" || path === "/bad") throw new Error("on purpose");
          return path === "/mine";
        },
      });
      assert.strictEqual(
        allowedOrigin((yield* sendRaw(port, requestText("GET", "/mine", [origin]))).text),
        "*",
      );
      assert.isUndefined(
        allowedOrigin((yield* sendRaw(port, requestText("GET", "/x", [origin]))).text),
      );
      assert.strictEqual((yield* sendRaw(port, requestText("GET", "/bad", [origin]))).text, "");
      const direct = requestText("POST", "/BAD/quote", [origin, length]);
      assert.strictEqual((yield* sendRaw(port, direct)).text, "");
      assert.strictEqual((yield* sendRaw(port, requestText("GET", "/x"))).body, "ok");
    }),
  );

  it.live("false opens nothing", () =>
    Effect.gen(function* () {
      const { port } = yield* start(false);
      const answer = yield* sendRaw(port, requestText("GET", "/", [origin]));
      assert.notInclude(answer.text, "access-control");
    }),
  );

  it.live("an app that speaks CORS itself has the word", () =>
    Effect.gen(function* () {
      const headers = { "access-control-allow-origin": "https://mine.example" };
      const { port } = yield* startServer(
        {},
        Effect.succeed(HttpServerResponse.text("ok", { headers })),
      );
      const answer = yield* sendRaw(port, requestText("GET", "/", [origin]));
      assert.strictEqual(answer.text.match(/access-control-allow-origin/g)?.length, 1);
    }),
  );
});
