import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime";
import { Cause, Effect, Exit, Layer } from "effect";
import { HttpServer } from "effect/http";
import { loadConfig } from "./config/loadConfig.ts";
import { logging } from "./logging.ts";
import { traceSettings } from "./traces/traceSettings.ts";

// A command's code is loaded when it runs: a wrong configuration is reported at once.

const USAGE = `usage: millrace serve                the service, until a signal ends it
       millrace verify [NETWORK_ID]  reads the markets of the configured chains, or of one, from
                                     scratch, and compares: 0 when equal, else 1
       millrace executor NETWORK_ID  prints the unsigned transaction that deploys the network's
                                     executor, and the address that it will have, as JSON

Configured by MILLRACE_CONFIG=FILE.json and by the environment: see docs/configuration.md.
`;

/** Configuration beside the environment of the process. */
export interface GivenSettings {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** They override those of the file. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/**
 * Runs the command of the arguments: the service, until a signal ends it (then requests in flight
 * finish, others are refused, and the exit code is 0), or a command that ends by itself. After a
 * failure the exit code is 1, with one message that says why.
 */
export function run(words: ReadonlyArray<string>, given: GivenSettings = {}): void {
  const { environment = process.env, settings } = given;
  NodeRuntime.runMain(
    Effect.tapCause(command(words, loadConfig(environment, settings), environment), complain),
    { disableErrorReporting: true, teardown },
  );
}

type Loading = ReturnType<typeof loadConfig>;
type Environment = Readonly<Record<string, string | undefined>>;

function command(
  [name, ...rest]: ReadonlyArray<string>,
  loading: Loading,
  environment: Environment,
) {
  if (name === undefined) return service(loading, environment);
  if (name === "--help" || name === "-h" || name === "help") return print(USAGE);
  if (name === "verify" && rest.length <= 1) return verifyNetworks(loading, rest[0]);
  if (name === "executor" && rest.length === 1) return printDeployment(loading, rest[0]!);
  return Effect.fail(new Error(`what is "${[name, ...rest].join(" ")}"?\n${USAGE}`));
}

const service = Effect.fnUntraced(function* (loading: Loading, environment: Environment) {
  const config = yield* loading;
  const traces = yield* tracesOf(environment);
  const { server } = yield* Effect.promise(() => import("./server.ts"));
  const { PageFiles } = yield* Effect.promise(() => import("./page/PageFiles.ts"));
  const announced = Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer;
      yield* (yield* PageFiles).prepare;
      yield* print(`millrace listens on ${HttpServer.formatAddress(address)}\n`);
    }),
  );
  const layer = announced.pipe(
    Layer.provideMerge(server(config)),
    Layer.provide([logging(config), traces]),
  );
  return yield* Layer.launch(layer);
});

/** The code that sends traces is loaded only where a collector is configured. */
const tracesOf = Effect.fnUntraced(function* (environment: Environment) {
  const settings = yield* traceSettings(environment);
  if (settings === undefined) return Layer.empty;
  const { openTraces } = yield* Effect.promise(() => import("./traces/openTraces.ts"));
  return openTraces(settings);
});

const verifyNetworks = Effect.fnUntraced(function* (
  loading: Loading,
  networkId: string | undefined,
) {
  const config = yield* loading;
  const { verify } = yield* Effect.promise(() => import("./verify/verify.ts"));
  const isEqual = yield* Effect.provide(verify(config, networkId, print), logging(config));
  if (!isEqual) yield* Effect.sync(() => (process.exitCode = 1));
});

const printDeployment = Effect.fnUntraced(function* (loading: Loading, networkId: string) {
  const config = yield* loading;
  const { deployment } = yield* Effect.promise(() => import("./deploy/deployment.ts"));
  yield* print(yield* deployment(config, networkId));
});

const print = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(text));

function complain(cause: Cause.Cause<unknown>): Effect.Effect<void> {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void;
  const error = Cause.squash(cause);
  const message = error instanceof Error ? error.message : String(error);
  return Effect.sync(() => void process.stderr.write(`millrace: ${message}\n`));
}

/** A signal interrupts: that is how a service ends well. */
function teardown<E, A>(exit: Exit.Exit<E, A>, onExit: (code: number) => void): void {
  const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause);
  onExit(failed ? 1 : Number(process.exitCode ?? 0));
}
