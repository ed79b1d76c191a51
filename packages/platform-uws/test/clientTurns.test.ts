import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import type { DirectRoute, IncomingRequest } from "../src/index.ts";
import { connect, until } from "./rawClient.ts";
import { startServer } from "./testServer.ts";

const WORK_MS = 1;

function work(): void {
  const end = performance.now() + WORK_MS;
  while (performance.now() < end);
}

/** Of the client that a header names, and that was told to ask later where it says so. */
const identify = ({ header }: IncomingRequest) => {
  const name = header("x-client");
  return { name, isEarly: name.startsWith("early") };
};

/** A server that notes whom it answers, in their order, each of which takes it a millisecond. */
const startNotingTurns = Effect.gen(function* () {
  const turns: string[] = [];
  const note = (name: string): void => {
    turns.push(name);
    work();
  };
  const direct = (method: "GET" | "POST"): DirectRoute => ({
    method,
    path: "/direct",
    handle: ({ client }) => {
      note(client!.name);
      return { status: 200, contentType: "text/plain", body: "worked" };
    },
  });
  const { port } = yield* startServer(
    { identify, directRoutes: [direct("GET"), direct("POST")] },
    Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      note(headers["x-client"]!);
      return HttpServerResponse.text("worked");
    }),
  );
  return { port, turns };
});

const asking = (target: string, client: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: test\r\nX-Client: ${client}\r\nContent-Length: 0\r\n\r\n`;

const openConnections = (port: number, count: number) =>
  Effect.promise(() =>
    Promise.all(
      Array.from({ length: count }, () => {
        const connection = connect(port);
        return new Promise<typeof connection>((resolve) =>
          connection.socket.on("connect", () => resolve(connection)),
        );
      }),
    ),
  );

const COUNT = 200;
/** What is computed before the one that has asked last is read, and a turn more. */
const BEFORE_MAX = 90;

describe("clients", () => {
  for (const target of ["/direct", "/effect"]) {
    it.live(`take turns at ${target}, however many requests of one wait`, () =>
      Effect.gen(function* () {
        const { port, turns } = yield* startNotingTurns;
        const connections = yield* openConnections(port, COUNT + 1);
        const other = connections.pop()!;
        for (const { socket } of connections) socket.write(asking(target, "hog"));
        other.socket.write(asking(target, "other"));
        yield* until(() => turns.length === COUNT + 1);
        assert.isBelow(turns.indexOf("other"), BEFORE_MAX);
        for (const { socket } of [...connections, other]) socket.destroy();
      }),
    );

    it.live(`that ask again at once at ${target}, told to ask later, have the time left over`, () =>
      Effect.gen(function* () {
        const { port, turns } = yield* startNotingTurns;
        const connections = yield* openConnections(port, 16);
        for (const { socket } of connections) {
          socket.on("data", () => socket.write(asking(target, "early")));
          socket.write(asking(target, "early"));
        }
        const [other] = yield* openConnections(port, 1);
        other!.socket.on("data", () => other!.socket.write(asking(target, "other")));
        other!.socket.write(asking(target, "other"));
        const count = (name: string): number => turns.filter((turn) => turn === name).length;
        yield* until(() => count("other") >= COUNT);
        // Each of sixteen connections would have been answered as often as the other one.
        assert.isBelow(count("early"), COUNT);
        // They are not forgotten.
        yield* until(() => count("early") >= 20);
        for (const { socket } of [...connections, other!]) socket.destroy();
      }),
    );
  }
});
