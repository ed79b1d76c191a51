import * as Effect from "effect/Effect";
import type { HttpServerResponse } from "effect/http";
import type { ServerOptions, WebSocketRoute } from "../../src/index.ts";
import { startServer } from "../testServer.ts";

/** A server whose `/ws` echoes, says hello and farewell, and notes what happened. */
export const startEcho = (
  route: Partial<WebSocketRoute> = {},
  options: Partial<ServerOptions> = {},
  httpEffect?: Effect.Effect<HttpServerResponse.HttpServerResponse>,
) =>
  Effect.gen(function* () {
    const events: string[] = [];
    const echo: WebSocketRoute = {
      path: "/ws",
      open: (connection) => {
        events.push("open");
        connection.send("hello");
        return {
          message: (text) => {
            events.push(`message ${text.slice(0, 40)}`);
            if (text === "throw") throw new Error("a handler that fails");
            connection.send(text);
          },
          drained: () => events.push("drained"),
          closed: () => events.push("closed"),
          closing: () => connection.send("farewell"),
        };
      },
    };
    const webSocketRoutes = [{ ...echo, ...route }];
    const server = yield* startServer({ ...options, webSocketRoutes }, httpEffect);
    return { ...server, events };
  });
