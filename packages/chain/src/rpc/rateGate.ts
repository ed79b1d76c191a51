import { Effect, Semaphore } from "effect";
import { monotonicMs, sleepUntil } from "./monotonicTime.ts";

/** What every request to one endpoint passes first. */
export interface RateGate {
  /**
   * Waits, in order, until one more call may be made. False, and no call used up, when the endpoint
   * asked for a longer pause than `patienceMs`.
   */
  readonly enter: Effect.Effect<boolean>;
  /**
   * The same for what can wait: at most half of all calls, and only one of these at a time stands
   * in the line of the others. However many there are, they hold nobody else up for long.
   */
  readonly enterAside: Effect.Effect<boolean>;
  /** Nobody passes before this time (`monotonicMs`). */
  readonly pauseUntil: (atMs: number) => void;
  readonly pausedUntilMs: () => number;
}

/** What those `aside` may take of the rate. */
const ASIDE_SHARE = 1 / 2;

/** Lets at most `callsPerSecond` calls through; see `limited`. */
export function makeRateGate(callsPerSecond: number | undefined, patienceMs: number): RateGate {
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  const pauses = {
    pauseUntil: (atMs: number) => {
      pausedUntilMs = Math.max(pausedUntilMs, atMs);
    },
    pausedUntilMs: () => pausedUntilMs,
  };
  /** Waits for the end of the pause, which may grow meanwhile. */
  const pauseOver = Effect.gen(function* () {
    for (;;) {
      const nowMs = yield* monotonicMs;
      if (nowMs >= pausedUntilMs) return true;
      if (pausedUntilMs - nowMs > patienceMs) return false;
      yield* sleepUntil(pausedUntilMs);
    }
  });
  if (callsPerSecond === undefined) return { ...pauses, enter: pauseOver, enterAside: pauseOver };
  const enter = limited(callsPerSecond, pauseOver);
  return { ...pauses, enter, enterAside: limited(callsPerSecond * ASIDE_SHARE, enter) };
}

/**
 * Passes `gate` at most `callsPerSecond` times in any second, wherever that second begins, one
 * after the other: a bucket of tokens would let twice as many through in its first one. Below one a
 * second they are evenly spaced. Who is interrupted while waiting uses nothing up.
 */
function limited(callsPerSecond: number, gate: Effect.Effect<boolean>): Effect.Effect<boolean> {
  const windowMs = Math.max(1_000, 1_000 / callsPerSecond);
  // When the last calls were let through, a ring: one more may go when the oldest left the window.
  const passedMs = new Float64Array(Math.max(1, Math.floor(callsPerSecond))).fill(
    Number.NEGATIVE_INFINITY,
  );
  let oldest = 0;
  const enter = Effect.gen(function* () {
    yield* sleepUntil(passedMs[oldest]! + windowMs);
    if (!(yield* gate)) return false;
    passedMs[oldest] = yield* monotonicMs;
    oldest = (oldest + 1) % passedMs.length;
    return true;
  });
  return Semaphore.makeUnsafe(1).withPermit(enter);
}
