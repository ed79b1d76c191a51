import type { HttpResponse, TemplatedApp } from "uWebSockets.js";
import { isMainThread } from "node:worker_threads";
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as HttpServer from "effect/http/HttpServer";
import * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";
import type { BindError } from "./BindError.ts";
import { makeCrossOrigin } from "./crossOrigin.ts";
import { Drain } from "./Drain.ts";
import { registerEffectRoute } from "./effectRoute.ts";
import { Lifecycle } from "./Lifecycle.ts";
import { listen } from "./listen.ts";
import { loadNativeLibrary } from "./native/loadNativeLibrary.ts";
import type { NativeLibraryError } from "./native/NativeLibraryError.ts";
import { type ServerOptions, withDefaults } from "./options.ts";
import { problemDetails } from "./problem.ts";
import { registerDirectRoute } from "./registerDirectRoute.ts";
import type { ServerState } from "./ServerState.ts";
import { shutDown } from "./shutDown.ts";
import { peerAddress } from "./webSocket/peerAddress.ts";
import { registerWebSocketRoute } from "./webSocket/registerWebSocketRoute.ts";
import { Sockets } from "./webSocket/Sockets.ts";

/**
 * A listening server: Effect's `HttpServer`, and the `Drain` of its shutdown. The options may come
 * from an Effect, for direct routes that need services. It listens as soon as it is built. Until
 * something is served, requests that no direct route takes get 503.
 */
export const layer = <E = never, R = never>(
  options: ServerOptions | Effect.Effect<ServerOptions, E, R>,
): Layer.Layer<
  HttpServer.HttpServer | Drain,
  BindError | NativeLibraryError | E,
  Exclude<R, Scope.Scope>
> =>
  Layer.effectContext(
    Effect.flatMap(Effect.isEffect(options) ? options : Effect.succeed(options), make),
  );

/** The server as an Effect: it lives as long as the scope. */
export const make = Effect.fnUntraced(function* (options: ServerOptions) {
  const resolved = withDefaults(options);
  const state = yield* makeState(resolved);
  const uws = yield* loadNativeLibrary(resolved.nativeLibrary);
  const app = uws.App();
  yield* closedAtExit(app);
  for (const route of resolved.directRoutes) registerDirectRoute(app, route, state);
  for (const route of resolved.webSocketRoutes) registerWebSocketRoute(app, route, state);
  const effectRoute = registerEffectRoute(app, state);
  function count(response: HttpResponse, change: unknown): void {
    if (Number(change) < 0) state.connections.closed();
    else if (!state.connections.opened(peerAddress(response.getRemoteAddress()))) response.close();
  }
  app.filter(count);
  // `serve` ends before the server does, and would interrupt its requests. So whichever scope
  // closes first begins the shutdown, and both wait for it.
  let shutdown: Effect.Effect<void> = Effect.void;
  const listening = yield* Effect.acquireRelease(
    listen(uws, app, resolved.host, resolved.port, resolved.sharesPort),
    () => shutdown,
  );
  state.connections.listensOn(listening.port);
  shutdown = yield* Effect.cached(shutDown(app, listening, state, resolved));
  const server = HttpServer.make({
    address: listening.address,
    serve: (httpEffect, middleware) =>
      Effect.gen(function* () {
        yield* effectRoute.serve(httpEffect, middleware);
        yield* Scope.addFinalizer(yield* Effect.scope, shutdown);
      }),
  });
  return Context.make(HttpServer.HttpServer, server).pipe(
    Context.add(Drain, makeDrain(state.lifecycle)),
  );
});

/**
 * A worker thread that exits with open native sockets crashes the process, so they are closed at
 * its exit. Killing the thread (`terminate`, or running out of memory within one callback) runs no
 * exit handler, and still crashes it.
 */
const closedAtExit = Effect.fnUntraced(function* (app: TemplatedApp) {
  if (isMainThread) return;
  const close = () => void app.close();
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("exit", close)),
    () => Effect.sync(() => process.off("exit", close)),
  );
});

const makeState = (options: ReturnType<typeof withDefaults>) =>
  Effect.map(Effect.context<Scope.Scope>(), (services): ServerState => {
    // Made before the server listens, so that it closes after the shutdown.
    const scope = Scope.forkUnsafe(Context.get(services, Scope.Scope), "parallel");
    return {
      bodyBytesMax: options.bodyBytesMax,
      queryBytesMax: options.queryBytesMax,
      inFlightMax: options.inFlightMax,
      lifecycle: new Lifecycle(),
      answers: options.answers,
      identify: options.identify,
      isExempt: options.isExempt,
      onShed: options.onShed,
      connections: options.connections,
      crossOrigin: makeCrossOrigin(options.cors),
      sockets: new Sockets(),
      problem: options.problem ?? problemDetails,
      fork: (effect) => Fiber.runIn(Effect.runForkWith(services)(effect), scope),
      report: (cause, { method, path }, requestId) => {
        const reason = Cause.isCause(cause) ? cause : Cause.die(cause);
        const log = Effect.annotateLogs(Effect.logError("A request failed", reason), {
          method,
          path,
          requestId,
        });
        Effect.runForkWith(services)(log);
      },
    };
  });

const makeDrain = (lifecycle: Lifecycle): Drain["Service"] => ({
  begin: Effect.sync(() => lifecycle.beginDraining()),
  begun: Effect.callback<void>((resume) => lifecycle.onDraining(() => resume(Effect.void))),
  isDraining: Effect.sync(() => lifecycle.draining),
  isDrainingUnsafe: () => lifecycle.draining,
  inFlight: Effect.sync(() => lifecycle.inFlight),
});
