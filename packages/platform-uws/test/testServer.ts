import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http";
import * as NetAddress from "effect/net/NetAddress";
import type * as Scope from "effect/Scope";
import { AnswerQueue, type DirectRoute, Drain, make, type ServerOptions } from "../src/index.ts";
import type { SeenRequest } from "./secondParser.ts";

/**
 * Starts a real server on a free port for the scope of the test. It refuses nothing for too much
 * load unless the options say when.
 */
export const startServer = <E = never>(
  options: Partial<ServerOptions> = {},
  httpEffect: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    E,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  > = Effect.succeed(HttpServerResponse.text("ok")),
) =>
  Effect.gen(function* () {
    // A test shares its event loop with the server, and the machine with others.
    const answers = new AnswerQueue(Number.POSITIVE_INFINITY);
    const context = yield* make({ port: 0, answers, ...options });
    const server = Context.get(context, HttpServer.HttpServer);
    yield* server.serve(httpEffect);
    return { port: portOf(server.address), drain: Context.get(context, Drain) };
  });

export const portOf = (address: NetAddress.SocketAddress): number => {
  if (NetAddress.isUnixPathAddress(address)) throw new Error("Not an internet address");
  return address.port;
};

/**
 * A server with a direct route `POST /direct/:name` and an Effect behind everything else, both of
 * which note what ran.
 */
export const startNoting = (options: Partial<ServerOptions> = {}) =>
  Effect.gen(function* () {
    const ran: Array<string> = [];
    const { port } = yield* startServer(
      {
        ...options,
        directRoutes: [
          {
            method: "POST",
            path: "/direct/:name",
            handle: ({ body, parameters }) => {
              ran.push(`direct ${parameters[0]} ${body}`);
              return { status: 200, contentType: "text/plain", body: `direct ${body}` };
            },
          },
        ],
      },
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest;
        const body = yield* request.text;
        ran.push(`${request.method} ${request.url} ${body}`);
        return HttpServerResponse.text(`effect ${body}`);
      }),
    );
    return { port, ran };
  });

/**
 * The same with direct routes for GET as well, whose bodies it does not read. Each answer is the
 * number of the request among those that it has seen.
 */
export const startSeeing = (options: Partial<ServerOptions> = {}) =>
  Effect.gen(function* () {
    const seen: SeenRequest[] = [];
    const direct = (method: "GET" | "POST"): DirectRoute => ({
      method,
      path: "/direct/:name",
      handle: ({ body, parameters, query }) => {
        const target = `/direct/${parameters[0]}${query === "" ? "" : `?${query}`}`;
        seen.push({ method, target, body: method === "GET" ? undefined : body });
        return { status: 200, contentType: "text/plain", body: `#${seen.length - 1};` };
      },
    });
    const { port } = yield* startServer(
      { ...options, directRoutes: [direct("GET"), direct("POST")] },
      Effect.gen(function* () {
        const { method, text, url } = yield* HttpServerRequest.HttpServerRequest;
        const body = yield* text;
        seen.push({ method, target: url, body });
        return HttpServerResponse.text(`#${seen.length - 1};`);
      }),
    );
    return { port, seen };
  });
