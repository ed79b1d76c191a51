import { Effect, Semaphore } from "effect";
import { monotonicMs, sleepUntil } from "./monotonicTime.ts";

/** The gate that every request to one endpoint passes first. */
export interface RateGate {
  /**
   * Waits, in order, until one more call may be made. False, with no call used up, when the
   * endpoint asked for a longer pause than `patienceMs`.
   */
  readonly enter: Effect.Effect<boolean>;
  /**
   * The same for calls that can wait: at most half of all calls, and only one of them at a time in
   * the queue of the others. However many there are, they hardly delay the others.
   */
  readonly enterAside: Effect.Effect<boolean>;
  /** No call passes before this time (`monotonicMs`). */
  readonly pauseUntil: (atMs: number) => void;
  readonly pausedUntilMs: () => number;
}

/** The share of the rate that calls `aside` may take. */
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
  /** Waits for the end of the pause, which may be extended meanwhile. */
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
 * Passes `gate` at most `callsPerSecond` times in any second, wherever that second begins, one call
 * after the other: a token bucket would let twice as many through in its first second. Below one a
 * second, calls are evenly spaced. A call that is interrupted while waiting uses nothing up.
 */
function limited(callsPerSecond: number, gate: Effect.Effect<boolean>): Effect.Effect<boolean> {
  const windowMs = Math.max(1_000, 1_000 / callsPerSecond);
  // Times of the last calls, as a ring: another may pass when the oldest has left the window.
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
