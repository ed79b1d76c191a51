import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";

/**
 * The server's way out. Once draining has begun, readiness should answer "no" so that a load
 * balancer looks elsewhere; requests are still served until the server's scope closes, which begins
 * draining by itself.
 */
export class Drain extends Context.Service<
  Drain,
  {
    /** Begins draining. Calling it again changes nothing. */
    readonly begin: Effect.Effect<void>;
    /** Succeeds as soon as draining begins. */
    readonly begun: Effect.Effect<void>;
    /** True from then on; for readiness probes. */
    readonly isDraining: Effect.Effect<boolean>;
    /** The synchronous twin of `isDraining`, for direct routes. */
    readonly isDrainingUnsafe: () => boolean;
    /** How many requests have arrived and are not answered yet, direct ones included. */
    readonly inFlight: Effect.Effect<number>;
  }
>()("@millrace/platform-uws/Drain") {}
