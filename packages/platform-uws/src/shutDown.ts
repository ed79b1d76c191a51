import type { TemplatedApp } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import type { Lifecycle } from "./Lifecycle.ts";
import type { Listening } from "./listen.ts";
import type { ServerState } from "./ServerState.ts";

/**
 * The way out, in order: readiness goes off; after a while listening ends and requests on
 * connections kept alive are refused; requests in flight get their grace period, and WebSockets are
 * asked to come back; whatever is left then is cut.
 */
export const shutDown = (
  app: TemplatedApp,
  listening: Listening,
  { lifecycle, sockets }: Pick<ServerState, "lifecycle" | "sockets">,
  options: { readonly readinessDelayMs: number; readonly gracePeriodMs: number },
): Effect.Effect<void> =>
  Effect.gen(function* () {
    lifecycle.beginDraining();
    if (options.readinessDelayMs > 0) yield* Effect.sleep(options.readinessDelayMs);
    listening.close();
    lifecycle.refusing = true;
    const farewell = sockets.count === 0 ? Effect.void : Effect.sleep(FAREWELL_MS);
    sockets.restart();
    yield* idle(lifecycle).pipe(
      // Finalizers are uninterruptible, and a timeout interrupts.
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: options.gracePeriodMs, orElse: () => Effect.void }),
    );
    yield* farewell;
    app.close();
  });

/** For close frames to arrive: cut right away, a connection is reset, and what it was sent is lost. */
const FAREWELL_MS = 100;

const idle = (lifecycle: Lifecycle): Effect.Effect<void> =>
  Effect.callback<void>((resume) => lifecycle.onIdle(() => resume(Effect.void)));
