import { Clock, Effect } from "effect";

/**
 * Milliseconds of a clock that never jumps, so that rests and rates survive a wall clock
 * correction.
 */
export const monotonicMs: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6,
);

/** Sleeps until `monotonicMs` is at least `atMs`; a timer alone may fire a little early. */
export const sleepUntil = Effect.fnUntraced(function* (atMs: number) {
  for (;;) {
    const nowMs = yield* monotonicMs;
    if (nowMs >= atMs) return;
    yield* Effect.sleep(Math.ceil(atMs - nowMs));
  }
});
