import { Effect, Random } from "effect";

/**
 * The wait after the `failuresInRow`th failure (1, 2, …), in milliseconds. It doubles from `baseMs`
 * up to `capMs`; a random part of at most half is taken off, so that many clients that failed
 * together do not come back together.
 */
export function jitteredBackoff(
  failuresInRow: number,
  baseMs: number,
  capMs: number,
): Effect.Effect<number> {
  // After 30 doublings every cap is long reached.
  const fullMs = Math.min(capMs, baseMs * 2 ** Math.min(failuresInRow - 1, 30));
  return Effect.map(Random.next, (random) => fullMs * (1 - random / 2));
}
