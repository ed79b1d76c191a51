import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { HttpServerResponse } from "effect/http";
import * as Scope from "effect/Scope";
import { connect, sendRaw } from "../rawClient.ts";
import { startEcho } from "./echoServer.ts";
import { frame, OPCODES, openFrames, upgradeText } from "./frameClient.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** What the server answers, then closes; 0: nothing, it just closes. */
const refused: ReadonlyArray<readonly [what: string, status: number, headers: Headers]> = [
  ["no Host", 400, { Host: undefined }],
  ["an empty Host", 400, { Host: "" }],
  ["two Hosts", 400, { "Host ": undefined, host: "other" }],
  ["no Upgrade", 426, { Upgrade: undefined }],
  ["an Upgrade to something else", 426, { Upgrade: "h2c" }],
  ["an Upgrade that merely begins like it", 426, { Upgrade: "websockets" }],
  ["an empty Upgrade", 426, { Upgrade: "" }],
  ["no Connection", 400, { Connection: undefined }],
  ["a Connection that closes", 400, { Connection: "close" }],
  ["a Connection kept alive", 400, { Connection: "keep-alive" }],
  ["a Connection that merely holds the word", 400, { Connection: "notupgrade" }],
  ["no version", 426, { "Sec-WebSocket-Version": undefined }],
  ["an empty version", 426, { "Sec-WebSocket-Version": "" }],
  ["version 0", 426, { "Sec-WebSocket-Version": "0" }],
  ["version 7", 426, { "Sec-WebSocket-Version": "7" }],
  ["version 8", 426, { "Sec-WebSocket-Version": "8" }],
  ["version 12", 426, { "Sec-WebSocket-Version": "12" }],
  ["version 14", 426, { "Sec-WebSocket-Version": "14" }],
  ["version 013", 426, { "Sec-WebSocket-Version": "013" }],
  ["version 13.0", 426, { "Sec-WebSocket-Version": "13.0" }],
  ["version -13", 426, { "Sec-WebSocket-Version": "-13" }],
  ["two versions in one header", 426, { "Sec-WebSocket-Version": "13, 8" }],
  ["a second version header", 426, { "sec-websocket-version": "8" }],
  ["a version in words", 426, { "Sec-WebSocket-Version": "thirteen" }],
  ["no key", 400, { "Sec-WebSocket-Key": undefined }],
  ["an empty key", 400, { "Sec-WebSocket-Key": "" }],
  ["a key too short", 400, { "Sec-WebSocket-Key": "dGhlIHNhbXBsZQ==" }],
  ["a key too long", 400, { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZXNzcw==" }],
  ["a key of 24 characters that is no base64", 400, { "Sec-WebSocket-Key": "!".repeat(24) }],
  ["a key of 18 bytes", 400, { "Sec-WebSocket-Key": "A".repeat(24) }],
  ["a key with bits left over", 400, { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZR==" }],
  ["a key in URL-safe base64", 400, { "Sec-WebSocket-Key": "_GhlIHNhbXBsZSBub25jZQ==" }],
  ["two keys", 400, { "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" }],
  ["a body", 400, { "Content-Length": "5" }],
  ["a chunked body", 411, { "Transfer-Encoding": "chunked" }],
  ["an ambiguous body", 400, { "Content-Length": "5", "Transfer-Encoding": "chunked" }],
  ["an empty length", 0, { "Content-Length": "" }],
  ["two lengths", 0, { "Content-Length": "0", "content-length": "0" }],
];

describe("a request to upgrade", () => {
  it.live("is answered as RFC 6455 says, and frames are exchanged", () =>
    Effect.gen(function* () {
      const { port, events } = yield* startEcho();
      const client = yield* Effect.promise(() => openFrames(port));
      assert.match(client.head, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
      // The example of the RFC, section 1.3.
      assert.match(client.head, /\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/i);
      assert.notMatch(client.head, /sec-websocket-(protocol|extensions)/i);
      client.send(frame(OPCODES.text, "x"), frame(OPCODES.close, ""));
      yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(client.texts(), ["hello", "x"]);
      assert.deepStrictEqual(events, ["open", "message x", "closed"]);
    }),
  );

  for (const [what, status, headers] of refused) {
    it.live(`with ${what} is ${status === 0 ? "cut" : `refused with ${status}`}`, () =>
      Effect.gen(function* () {
        const { port, events } = yield* startEcho();
        const answer = yield* sendRaw(port, upgradeText(headers));
        assert.deepStrictEqual(answer.statuses, status === 0 ? [] : [status]);
        assert.deepStrictEqual(events, []);
        if (status === 426) {
          assert.match(answer.text, /\r\nupgrade: websocket\r\n/i);
          assert.match(answer.text, /\r\nsec-websocket-version: 13\r\n/i);
        }
      }),
    );
  }

  it.live("that is refused runs nothing that follows it", () =>
    Effect.gen(function* () {
      const { port, events } = yield* startEcho();
      const behind = frame(OPCODES.text, "smuggled");
      for (const [, , headers] of refused) {
        const text = Buffer.from(upgradeText(headers));
        const answer = yield* sendRaw(port, Buffer.concat([text, behind]));
        assert.notInclude(answer.statuses, 101);
      }
      assert.deepStrictEqual(events, []);
    }),
  );

  for (const [what, headers] of [
    ["in other case", { Upgrade: "WebSocket", Connection: "keep-alive, upgrade" }],
    ["with extensions and subprotocols, which are not taken", offers()],
    ["with a request id", { "X-Request-Id": "mine-1" }],
  ] as const) {
    it.live(`is taken ${what}`, () =>
      Effect.gen(function* () {
        const { port } = yield* startEcho();
        const client = yield* Effect.promise(() => openFrames(port, headers));
        assert.notMatch(client.head, /sec-websocket-(protocol|extensions)/i);
        client.send(frame(OPCODES.close, ""));
        yield* Effect.promise(() => client.closed);
      }),
    );
  }

  for (const [what, options, statuses] of [
    ["by POST", { method: "POST" }, [411]],
    ["on another path", { path: "/wss" }, [200]],
    ["below the path", { path: "/ws/x" }, [200]],
    ["in HTTP/1.0", { version: "1.0" }, [505]],
  ] as const) {
    it.live(`${what} is no upgrade`, () =>
      Effect.gen(function* () {
        const { port, events } = yield* startEcho();
        const answer = yield* sendRaw(port, upgradeText({ Connection: "close" }, options));
        assert.deepStrictEqual([...answer.statuses], [...statuses]);
        assert.notInclude(answer.statuses, 101);
        assert.deepStrictEqual(events, []);
      }),
    );
  }

  it.live("with a query that is too long is refused", () =>
    Effect.gen(function* () {
      const { port } = yield* startEcho({}, { queryBytesMax: 10 });
      const answer = yield* sendRaw(port, upgradeText({}, { path: "/ws?aaaaaaaaaaaaaaaa" }));
      assert.deepStrictEqual(answer.statuses, [400]);
    }),
  );

  it.live("is refused to pages of origins that may not read answers", () =>
    Effect.gen(function* () {
      const cors = { allowedOrigins: ["https://app.example"] };
      const { port } = yield* startEcho({}, { cors });
      for (const [origin, status] of [
        ["https://evil.example", 403],
        ["https://app.example.evil.example", 403],
        ["null", 403],
        ["https://app.example", 101],
        ["http://test", 101],
      ] as const) {
        const frames = frame(OPCODES.close, "");
        const text = Buffer.from(upgradeText({ Origin: origin }));
        const answer = yield* sendRaw(port, text, ...(status === 101 ? [frames] : []));
        assert.deepStrictEqual(answer.statuses, [status], origin);
      }
    }),
  );

  it.live("is refused where the route does not admit it, with the route's own answer", () =>
    Effect.gen(function* () {
      const { port, events } = yield* startEcho({
        admit: ({ peerAddress, query, header }) => ({
          status: 429,
          contentType: "text/plain",
          body: `${peerAddress} ${query} ${header("x-key")}|${header("constructor")}|${header("toString")}`,
          headers: [["retry-after", "7"]],
        }),
      });
      const headers = { "X-Key": "k", Constructor: "c", Connection: "Upgrade" };
      const text = upgradeText(headers, { path: "/ws?a=1" });
      const close = "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
      const answer = yield* sendRaw(port, text, close);
      assert.deepStrictEqual(answer.statuses, [429, 200]);
      assert.match(answer.text, /\r\nretry-after: 7\r\n/);
      assert.include(answer.text, "127.0.0.1 a=1 k|c|");
      assert.notInclude(answer.text, "native code");
      assert.deepStrictEqual(events, []);
    }),
  );

  it.live("is refused when there are as many connections as there may be", () =>
    Effect.gen(function* () {
      const { port } = yield* startEcho({ connectionsMax: 1 });
      const first = yield* Effect.promise(() => openFrames(port));
      assert.deepStrictEqual((yield* sendRaw(port, upgradeText())).statuses, [503]);
      first.send(frame(OPCODES.close, ""));
      yield* Effect.promise(() => first.closed);
      const second = yield* Effect.promise(() => openFrames(port));
      second.send(frame(OPCODES.close, ""));
      yield* Effect.promise(() => second.closed);
    }),
  );

  it.live("is refused once the server shuts down, while what is in flight gets its grace", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const goOn = yield* Deferred.make<void>();
      const waiting = Effect.as(Deferred.await(goOn), HttpServerResponse.text("finished"));
      const { port, drain } = yield* Scope.provide(startEcho({}, {}, waiting), scope);
      const inFlight = connect(port);
      inFlight.socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
      const kept = connect(port);
      const open = yield* Effect.promise(() => openFrames(port));
      while ((yield* drain.inFlight) < 1) yield* Effect.sleep(5);
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void));
      yield* Effect.promise(() => open.closed);
      assert.strictEqual(open.closing()?.code, 1012);
      kept.socket.write(upgradeText());
      yield* Effect.promise(() => kept.closed);
      assert.match(kept.received(), /^HTTP\/1\.1 503 /);
      yield* Deferred.succeed(goOn, undefined);
      yield* Effect.promise(() => inFlight.closed);
      assert.isTrue(inFlight.received().endsWith("finished"));
      yield* Fiber.join(closing);
    }),
  );

  it.live("is taken however many others are half sent", () =>
    Effect.gen(function* () {
      const { port } = yield* startEcho();
      const text = upgradeText();
      const halves = Array.from({ length: 500 }, (_, index) => {
        const half = connect(port);
        half.socket.write(text.slice(0, (index % (text.length - 1)) + 1));
        return half;
      });
      const client = yield* Effect.promise(() => openFrames(port));
      client.send(frame(OPCODES.text, "x"), frame(OPCODES.close, ""));
      yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(client.texts(), ["hello", "x"]);
      for (const { socket } of halves) socket.destroy();
    }),
  );

  it.live("whose opening fails closes with 1011, and the server goes on", () =>
    Effect.gen(function* () {
      const { port } = yield* startEcho({
        open: () => {
          throw new Error("a route that fails");
        },
      });
      const client = yield* Effect.promise(() => openFrames(port));
      yield* Effect.promise(() => client.closed);
      assert.strictEqual(client.closing()?.code, 1011);
    }),
  );
});

function offers() {
  return {
    "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
    "Sec-WebSocket-Protocol": "chat, superchat",
  };
}
