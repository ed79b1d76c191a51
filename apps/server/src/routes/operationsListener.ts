import * as Uws from "@millrace/platform-uws";
import { Context, Effect, Layer } from "effect";
import { HttpRouter, HttpServer } from "effect/http";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { Listener } from "./Listener.ts";
import { wordRefusal } from "./wordRefusal.ts";

/**
 * A listener for operators alone, where one is configured: requests there are neither limited nor
 * shed, and no page of another origin may read the answers.
 */
export const operationsListener = (config: ServerConfig) => {
  const { operations, nativeLibrary, readinessDelayMs, gracePeriodMs } = config;
  if (operations === undefined) return Layer.empty;
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter;
      const services = yield* Uws.make({
        ...operations,
        isExempt: () => true,
        cors: false,
        problem: wordRefusal,
        ...{ readinessDelayMs, gracePeriodMs },
        ...(nativeLibrary !== undefined && { nativeLibrary }),
      });
      const server = Context.get(services, HttpServer.HttpServer);
      yield* server.serve(Effect.provideService(router.asHttpEffect(), Listener, "operations"));
      const address = HttpServer.formatAddress(server.address);
      yield* Effect.logInfo("metrics and health are served").pipe(Effect.annotateLogs({ address }));
    }),
  );
};
