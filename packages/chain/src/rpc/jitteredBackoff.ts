import { Effect, Random } from "effect";

/**
 * How long to wait after the `failuresInRow`th failure (1, 2, …), in milliseconds: doubling from
 * `baseMs` up to `capMs`, of which a random part of at most half is taken off, so that many who
 * failed at the same time don't come back at the same time.
 */
export function jitteredBackoff(
  failuresInRow: number,
  baseMs: number,
  capMs: number,
): Effect.Effect<number> {
  // Beyond 30 doublings every cap is long reached.
  const fullMs = Math.min(capMs, baseMs * 2 ** Math.min(failuresInRow - 1, 30));
  return Effect.map(Random.next, (random) => fullMs * (1 - random / 2));
}
