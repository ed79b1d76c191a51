import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import { Cause, Effect, Exit, Layer } from "effect";
import { HttpServer } from "effect/http";
import { loadConfig } from "./config/loadConfig.ts";
import { logging } from "./logging.ts";
import { server } from "./server.ts";

/**
 * Runs the service until a signal ends it; then what is in flight is finished, the rest refused,
 * and the exit code is 0. It is 1 when the service cannot start, with one message that says why.
 */
export function run(): void {
  NodeRuntime.runMain(main, { disableErrorReporting: true, teardown });
}

const main = Effect.gen(function* () {
  const config = yield* loadConfig(process.env);
  const announced = Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer;
      yield* Effect.sync(() =>
        process.stdout.write(`millrace listens on ${HttpServer.formatAddress(address)}\n`),
      );
    }),
  );
  const service = announced.pipe(
    Layer.provideMerge(server(config)),
    Layer.provide(logging(config)),
  );
  return yield* Layer.launch(service);
}).pipe(
  Effect.tapCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void;
    const error = Cause.squash(cause);
    const message = error instanceof Error ? error.message : String(error);
    return Effect.sync(() => process.stderr.write(`millrace: ${message}\n`));
  }),
);

/** A signal interrupts: that is how a service ends well. */
function teardown<E, A>(exit: Exit.Exit<E, A>, onExit: (code: number) => void): void {
  const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause);
  onExit(failed ? 1 : 0);
}
