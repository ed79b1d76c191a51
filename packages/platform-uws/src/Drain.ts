import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";

/**
 * The server's shutdown. Once draining has begun, readiness should answer "no" so that a load
 * balancer sends requests elsewhere. Requests are still served until the server's scope closes,
 * which begins draining by itself.
 */
export class Drain extends Context.Service<
  Drain,
  {
    /** Begins draining. Calling it again changes nothing. */
    readonly begin: Effect.Effect<void>;
    /** Succeeds as soon as draining begins. */
    readonly begun: Effect.Effect<void>;
    /** Whether draining has begun; for readiness probes. */
    readonly isDraining: Effect.Effect<boolean>;
    /** Synchronous `isDraining`, for direct routes. */
    readonly isDrainingUnsafe: () => boolean;
    /** Requests that have arrived and are not answered yet, direct ones included. */
    readonly inFlight: Effect.Effect<number>;
  }
>()("@millrace/platform-uws/Drain") {}
