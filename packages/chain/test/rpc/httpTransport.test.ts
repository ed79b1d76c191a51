import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { httpTransport } from "../../src/rpc/httpTransport.ts";

const MAX_BYTES = 1_000_000;
const { post } = httpTransport({ maxReplyBytes: MAX_BYTES });

/** A server on a free port for the length of a test. */
const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key` };
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }),
  );

describe("the real transport", () => {
  it.live(
    "posts a text and gives what came back, of any status, over connections that stay open",
    Effect.fnUntraced(function* () {
      const sockets = new Set<unknown>();
      const { url } = yield* serve(async (request, response) => {
        sockets.add(request.socket);
        let text = "";
        for await (const chunk of request) text += chunk;
        response.writeHead(503, { "retry-after": "7" });
        response.end(`${request.method} ${request.url} ${request.headers["content-type"]} ${text}`);
      });
      for (let round = 0; round < 10; round++) {
        assert.deepStrictEqual(yield* post(url, '"héad"'), {
          status: 503,
          retryAfter: "7",
          body: 'POST /key application/json "héad"',
        });
      }
      assert.isBelow(sockets.size, 4);
    }),
  );

  it.live(
    "sends a user and password of the URL as a header",
    Effect.fnUntraced(function* () {
      const { url } = yield* serve((request, response) => {
        response.end(request.headers.authorization);
      });
      const { body } = yield* post(url.replace("//", "//me:a%20b@"), "{}");
      assert.strictEqual(body, `Basic ${Buffer.from("me:a b").toString("base64")}`);
    }),
  );

  it.live(
    "cuts a reply without end at the cap, compressed ones too, and closes the connection",
    Effect.fnUntraced(function* () {
      const bomb = gzipSync(Buffer.alloc(20 * MAX_BYTES));
      let sent = 0;
      let closed = 0;
      const { url } = yield* serve((request, response) => {
        response.on("close", () => {
          closed += 1;
        });
        if (request.url === "/bomb") {
          response.writeHead(200, { "content-encoding": "gzip" });
          response.end(bomb);
          return;
        }
        const more = () => {
          do sent += 10_000;
          while (!closed && response.write(Buffer.alloc(10_000, "a")));
        };
        response.on("drain", more);
        more();
      });
      const error = yield* Effect.flip(post(url, "{}"));
      assert.strictEqual(error.reason, "TooLarge");
      yield* Effect.sleep(1).pipe(Effect.repeat({ until: () => closed === 1 }));
      assert.isBelow(sent, 20 * MAX_BYTES);
      const bombed = yield* Effect.flip(post(new URL("/bomb", url).href, "{}"));
      assert.strictEqual(bombed.reason, "TooLarge");
    }),
  );

  it.live(
    "fails on a truncated reply, a reset, a refused connection and what is no URL, and tells no URL",
    Effect.fnUntraced(function* () {
      const { url } = yield* serve((request, response) => {
        if (request.url === "/reset") {
          request.socket.resetAndDestroy();
          return;
        }
        response.writeHead(200, { "content-length": "100" });
        response.write("half", () => request.socket.destroy());
      });
      const { url: gone } = yield* Effect.scoped(serve(() => {}));
      for (const bad of [url, new URL("/reset", url).href, gone, "no URL", "ftp://example/"]) {
        const error = yield* Effect.flip(post(bad, "{}"));
        assert.strictEqual(error.reason, "Unreachable");
        assert.match(error.detail, /^[A-Za-z_ ]+$/);
      }
    }),
  );

  it.live(
    "does not follow a redirect",
    Effect.fnUntraced(function* () {
      const asked: Array<string | undefined> = [];
      const { url } = yield* serve((request, response) => {
        asked.push(request.url);
        response.writeHead(307, { location: "/elsewhere" });
        response.end();
      });
      const { status } = yield* post(url, "{}");
      assert.strictEqual(status, 307);
      assert.deepStrictEqual(asked, ["/key"]);
    }),
  );

  it.live(
    "closes the connection of what is given up on, before and within the reply",
    Effect.fnUntraced(function* () {
      for (const isBegun of [false, true]) {
        const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
        const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
        const { url } = yield* serve((request, response) => {
          request.socket.on("close", () => onClosed());
          if (isBegun) response.write("begun", () => onAsked());
          else onAsked();
        });
        const asking = yield* Effect.forkChild(post(url, "{}"));
        yield* Effect.promise(() => asked);
        yield* Effect.sleep(5);
        yield* Fiber.interrupt(asking);
        yield* Effect.promise(() => closed);
      }
    }),
  );
});
