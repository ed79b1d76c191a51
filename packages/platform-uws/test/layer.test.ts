import { assert, describe, it } from "@effect/vitest";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http";
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import { Drain, layer, make } from "../src/index.ts";
import { requestText, sendRaw } from "./rawClient.ts";
import { portOf } from "./testServer.ts";

class Things extends HttpApiGroup.make("things").add(
  HttpApiEndpoint.post("double", "/double/:name", {
    params: { name: Schema.String },
    query: { times: Schema.optionalKey(Schema.FiniteFromString) },
    payload: Schema.Struct({ count: Schema.Finite }),
    success: Schema.Struct({ name: Schema.String, count: Schema.Finite }),
  }),
) {}

class Api extends HttpApi.make("api").add(Things) {}

const things = HttpApiBuilder.group(
  Api,
  "things",
  Effect.fn(function* (handlers) {
    return handlers.handleAll({
      double: ({ params, payload, query }) =>
        Effect.succeed({ name: params.name, count: payload.count * (query.times ?? 2) }),
    });
  }),
);

const api = HttpApiBuilder.layer(Api).pipe(
  Layer.provide(things),
  Layer.provide(HttpServer.layerServices),
);

const hello = HttpRouter.add("GET", "/hello/:name", () =>
  Effect.map(HttpRouter.params, ({ name }) => HttpServerResponse.text(`hello ${name}`)),
);

/** Serves routes on a free port for the scope of the test. */
const serve = <E>(routes: Layer.Layer<never, E, HttpRouter.HttpRouter>) =>
  Effect.map(
    Layer.build(
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provideMerge(layer({ port: 0 })),
      ),
    ),
    (context) => portOf(Context.get(context, HttpServer.HttpServer).address),
  );

describe("the layer", () => {
  it.live("serves an HttpRouter unchanged", () =>
    Effect.gen(function* () {
      const port = yield* serve(hello);
      assert.strictEqual(
        (yield* sendRaw(port, requestText("GET", "/hello/you"))).body,
        "hello you",
      );
      assert.deepStrictEqual((yield* sendRaw(port, requestText("GET", "/none"))).statuses, [404]);
    }),
  );

  it.live("answers HEAD on a router's GET route with its length and no body", () =>
    Effect.gen(function* () {
      const port = yield* serve(hello);
      const answer = yield* sendRaw(port, requestText("HEAD", "/hello/you"));
      assert.deepStrictEqual(answer.statuses, [200]);
      assert.include(answer.text, "Content-Length: 9\r\n");
      assert.strictEqual(answer.body, "");
    }),
  );

  it.live("gives a router's odd paths an answer, whatever they hide", () =>
    Effect.gen(function* () {
      const port = yield* serve(hello);
      for (const target of [
        "/../../etc/passwd",
        "//",
        "/hello/%2e%2e",
        "/hello/%",
        "/hello/%ff",
        "/hello/%00",
        "/?%",
      ]) {
        const { statuses } = yield* sendRaw(port, requestText("GET", target));
        assert.isTrue([200, 400, 404].includes(statuses[0] ?? 0), `${target}: ${statuses}`);
      }
    }),
  );

  it.live("serves an HttpApi unchanged", () =>
    Effect.gen(function* () {
      const port = yield* serve(api);
      const send = (target: string, body: string) => {
        const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
        return sendRaw(port, requestText("POST", target, headers, body));
      };
      const answer = yield* send("/double/x?times=3", `{"count":7}`);
      assert.deepStrictEqual(JSON.parse(answer.body), { name: "x", count: 21 });
      assert.deepStrictEqual((yield* send("/double/x", `{"count":"7"}`)).statuses, [400]);
      assert.deepStrictEqual((yield* send("/double/x", `{`)).statuses, [400]);
      assert.deepStrictEqual((yield* send("/double/x?times=z", `{"count":1}`)).statuses, [400]);
    }),
  );

  it.live("takes its options from an Effect, so that direct routes may use services", () =>
    Effect.gen(function* () {
      class Greeting extends Context.Service<Greeting, string>()("test/Greeting") {}
      const server = layer(
        Effect.map(Greeting, (greeting) => ({
          port: 0,
          directRoutes: [
            {
              method: "GET" as const,
              path: "/greeting",
              handle: () => ({ status: 200, contentType: "text/plain", body: greeting }),
            },
          ],
        })),
      ).pipe(Layer.provide(Layer.succeed(Greeting, "good day")));
      const context = yield* Layer.build(server);
      assert.isFalse(yield* Context.get(context, Drain).isDraining);
      const port = portOf(Context.get(context, HttpServer.HttpServer).address);
      assert.strictEqual((yield* sendRaw(port, requestText("GET", "/greeting"))).body, "good day");
    }),
  );

  it.live("answers 503 until something is served", () =>
    Effect.gen(function* () {
      const context = yield* make({ port: 0 });
      const server = Context.get(context, HttpServer.HttpServer);
      const answer = yield* sendRaw(portOf(server.address), requestText("GET", "/"));
      assert.deepStrictEqual(answer.statuses, [503]);
      assert.strictEqual(JSON.parse(answer.body).code, "NOT_READY");
    }),
  );

  it.live("runs middleware and pre-response handlers as any HttpServer does", () =>
    Effect.gen(function* () {
      const context = yield* make({ port: 0 });
      const server = Context.get(context, HttpServer.HttpServer);
      const seen: Array<string> = [];
      yield* server.serve(Effect.succeed(HttpServerResponse.text("ok")), (app) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          seen.push(request.url);
          return app;
        }),
      );
      const answer = yield* sendRaw(portOf(server.address), requestText("GET", "/seen"));
      assert.strictEqual(answer.body, "ok");
      assert.deepStrictEqual(seen, ["/seen"]);
    }),
  );

  it.live("tells that a port is taken instead of sharing it", () =>
    Effect.gen(function* () {
      const context = yield* make({ port: 0 });
      const port = portOf(Context.get(context, HttpServer.HttpServer).address);
      const error = yield* Effect.flip(make({ port }));
      assert.strictEqual(error._tag, "BindError");
      assert.strictEqual(error.reason, "refused");
      assert.include(error.message, String(port));
    }),
  );

  it.live("tells that a host has no address", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(make({ host: "no.such.host.invalid", port: 0 }));
      assert.strictEqual(error.reason, "unresolved");
    }),
  );

  it.live("listens on a name, and on IPv6", () =>
    Effect.gen(function* () {
      for (const host of ["localhost", "::1"]) {
        const context = yield* make({ host, port: 0 });
        const url = HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address);
        const response = yield* Effect.promise(() => fetch(url));
        assert.strictEqual(response.status, 503);
        yield* Effect.promise(() => response.arrayBuffer());
      }
    }),
  );
});
