// The entry of a serving thread: see `servingThreads`.
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { holding } from "@millrace/core";
import * as Uws from "@millrace/platform-uws";
import { Cause, Context, Effect, Exit, Layer, Logger, References, Scope } from "effect";
import { HttpServer, HttpServerRequest } from "effect/http";
import { makeLimits } from "../limits/Limits.ts";
import { sharedTimes } from "../limits/SharedBudgets.ts";
import { LoopHolds } from "../metrics/LoopHolds.ts";
import { ServingCounts } from "../metrics/ServingCounts.ts";
import { MainThread } from "./MainThread.ts";
import type { ThreadData, ToThread } from "./messages.ts";
import { ThreadNetwork } from "./ThreadNetwork.ts";
import { ThreadSockets } from "./ThreadSockets.ts";
import { threadOptions } from "./threadOptions.ts";

/** Interval at which the thread reports its counts and checks its memory. */
const LOOK_MS = 250;
/** Share of its memory limit beyond which the thread ends, while it can still close connections. */
const HEAP_SHARE_MAX = 0.85;

const data = workerData as ThreadData;
const port = parentPort!;
const main = new MainThread(port);
const all = data.counts.map((buffer) => new ServingCounts(buffer));
const counts = all[data.index]!;
const limits = makeLimits(data.limits, sharedTimes(data.budgets));
const answers = new Uws.AnswerQueue(
  data.limits.shedding ? data.limits.waitMs : Number.POSITIVE_INFINITY,
  {
    nowMs: () => performance.now(),
    afterInput: (run) => void setImmediate(holding, "answers", run),
    after: (ms, run) => void setTimeout(run, ms),
  },
);
const networks = new Map<string, ThreadNetwork>();
const sockets = new ThreadSockets(main, limits, counts);
const holds = new LoopHolds();
const scope = Scope.makeUnsafe();
let drain: Uws.Drain["Service"] | undefined;

process.on("uncaughtException", (error) => fail(error.stack ?? String(error)));
port.on("message", take);
setInterval(look, LOOK_MS).unref();

// Not awaited here: ending a thread while a module with a top-level `await` runs takes down the
// whole process (nodejs/node#53238).
void Effect.runPromiseExit(Effect.provide(start(), logging())).then((exit) => {
  if (Exit.isSuccess(exit)) main.tell({ kind: "listening" });
  else fail(Cause.pretty(exit.cause));
});

function start() {
  const options = threadOptions(data, { main, networks, limits, counts, all, answers, sockets });
  return Effect.gen(function* () {
    const services = yield* Scope.provide(Uws.make(options), scope);
    const server = Context.get(services, HttpServer.HttpServer);
    drain = Context.get(services, Uws.Drain);
    yield* Scope.provide(server.serve(forwarded), scope);
  });
}

/** The writing thread answers what no direct route of this thread takes. */
const forwarded = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest;
  const { name: client } = limits.clientOf(request);
  const answer = yield* main.ask({ kind: "request", request: Uws.copyRequest(request), client });
  return Uws.pastedResponse(answer);
});

function take(message: ToThread): void {
  switch (message.kind) {
    case "answer":
      main.answered(message.id, message.answer);
      return;
    case "sockets":
      sockets.act(message.actions);
      return;
    case "address":
      sockets.openElsewhere(message.address, message.count);
      return;
    case "network": {
      const { state } = message;
      const network = networks.get(state.config.id);
      if (network !== undefined) network.update(state);
      else networks.set(state.config.id, openNetwork(message.state));
      return;
    }
    case "verdicts":
      networks.get(message.network)?.judged(message.verdicts);
      return;
    case "graph":
      networks.get(message.network)?.opened(message.port);
      return;
    case "leave":
      void leave();
  }
}

function openNetwork(state: Extract<ToThread, { readonly kind: "network" }>["state"]) {
  return new ThreadNetwork(state, {
    elsewhere: (network, request, client) => main.ask({ kind: "quote", network, request, client }),
    torn: () => counts.add("torn", 1),
  });
}

function look(): void {
  counts.set("waiting", answers.length);
  counts.set("late", answers.isLate ? 1 : 0);
  counts.set("inFlight", drain === undefined ? 0 : Effect.runSync(drain.inFlight));
  counts.set("holdMs", holds.longestMs());
  for (const [network, { routedSwaps }] of networks) {
    const swaps = routedSwaps.take();
    if (swaps.length > 0) main.tell({ kind: "routed", network, swaps });
  }
  const { heap_size_limit, used_heap_size } = getHeapStatistics();
  if (used_heap_size > HEAP_SHARE_MAX * heap_size_limit) fail("its memory is used up");
}

/** Ends the thread at once; its exit closes the connections. */
function fail(reason: string): void {
  main.tell({ kind: "failed", reason });
  process.exit(1);
}

async function leave(): Promise<void> {
  await Effect.runPromise(Scope.close(scope, Exit.void));
  process.exit(0);
}

/** One thread writes the lines of the log. */
function logging() {
  const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
    const [first, ...rest] = Array.isArray(message) ? message : [message];
    const text = [first, ...rest].map(String).join(" ");
    main.tell({
      kind: "log",
      level: logLevel,
      text: cause.reasons.length === 0 ? text : `${text}\n${Cause.pretty(cause)}`,
      details: textsOf(fiber.getRef(References.CurrentLogAnnotations)),
    });
  });
  return Layer.merge(
    Logger.layer([logger]),
    // The writing thread knows which levels are wanted.
    Layer.succeed(References.MinimumLogLevel, "All"),
  );
}

const textsOf = (details: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)]));
