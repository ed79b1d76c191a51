import { Api, asyncApiText, openApiText } from "@millrace/api";
import * as Uws from "@millrace/platform-uws";
import { Effect, Layer } from "effect";
import { HttpRouter, HttpServer } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { NO_STORE } from "./answers/responses.ts";
import { SentText } from "./answers/SentText.ts";
import type { ServerConfig } from "./config/ServerConfig.ts";
import { AnswerTurns } from "./limits/AnswerTurns.ts";
import { isHealth } from "./limits/costOfRoute.ts";
import { type ClientIdentity, Limits } from "./limits/Limits.ts";
import { allocateBudgets, sharedTimes } from "./limits/SharedBudgets.ts";
import { Metrics } from "./Metrics.ts";
import type { BlockSteps } from "./networks/BlockSteps.ts";
import { Networks } from "./networks/Networks.ts";
import { PageFiles } from "./page/PageFiles.ts";
import { pageRoutes } from "./page/pageRoutes.ts";
import { QuoteHandler } from "./quote/QuoteHandler.ts";
import { failures } from "./routes/failures.ts";
import { isOpenToPages } from "./routes/isOpenToPages.ts";
import { marketRoutes } from "./routes/marketRoutes.ts";
import { operationsListener } from "./routes/operationsListener.ts";
import { operationsRoutes } from "./routes/operationsRoutes.ts";
import { respondKept } from "./routes/respondKept.ts";
import { routeOf } from "./routes/routeTable.ts";
import { schemaFailures } from "./routes/schemaFailures.ts";
import { swapRoutes } from "./routes/swapRoutes.ts";
import { TokenHandler } from "./routes/TokenHandler.ts";
import { walletRoutes } from "./routes/walletRoutes.ts";
import { wordRefusal } from "./routes/wordRefusal.ts";
import { servingThreads, servingThreadsOf } from "./serving/servingThreads.ts";
import { Streams } from "./streaming/Streams.ts";
import { SwapHandler } from "./swap/SwapHandler.ts";

/** The whole service: it listens at once, and its networks open in the background. */
export const server = (config: ServerConfig, steps?: BlockSteps) => {
  const budgets = servingThreadsOf(config) > 1 ? allocateBudgets(config.limits) : undefined;
  const serving = budgets === undefined ? uws(config) : servingThreads(config, budgets);
  return HttpRouter.serve(operationsListener(config).pipe(Layer.provideMerge(routes(config))), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: {
      // `failures` passes on canonical paths: the router must find all that the table of routes
      // has.
      caseSensitive: true,
      ignoreDuplicateSlashes: false,
      ignoreTrailingSlash: false,
      // A search for a long text is refused by its own route, with an issue.
      maxParamLength: Number.MAX_SAFE_INTEGER,
    },
  }).pipe(
    Layer.provideMerge(serving),
    Layer.provideMerge(QuoteHandler.layer),
    Layer.provideMerge(SwapHandler.layer),
    Layer.provideMerge(TokenHandler.layer),
    Layer.provideMerge(PageFiles.layer),
    Layer.provideMerge(Streams.layer(config)),
    Layer.provideMerge(Limits.layer(config, budgets && sharedTimes(budgets))),
    Layer.provideMerge(Metrics.layer),
    Layer.provideMerge(AnswerTurns.layer(config)),
    Layer.provideMerge(Networks.layer(config, steps)),
  );
};

const documents = HttpRouter.use((router) => {
  const add = (path: `/${string}`, text: SentText) =>
    router.add("GET", path, (request) => respondKept(request, text, "application/json"));
  madeDocuments ??= {
    openApi: SentText.of(openApiText()),
    asyncApi: SentText.of(asyncApiText()),
  };
  const { openApi, asyncApi } = madeDocuments;
  return Effect.andThen(add("/openapi.json", openApi), add("/asyncapi.json", asyncApi));
});

/** Shared by all servers of a process; making them takes tens of milliseconds. */
let madeDocuments: { readonly openApi: SentText; readonly asyncApi: SentText } | undefined;

const routes = ({ operations, host }: ServerConfig) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([marketRoutes, swapRoutes, operationsRoutes, walletRoutes(host)]),
      Layer.provide(schemaFailures),
    ),
    documents,
    pageRoutes,
    failures(operations !== undefined),
  ).pipe(Layer.provide(HttpServer.layerServices));

/** Logs that connections are refused, at most once a minute: refusals come by the thousand. */
const connectionRefusals = Effect.map(Effect.context<never>(), (context) => {
  let loggedMs = Number.NEGATIVE_INFINITY;
  return (reason: "all" | "peer"): void => {
    const nowMs = performance.now();
    if (nowMs - loggedMs < LOGGED_EVERY_MS) return;
    loggedMs = nowMs;
    const log = Effect.logWarning("Connections are refused").pipe(
      Effect.annotateLogs({ because: TOO_MANY[reason] }),
    );
    Effect.runForkWith(context)(log);
  };
});

const LOGGED_EVERY_MS = 60_000;
const TOO_MANY = {
  all: "three quarters of the descriptors that the process may have are taken",
  peer: "one address has a quarter of all connections that are taken",
};

const uws = (config: ServerConfig) =>
  Uws.layer(
    Effect.gen(function* () {
      const limits = yield* Limits;
      const metrics = yield* Metrics;
      const networks = yield* Networks;
      const quotes = yield* QuoteHandler;
      const swaps = yield* SwapHandler;
      const tokens = yield* TokenHandler;
      const streams = yield* Streams;
      const answers = yield* AnswerTurns;
      const refused = yield* connectionRefusals;
      // `/tokens/quote` belongs to the market-data interface, `/%45TH/quote` to the network ETH.
      const isNetwork = ([id]: ReadonlyArray<string>) => networks.byId(id!) !== undefined;
      const quoteRoute: Uws.DirectRoute = {
        method: "POST",
        path: "/:network/quote",
        accepts: isNetwork,
        headers: Object.entries(NO_STORE),
        handle: ({ parameters, body, query, client }) =>
          quotes.handle(parameters[0] ?? "", body, query, client as ClientIdentity),
      };
      const swapRoute = (path: "swap" | "permit"): Uws.DirectRoute => ({
        method: "POST",
        path: `/:network/${path}`,
        accepts: isNetwork,
        headers: Object.entries(NO_STORE),
        handle: ({ parameters, body, query, client }) =>
          swaps.handle(path, parameters[0] ?? "", body, query, client as ClientIdentity),
      });
      const tokenRoute: Uws.DirectRoute = {
        method: "GET",
        path: "/tokens/:address",
        accepts: ([address]) => !address!.includes("%"),
        headers: Object.entries(NO_STORE),
        handle: ({ parameters, query, client }) =>
          tokens.handle(parameters[0] ?? "", query, client as ClientIdentity),
      };
      return {
        host: config.host,
        port: config.port,
        directRoutes: [quoteRoute, swapRoute("swap"), swapRoute("permit"), tokenRoute],
        webSocketRoutes: [
          {
            path: "/ws",
            messageBytesMax: config.streams.messageBytesMax,
            bufferedBytesMax: config.streams.bufferedBytesMax,
            admit: streams.admit,
            open: streams.open,
          },
        ],
        identify: limits.identify,
        answers,
        isExempt: (path) => isHealth(routeOf(path)?.pattern ?? ""),
        onShed: metrics.shed,
        connections: {
          peerOf: limits.peerOf,
          onCount: (open) => {
            metrics.connections.open = open;
          },
          onRefused: (reason) => {
            metrics.connections.refused++;
            refused(reason);
          },
        },
        cors: { allowedOrigins: config.corsOrigins, allows: isOpenToPages },
        problem: wordRefusal,
        readinessDelayMs: config.readinessDelayMs,
        gracePeriodMs: config.gracePeriodMs,
        ...(config.nativeLibrary !== undefined && { nativeLibrary: config.nativeLibrary }),
      };
    }),
  );
