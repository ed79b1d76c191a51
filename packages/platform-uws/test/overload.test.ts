import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { HttpServerResponse } from "effect/http";
import {
  AnswerQueue,
  type DirectRoute,
  type IncomingRequest,
  type ServerOptions,
} from "../src/index.ts";
import { connect, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

/** Three of them are more than may be waited for. */
const WORK_MS = 20;

function work(): void {
  const end = performance.now() + WORK_MS;
  while (performance.now() < end);
}

const busy: DirectRoute["handle"] = () => {
  work();
  return { status: 200, contentType: "text/plain", body: "worked" };
};

const WAIT_MS = 50;

/** All that waits longer than that is refused. */
const start = (options: Partial<ServerOptions> = {}) => {
  let shedCount = 0;
  return Effect.map(
    startServer(
      {
        answers: new AnswerQueue(WAIT_MS),
        isExempt: (path) => path === "/health",
        onShed: () => void shedCount++,
        directRoutes: [
          { method: "POST", path: "/quote", handle: busy },
          { method: "GET", path: "/token", handle: busy },
        ],
        ...options,
      },
      Effect.sync(() => {
        work();
        return HttpServerResponse.text("worked");
      }),
    ),
    ({ port }) => ({ port, shedCount: () => shedCount }),
  );
};

const COUNT = 12;

/** Sends the same over many connections at once, so many times; gives what each received. */
const flood = (port: number, request: string, times: number) =>
  Effect.gen(function* () {
    const clients = Array.from({ length: COUNT }, () => connect(port));
    yield* Effect.promise(() =>
      Promise.all(
        clients.map(({ socket }) => new Promise<void>((resolve) => socket.on("connect", resolve))),
      ),
    );
    for (let time = 1; time <= times; time++) {
      for (const { socket } of clients) socket.write(request);
      yield* until(() => clients.every(({ received }) => statusesIn(received()).length === time));
    }
    for (const { socket } of clients) socket.destroy();
    return clients.map(({ received }) => received());
  });

const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]!);

const REQUESTS = {
  "a direct POST": "POST /quote HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}",
  "a direct GET": "GET /token HTTP/1.1\r\nHost: test\r\n\r\n",
  "an Effect request": "GET /pools HTTP/1.1\r\nHost: test\r\n\r\n",
  "an Effect request with a body":
    "POST /pools HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}",
};

describe("under overload", () => {
  for (const [what, request] of Object.entries(REQUESTS)) {
    it.live(`${what} that waits too long is refused with 503, and its connection goes on`, () =>
      Effect.gen(function* () {
        const { port, shedCount } = yield* start();
        const received = yield* flood(port, request, 3);
        const statuses = received.flatMap(statusesIn);
        assert.deepStrictEqual(new Set(statuses), new Set(["200", "503"]));
        assert.strictEqual(statuses.length, 3 * COUNT);
        assert.strictEqual(shedCount(), statuses.filter((status) => status === "503").length);
        const shed = received.find((text) => text.includes(" 503 "))!;
        const refusal = shed.slice(shed.indexOf("HTTP/1.1 503"));
        assert.match(refusal, /\r\nretry-after: 1\r\n/i);
        assert.match(refusal, /\r\ncontent-type: application\/problem\+json\r\n/);
        assert.match(refusal, /\r\nx-request-id: [\w.-]+\r\n/);
        assert.notMatch(refusal, /connection: close/i);
        assert.include(refusal, '"code":"NOT_READY"');
      }),
    );
  }

  it.live("HEAD is refused without a body, and pages of other origins can read why", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      const request = "HEAD /token HTTP/1.1\r\nHost: test\r\nOrigin: https://page.example\r\n\r\n";
      const received = yield* flood(port, request, 2);
      const shed = received.find((text) => text.includes(" 503 "))!;
      assert.notInclude(shed, "NOT_READY");
      assert.include(shed, "access-control-allow-origin: *\r\n");
    }),
  );

  it.live("exempt paths are answered all the same", () =>
    Effect.gen(function* () {
      const { port } = yield* start();
      const request = "GET /health HTTP/1.1\r\nHost: test\r\n\r\n";
      const statuses = (yield* flood(port, request, 2)).flatMap(statusesIn);
      assert.deepStrictEqual(new Set(statuses), new Set(["200"]));
    }),
  );

  it.live("what comes one after the other is never refused, however long it takes", () =>
    Effect.gen(function* () {
      const { port, shedCount } = yield* start();
      const client = connect(port);
      for (let time = 1; time <= 10; time++) {
        client.socket.write(REQUESTS["a direct POST"]);
        yield* until(() => statusesIn(client.received()).length === time);
      }
      client.socket.destroy();
      assert.strictEqual(shedCount(), 0);
    }),
  );
});

describe("clients", () => {
  const seen = ({ peerAddress, header }: IncomingRequest) => ({
    name: peerAddress(),
    isEarly: false,
    forwarded: header("x-forwarded-for"),
    key: header("x-api-key"),
  });
  const told: DirectRoute["handle"] = ({ client }) => ({
    status: 200,
    contentType: "text/plain",
    body: JSON.stringify(client),
  });
  const routes: DirectRoute[] = [
    { method: "GET", path: "/who", handle: told },
    { method: "POST", path: "/who", handle: told },
  ];
  const HEADERS = "Host: test\r\nX-Forwarded-For: a\r\nX-Forwarded-For: b, c\r\n";

  for (const [method, body] of [["GET", ""] as const, ["POST", "Content-Length: 0\r\n"] as const]) {
    it.live(`are told to a direct ${method} by whom the server tells apart`, () =>
      Effect.gen(function* () {
        const { port } = yield* startServer({ identify: seen, directRoutes: routes });
        const client = connect(port);
        client.socket.write(`${method} /who HTTP/1.1\r\n${HEADERS}${body}\r\n`);
        yield* until(() => client.received().includes("}"));
        client.socket.destroy();
        const told = JSON.parse(/\{.*\}/.exec(client.received())![0]);
        assert.deepStrictEqual(told, {
          ...{ name: "127.0.0.1", isEarly: false },
          ...{ forwarded: "a, b, c", key: "" },
        });
      }),
    );
  }

  it.live("are all one without that", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer({ directRoutes: routes });
      const client = connect(port);
      client.socket.write(`GET /who HTTP/1.1\r\n${HEADERS}\r\n`);
      yield* until(() => client.received().includes('{"name":"","isEarly":false}'));
      client.socket.destroy();
    }),
  );
});
