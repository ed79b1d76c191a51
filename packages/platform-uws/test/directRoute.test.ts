import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import type { DirectRequest, DirectResponse } from "../src/index.ts";
import { requestText, sendRaw } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const start = (handle: (request: DirectRequest) => DirectResponse) =>
  startServer({
    directRoutes: [
      {
        method: "GET",
        path: "/:network/price/:token",
        handle,
        headers: [["cache-control", "no-store"]],
      },
      { method: "POST", path: "/:network/quote", handle },
    ],
  });

const echo = (request: DirectRequest): DirectResponse => ({
  status: 200,
  contentType: "application/json",
  body: JSON.stringify(request),
});

describe("direct routes", () => {
  it.live("give parameters, query and body as they were sent", () =>
    Effect.gen(function* () {
      const { port } = yield* start(echo);
      const target = "/ETH/quote?a=%zz&b=%20#c";
      const answer = yield* sendRaw(port, requestText("POST", target, ["Content-Length: 2"], "{}"));
      const { requestId, client, ...rest } = JSON.parse(answer.body);
      assert.deepStrictEqual(rest, { parameters: ["ETH"], query: "a=%zz&b=%20#c", body: "{}" });
      assert.deepStrictEqual(client, { name: "", isEarly: false });
      assert.include(answer.text, `x-request-id: ${requestId}\r\n`);
    }),
  );

  it.live("do not decode percent escapes, whatever they hide", () =>
    Effect.gen(function* () {
      const { port } = yield* start(echo);
      const answer = yield* sendRaw(port, requestText("GET", "/%ff%00/price/%2e%2e%2f"));
      assert.deepStrictEqual(JSON.parse(answer.body).parameters, ["%ff%00", "%2e%2e%2f"]);
    }),
  );

  it.live("hand what they do not accept to Effect, with its body, on the same connection", () =>
    Effect.gen(function* () {
      const accepts = ([network]: ReadonlyArray<string>) => network === "ETH";
      const { port } = yield* startServer(
        {
          directRoutes: [
            { method: "GET", path: "/:network/price", accepts, handle: () => plain },
            { method: "POST", path: "/:network/quote", accepts, handle: echo },
          ],
        },
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          return HttpServerResponse.text(`effect ${request.url} ${yield* request.text}`);
        }),
      );
      const body = ["Content-Length: 2"];
      for (const [method, network, lines, expected] of [
        ["GET", "ETH", [], "plain"],
        ["GET", "BASE", [], "effect /BASE/price?x "],
        ["POST", "BASE", body, "effect /BASE/quote?x ab"],
        ["POST", "%45TH", body, "effect /%45TH/quote?x ab"],
      ] as const) {
        const target = `/${network}/${method === "GET" ? "price" : "quote"}?x`;
        const sent = requestText(method, target, [...lines], lines.length === 0 ? "" : "ab");
        assert.strictEqual((yield* sendRaw(port, sent)).body, expected);
      }
      const first = "GET /BASE/price HTTP/1.1\r\nHost: test\r\n\r\n";
      const both = first + requestText("GET", "/ETH/price");
      const { statuses, text } = yield* sendRaw(port, both);
      assert.deepStrictEqual(statuses, [200, 200]);
      assert.match(text, /effect \/BASE\/price [\s\S]*\r\n\r\nplain$/);
    }),
  );

  it.live("carry the headers every answer carries, and those of the route", () =>
    Effect.gen(function* () {
      const { port } = yield* start(echo);
      const answer = yield* sendRaw(port, requestText("GET", "/ETH/price/x"));
      assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\nx-request-id: [\w.-]{1,64}\r\n/);
      assert.include(answer.text, "\r\nx-content-type-options: nosniff\r\n");
      assert.include(answer.text, "\r\ncache-control: no-store\r\n");
      assert.include(answer.text, "\r\ncontent-type: application/json\r\n");
      assert.notInclude(answer.text, "uWebSockets");
    }),
  );

  it.live("echo a harmless request id and replace any other", () =>
    Effect.gen(function* () {
      const { port } = yield* start(echo);
      const idFor = (sent: string) =>
        Effect.map(
          sendRaw(port, requestText("GET", "/ETH/price/x", [`X-Request-Id: ${sent}`])),
          (answer) => /x-request-id: (.*)\r\n/.exec(answer.text)?.[1],
        );
      assert.strictEqual(yield* idFor("a.B-9_"), "a.B-9_");
      const odd = ["a b", "a\tb", "<script>", "x".repeat(65), "é", ""];
      const issued: Array<string | undefined> = [];
      for (const sent of odd) issued.push(yield* idFor(sent));
      for (const id of issued) assert.match(id ?? "", /^[0-9a-f]{12}-[0-9a-z]+$/);
      assert.strictEqual(new Set(issued).size, odd.length);
    }),
  );

  it.live("write any status with its reason", () =>
    Effect.gen(function* () {
      const { port } = yield* start(() => ({ status: 422, contentType: "text/plain", body: "no" }));
      const answer = yield* sendRaw(port, requestText("GET", "/ETH/price/x"));
      assert.isTrue(answer.text.startsWith("HTTP/1.1 422 Unprocessable Entity\r\n"));
    }),
  );

  it.live("answer HEAD with the length of GET and without a body", () =>
    Effect.gen(function* () {
      const { port } = yield* start(() => ({
        status: 200,
        contentType: "text/plain",
        body: "héllo",
      }));
      const answer = yield* sendRaw(port, requestText("HEAD", "/ETH/price/x"));
      assert.deepStrictEqual(answer.text.match(/content-length: .*/gi), ["Content-Length: 6"]);
      assert.strictEqual(answer.body, "");
    }),
  );

  for (const [name, handle] of [
    ["throws", () => assert.fail("on purpose")],
    [
      "gives a header with a line end in its value",
      () => ({ ...plain, headers: [["x-a", "b\r\nInjected: 1"]] }),
    ],
    [
      "gives a header with a line end in its name",
      () => ({ ...plain, headers: [["x-a\r\nInjected", "1"]] }),
    ],
    [
      "gives a content type with a line end",
      () => ({ ...plain, contentType: "text/plain\r\nInjected: 1" }),
    ],
    ["gives a status that does not exist", () => ({ ...plain, status: 1000 })],
    ["gives no answer at all", () => undefined],
    ["gives a body that is not text", () => ({ ...plain, body: undefined })],
  ] as ReadonlyArray<[string, () => DirectResponse]>) {
    it.live(`a handler that ${name} gets its client a 500, and the next one an answer`, () =>
      Effect.gen(function* () {
        let isFirst = true;
        const { port } = yield* start(() => {
          if (!isFirst) return plain;
          isFirst = false;
          return handle();
        });
        const answer = yield* sendRaw(
          port,
          requestText("POST", "/ETH/quote", ["Content-Length: 1"], "x"),
        );
        assert.deepStrictEqual(answer.statuses, [500]);
        assert.strictEqual(JSON.parse(answer.body).code, "INTERNAL");
        assert.notInclude(answer.text, "Injected");
        assert.notInclude(answer.text, "on purpose");
        const next = yield* sendRaw(port, requestText("GET", "/ETH/price/x"));
        assert.strictEqual(next.body, "plain");
      }),
    );
  }

  it.live("a query longer than the limit gets 400", () =>
    Effect.gen(function* () {
      const { port } = yield* start(echo);
      const answer = yield* sendRaw(port, requestText("GET", `/ETH/price/x?${"q".repeat(2_049)}`));
      assert.deepStrictEqual(answer.statuses, [400]);
      assert.strictEqual(JSON.parse(answer.body).code, "INVALID_REQUEST");
      const fitting = yield* sendRaw(port, requestText("GET", `/ETH/price/x?${"q".repeat(2_048)}`));
      assert.deepStrictEqual(fitting.statuses, [200]);
    }),
  );

  it.live(
    "the problem hook words refusals by method and path, and its own failure does no harm",
    () =>
      Effect.gen(function* () {
        const { port } = yield* startServer({
          bodyBytesMax: 1,
          directRoutes: [{ method: "POST", path: "/:network/quote", handle: echo }],
          problem: (status, code, _detail, { method, path }) => {
            if (path === "/BAD/quote") throw new Error("the hook fails");
            return { contentType: "text/plain", body: `${status} ${code} ${method} ${path}` };
          },
        });
        const chunked = requestText("POST", "/ETH/quote", ["Transfer-Encoding: chunked"]);
        assert.strictEqual(
          (yield* sendRaw(port, chunked)).body,
          "411 INVALID_REQUEST POST /ETH/quote",
        );
        const declared = requestText("POST", "/ETH/quote", ["Content-Length: 2"], "ab");
        assert.strictEqual(
          (yield* sendRaw(port, declared)).body,
          "413 PAYLOAD_TOO_LARGE POST /ETH/quote",
        );
        const bad = yield* sendRaw(
          port,
          requestText("POST", "/BAD/quote", ["Content-Length: 2"], "ab"),
        );
        assert.strictEqual(JSON.parse(bad.body).code, "PAYLOAD_TOO_LARGE");
      }),
  );

  it.live("a GET with a body is answered, and its body is not taken for a request", () =>
    Effect.gen(function* () {
      const { port } = yield* start(echo);
      const inner = requestText("GET", "/ETH/price/inner");
      const head = [
        "GET /ETH/price/outer HTTP/1.1",
        "Host: test",
        `Content-Length: ${inner.length}`,
        "",
        "",
      ];
      const last = requestText("GET", "/ETH/price/last");
      const answer = yield* sendRaw(port, head.join("\r\n") + inner + last);
      assert.deepStrictEqual(answer.statuses, [200, 200]);
      assert.notInclude(answer.text, "inner");
    }),
  );
});

const plain: DirectResponse = { status: 200, contentType: "text/plain", body: "plain" };
