import type { TemplatedApp } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import type { Lifecycle } from "./Lifecycle.ts";
import type { Listening } from "./listen.ts";
import type { ServerState } from "./ServerState.ts";

/**
 * The shutdown, in order. Readiness goes off. After a delay listening ends, and requests on
 * kept-alive connections are refused. Requests in flight get their grace period, and WebSockets are
 * asked to reconnect. Whatever is left is then cut.
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
      // A timeout needs an interruptible effect, and finalizers are uninterruptible.
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: options.gracePeriodMs, orElse: () => Effect.void }),
    );
    yield* farewell;
    app.close();
  });

/**
 * Time for close frames to arrive: closing a connection right away would reset it and lose what it
 * was sent.
 */
const FAREWELL_MS = 100;

const idle = (lifecycle: Lifecycle): Effect.Effect<void> =>
  Effect.callback<void>((resume) => lifecycle.onIdle(() => resume(Effect.void)));
