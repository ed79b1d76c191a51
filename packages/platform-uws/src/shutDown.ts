import type { TemplatedApp } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import type { Lifecycle } from "./Lifecycle.ts";
import type { Listening } from "./listen.ts";

/**
 * The way out, in order: readiness goes off; after a while listening ends and requests on
 * connections kept alive are refused; requests in flight get their grace period; whatever is left
 * then is cut.
 */
export const shutDown = (
  app: TemplatedApp,
  listening: Listening,
  lifecycle: Lifecycle,
  options: { readonly readinessDelayMs: number; readonly gracePeriodMs: number },
): Effect.Effect<void> =>
  Effect.gen(function* () {
    lifecycle.beginDraining();
    if (options.readinessDelayMs > 0) yield* Effect.sleep(options.readinessDelayMs);
    listening.close();
    lifecycle.refusing = true;
    yield* idle(lifecycle).pipe(
      // Finalizers are uninterruptible, and a timeout interrupts.
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: options.gracePeriodMs, orElse: () => Effect.void }),
    );
    app.close();
  });

const idle = (lifecycle: Lifecycle): Effect.Effect<void> =>
  Effect.callback<void>((resume) => lifecycle.onIdle(() => resume(Effect.void)));
