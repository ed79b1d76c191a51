import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime";
import { Cause, Effect, Exit, Layer } from "effect";
import { HttpServer } from "effect/http";
import { loadConfig } from "./config/loadConfig.ts";
import { logging } from "./logging.ts";

// What a command does is loaded when it runs: a wrong configuration is told at once.

const USAGE = `usage: npm start                         the service, until a signal ends it
       npm start -- verify [NETWORK_ID]  reads the markets of the configured chains, or of one,
                                         from scratch, and compares: 0 when equal, else 1
       npm start -- executor NETWORK_ID  prints the unsigned transaction that deploys the network's
                                         executor, and the address that it will have, as JSON
       npm start -- --help               this

Configured by MILLRACE_CONFIG=FILE.json and by the environment: see docs/configuration.md.
`;

/**
 * Runs what the arguments of the command line say: the service, until a signal ends it (then what
 * is in flight is finished, the rest refused, and the exit code is 0), or a command that ends by
 * itself. The exit code is 1 when that cannot be, with one message that says why.
 */
export function run(words: ReadonlyArray<string>): void {
  NodeRuntime.runMain(Effect.tapCause(command(words), complain), {
    disableErrorReporting: true,
    teardown,
  });
}

function command([name, ...rest]: ReadonlyArray<string>) {
  if (name === undefined) return service;
  if (name === "--help" || name === "-h" || name === "help") return print(USAGE);
  if (name === "verify" && rest.length <= 1) return verifyNetworks(rest[0]);
  if (name === "executor" && rest.length === 1) return printDeployment(rest[0]!);
  return Effect.fail(new Error(`what is "${[name, ...rest].join(" ")}"?\n${USAGE}`));
}

const service = Effect.gen(function* () {
  const config = yield* loadConfig(process.env);
  const { server } = yield* Effect.promise(() => import("./server.ts"));
  const announced = Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer;
      yield* print(`millrace listens on ${HttpServer.formatAddress(address)}\n`);
    }),
  );
  const layer = announced.pipe(Layer.provideMerge(server(config)), Layer.provide(logging(config)));
  return yield* Layer.launch(layer);
});

const verifyNetworks = Effect.fnUntraced(function* (networkId: string | undefined) {
  const config = yield* loadConfig(process.env);
  const { verify } = yield* Effect.promise(() => import("./verify/verify.ts"));
  const isEqual = yield* Effect.provide(verify(config, networkId, print), logging(config));
  if (!isEqual) yield* Effect.sync(() => (process.exitCode = 1));
});

const printDeployment = Effect.fnUntraced(function* (networkId: string) {
  const config = yield* loadConfig(process.env);
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
