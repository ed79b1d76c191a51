import { Api, openApiText } from "@millrace/api";
import * as Uws from "@millrace/platform-uws";
import { Effect, Layer } from "effect";
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import type { ServerConfig } from "./config/ServerConfig.ts";
import { Metrics } from "./Metrics.ts";
import { Networks } from "./networks/Networks.ts";
import { QuoteHandler } from "./quote/QuoteHandler.ts";
import { failures, wordRefusal } from "./routes/failures.ts";
import { marketRoutes } from "./routes/marketRoutes.ts";
import { operationsRoutes } from "./routes/operationsRoutes.ts";
import { NO_STORE } from "./routes/responses.ts";
import { schemaFailures } from "./routes/schemaFailures.ts";
import { swapRoutes } from "./routes/swapRoutes.ts";
import { TokenHandler } from "./routes/TokenHandler.ts";
import { SwapHandler } from "./swap/SwapHandler.ts";

/** The whole service: it listens at once, and its networks open in the background. */
export const server = (config: ServerConfig) =>
  HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: {
      // A search for a long text is refused by its own route, with an issue.
      maxParamLength: 4_096,
      // `//tokens` is not a path of the interface.
      ignoreDuplicateSlashes: false,
    },
  }).pipe(
    Layer.provideMerge(uws(config)),
    Layer.provideMerge(QuoteHandler.layer),
    Layer.provideMerge(SwapHandler.layer),
    Layer.provideMerge(TokenHandler.layer),
    Layer.provideMerge(Metrics.layer),
    Layer.provideMerge(Networks.layer(config)),
  );

const openApi = HttpRouter.use((router) => {
  const text = openApiText();
  const options = { contentType: "application/json" };
  return router.add("GET", "/openapi.json", Effect.succeed(HttpServerResponse.text(text, options)));
});

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide([marketRoutes, swapRoutes, operationsRoutes]),
    Layer.provide(schemaFailures),
  ),
  openApi,
  failures,
).pipe(Layer.provide(HttpServer.layerServices));

const uws = (config: ServerConfig) =>
  Uws.layer(
    Effect.gen(function* () {
      const quotes = yield* QuoteHandler;
      const swaps = yield* SwapHandler;
      const tokens = yield* TokenHandler;
      const quoteRoute: Uws.DirectRoute = {
        method: "POST",
        path: "/:network/quote",
        headers: Object.entries(NO_STORE),
        handle: ({ parameters, body, query }) => quotes.handle(parameters[0] ?? "", body, query),
      };
      const swapRoute = (path: "swap" | "permit"): Uws.DirectRoute => ({
        method: "POST",
        path: `/:network/${path}`,
        headers: Object.entries(NO_STORE),
        handle: ({ parameters, body, query }) =>
          swaps.handle(path, parameters[0] ?? "", body, query),
      });
      const tokenRoute: Uws.DirectRoute = {
        method: "GET",
        path: "/tokens/:address",
        headers: Object.entries(NO_STORE),
        handle: ({ parameters, query }) => tokens.handle(parameters[0] ?? "", query),
      };
      return {
        host: config.host,
        port: config.port,
        directRoutes: [quoteRoute, swapRoute("swap"), swapRoute("permit"), tokenRoute],
        cors: { allowedOrigins: config.corsOrigins },
        problem: wordRefusal,
        readinessDelayMs: config.readinessDelayMs,
        gracePeriodMs: config.gracePeriodMs,
      };
    }),
  );
