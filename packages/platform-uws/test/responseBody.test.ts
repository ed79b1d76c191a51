import { Readable } from "node:stream";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { HttpServerResponse } from "effect/http";
import * as Stream from "effect/Stream";
import { connect, requestText, sendRaw, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const encoder = new TextEncoder();
const textStream = (...parts: ReadonlyArray<string>) =>
  Stream.fromIterable(parts.map((part) => encoder.encode(part)));

const form = new FormData();
form.set("field", "value of a form");

describe("response bodies", () => {
  for (const [name, response, text] of [
    ["text", HttpServerResponse.text("plain text"), "plain text"],
    ["bytes", HttpServerResponse.uint8Array(encoder.encode("some bytes")), "some bytes"],
    ["a stream", HttpServerResponse.stream(textStream("one ", "", "two")), "one "],
    ["an empty stream", HttpServerResponse.stream(Stream.empty), ""],
    ["a raw text", HttpServerResponse.raw("raw text"), "raw text"],
    [
      "a Node stream",
      HttpServerResponse.raw(Readable.from([Buffer.from("from node")])),
      "from node",
    ],
    ["a web response", HttpServerResponse.raw(new Response("from the web")), "from the web"],
    ["a form", HttpServerResponse.formData(form), "value of a form"],
  ] as const) {
    it.live(`${name} arrives whole`, () =>
      Effect.gen(function* () {
        const { port } = yield* startServer({}, Effect.succeed(response));
        const answer = yield* sendRaw(port, requestText("GET", "/"));
        assert.deepStrictEqual(answer.statuses, [200]);
        assert.include(answer.body, text);
        if (answer.text.includes("Transfer-Encoding"))
          assert.isTrue(answer.body.endsWith("0\r\n\r\n"));
      }),
    );
  }

  it.live("HEAD tells the length and sends nothing, even of a stream", () =>
    Effect.gen(function* () {
      let isPulled = false;
      const stream = Stream.fromEffect(
        Effect.sync(() => {
          isPulled = true;
          return encoder.encode("body");
        }),
      );
      const { port } = yield* startServer(
        {},
        Effect.succeed(HttpServerResponse.stream(stream, { contentLength: 4 })),
      );
      const answer = yield* sendRaw(port, requestText("HEAD", "/"));
      assert.deepStrictEqual(answer.text.match(/content-length: .*/gi), ["Content-Length: 4"]);
      assert.strictEqual(answer.body, "");
      assert.isFalse(isPulled);
    }),
  );

  it.live("a stream waits for a client that does not read, and goes on when it does", () =>
    Effect.gen(function* () {
      const partCount = 512;
      const part = new Uint8Array(64 * 1024).fill(120);
      let madeCount = 0;
      const stream = Stream.range(1, partCount).pipe(
        // One at a time, or all of them are made for the first.
        Stream.rechunk(1),
        Stream.map(() => {
          madeCount += 1;
          return part;
        }),
      );
      const { port } = yield* startServer({}, Effect.succeed(HttpServerResponse.stream(stream)));
      const client = connect(port);
      client.socket.once("data", () => client.socket.pause());
      client.socket.write(requestText("GET", "/"));
      // The kernel's buffers fill; then nothing more is made.
      let before = -1;
      while (madeCount === 0 || before !== madeCount) {
        before = madeCount;
        yield* Effect.sleep(100);
      }
      assert.isBelow(madeCount, partCount);
      client.socket.resume();
      yield* Effect.promise(() => client.closed);
      assert.strictEqual(madeCount, partCount);
      assert.isAbove(client.received().length, partCount * part.length);
      assert.isTrue(client.received().endsWith("0\r\n\r\n"));
    }),
  );

  it.live("a large whole body waits for a slow client too, and arrives whole", () =>
    Effect.gen(function* () {
      const bytesCount = 16 * 1024 * 1024;
      const body = new Uint8Array(bytesCount).fill(121);
      const { drain, port } = yield* startServer(
        {},
        Effect.succeed(HttpServerResponse.uint8Array(body)),
      );
      const client = connect(port);
      client.socket.once("data", () => client.socket.pause());
      client.socket.write(requestText("GET", "/"));
      while ((yield* drain.inFlight) === 0) yield* Effect.sleep(5);
      yield* Effect.sleep(50);
      assert.strictEqual(yield* drain.inFlight, 1);
      client.socket.resume();
      yield* until(() => client.received().length > bytesCount);
      assert.strictEqual(client.received().split("\r\n\r\n")[1]?.length, bytesCount);
      while ((yield* drain.inFlight) > 0) yield* Effect.sleep(5);
      client.socket.destroy();
    }),
  );

  it.live("a client that leaves in the middle ends the stream", () =>
    Effect.gen(function* () {
      let isEnded = false;
      const stream = Stream.tick(5).pipe(
        Stream.map(() => encoder.encode("tick")),
        Stream.ensuring(
          Effect.sync(() => {
            isEnded = true;
          }),
        ),
      );
      const { port } = yield* startServer({}, Effect.succeed(HttpServerResponse.stream(stream)));
      const client = connect(port);
      client.socket.write(requestText("GET", "/"));
      yield* until(() => client.received().includes("tick"));
      client.socket.destroy();
      yield* until(() => isEnded);
    }),
  );

  it.live(
    "a stream that fails half way closes without an end, so that half does not look whole",
    () =>
      Effect.gen(function* () {
        const stream = Stream.concat(
          textStream("half"),
          Stream.fromEffect(Effect.andThen(Effect.sleep(20), Effect.fail("on purpose"))),
        );
        const { port } = yield* startServer({}, Effect.succeed(HttpServerResponse.stream(stream)));
        const answer = yield* sendRaw(port, requestText("GET", "/"));
        assert.deepStrictEqual(answer.statuses, [200]);
        assert.isFalse(answer.body.endsWith("0\r\n\r\n"));
      }),
  );
});
