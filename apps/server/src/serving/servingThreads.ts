import { availableParallelism } from "node:os";
import {
  answerCopies,
  type BindError,
  claimPort,
  Drain,
  type NativeLibraryError,
} from "@millrace/platform-uws";
import { Context, Effect, Fiber, Layer, Scope } from "effect";
import { HttpServer } from "effect/http";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { AnswerTurns } from "../limits/AnswerTurns.ts";
import { Limits } from "../limits/Limits.ts";
import type { SharedBudgets } from "../limits/SharedBudgets.ts";
import { Metrics } from "../Metrics.ts";
import { ServingCounts, sumOfCounts } from "../metrics/ServingCounts.ts";
import { Networks } from "../networks/Networks.ts";
import { TokenHandler } from "../routes/TokenHandler.ts";
import { sourceOf } from "../streaming/makeAdmission.ts";
import { Streams } from "../streaming/Streams.ts";
import type { ThreadData } from "./messages.ts";
import { NetworkStates } from "./NetworkStates.ts";
import { type AnswerCopy, questionAnswerer } from "./questionAnswerer.ts";
import { ServingThread, type ThreadHost } from "./ServingThread.ts";
import { ThreadGroup } from "./ThreadGroup.ts";

/** Number of serving threads; 1: the writing thread serves, too. */
export const servingThreadsOf = ({
  servingThreads,
}: Pick<ServerConfig, "servingThreads">): number =>
  servingThreads === "auto" ? Math.max(1, availableParallelism() - 1) : servingThreads;

/** Time for a thread to end, in addition to the grace period. */
const END_MS = 2_000;

/**
 * Threads that serve HTTP and WebSockets, and read the markets in place: gives the `HttpServer` of
 * the service, and the `Drain` of all threads. What they do not answer themselves is answered here.
 */
export const servingThreads = (
  config: ServerConfig,
  budgets: SharedBudgets,
): Layer.Layer<
  HttpServer.HttpServer | Drain,
  BindError | NativeLibraryError,
  AnswerTurns | Limits | Metrics | Networks | Streams | TokenHandler
> => Layer.effectContext(make(config, budgets));

const make = Effect.fnUntraced(function* (config: ServerConfig, budgets: SharedBudgets) {
  const networks = yield* Networks;
  const limits = yield* Limits;
  const metrics = yield* Metrics;
  const streams = yield* Streams;
  const tokens = yield* TokenHandler;
  const answerTurns = yield* AnswerTurns;
  const services = yield* Effect.context<never>();
  const runFork = Effect.runForkWith(services);
  const { host, nativeLibrary } = config;
  const { address, port } = yield* claimPort(host, config.port, nativeLibrary);
  let answerCopy: AnswerCopy | undefined;

  const threadHost: Omit<ThreadHost, "counted" | "ended"> = {
    answer: questionAnswerer({
      networks,
      tokens,
      answerTurns,
      shed: metrics.shed,
      services,
      answerCopy: (copy) => answerCopy?.(copy),
    }),
    openSocket: (connection, request) => ({
      handler: streams.open(connection, request),
      address: limits.identify(sourceOf(request)).address,
    }),
    log: ({ level, text, details }) => {
      const log = LOGS[level] ?? Effect.logInfo;
      runFork(Effect.annotateLogs(log(text), details));
    },
    routed: ({ network, swaps }) => networks.byId(network)?.market?.routedSwaps?.heard(swaps),
    slowReader: () => metrics.streams.slowReaders++,
    report: (cause) => void runFork(Effect.logError("A stream failed", cause)),
  };
  const count = servingThreadsOf(config);
  const buffers = Array.from({ length: count }, () => new SharedArrayBuffer(ServingCounts.bytes));
  metrics.threads.push(...buffers.map((buffer) => new ServingCounts(buffer)));
  const states = networks.all.map((network) => new NetworkStates(network, () => group.threads));
  const dataOf = (index: number): ThreadData => ({
    ...{ index, host, port, nativeLibrary, budgets },
    corsOrigins: config.corsOrigins,
    gracePeriodMs: config.gracePeriodMs,
    limits: config.limits,
    streams: config.streams,
    networkIds: networks.all.map(({ config: { id } }) => id),
    counts: buffers,
  });
  const group: ThreadGroup = new ThreadGroup({
    count,
    start: (index, hooks) =>
      new ServingThread(dataOf(index), metrics.threads[index]!, { ...threadHost, ...hooks }),
    tell: (thread) => {
      for (const state of states) state.tellAll(thread);
    },
    counted: (serving, lost) => Object.assign(metrics.serving, { count: serving, lost }),
    lost: (index, reason) =>
      void runFork(
        Effect.logError("a serving thread ended and is replaced", reason).pipe(
          Effect.annotateLogs({ thread: index + 1 }),
        ),
      ),
  });
  const end = (patienceMs: number) =>
    Effect.promise(async () => {
      await group.end(patienceMs);
      for (const state of states) state.close();
    });
  let shutdown = end(0);
  yield* Effect.addFinalizer(() => shutdown);
  yield* Effect.promise(() => group.start());
  const draining = new Set<() => void>();
  let isDraining = false;
  const begin = (): void => {
    isDraining = true;
    for (const notify of draining) notify();
    draining.clear();
  };
  shutdown = yield* Effect.cached(
    Effect.gen(function* () {
      begin();
      if (config.readinessDelayMs > 0) yield* Effect.sleep(config.readinessDelayMs);
      yield* end(config.gracePeriodMs + END_MS);
    }),
  );
  const server = HttpServer.make({
    address,
    serve: (httpEffect, middleware) =>
      Effect.gen(function* () {
        const serveScope = yield* Effect.scope;
        const mine = yield* answerCopies(httpEffect, middleware);
        const requests = Scope.forkUnsafe(serveScope, "parallel");
        answerCopy = (copy) =>
          Effect.flatMap(
            Effect.sync(() => Fiber.runIn(runFork(mine(copy)), requests)),
            (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber)),
          );
        yield* Scope.addFinalizer(serveScope, shutdown);
      }),
  });
  return Context.make(HttpServer.HttpServer, server).pipe(
    Context.add(Drain, {
      begin: Effect.sync(begin),
      begun: Effect.callback<void>((resume) => {
        const notify = () => resume(Effect.void);
        if (isDraining) notify();
        else draining.add(notify);
      }),
      isDraining: Effect.sync(() => isDraining),
      isDrainingUnsafe: () => isDraining,
      inFlight: Effect.sync(() => sumOfCounts(metrics.threads, "inFlight")),
    }),
  );
});

const LOGS: Readonly<Record<string, typeof Effect.logInfo>> = {
  Debug: Effect.logDebug,
  Info: Effect.logInfo,
  Warn: Effect.logWarning,
  Error: Effect.logError,
  Fatal: Effect.logFatal,
};
