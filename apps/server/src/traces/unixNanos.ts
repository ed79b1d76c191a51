const NANOS_PER_MS = 1e6;

/**
 * Unix time in nanoseconds of a moment of `performance.now()`. Doubles hold today's times to a
 * quarter of a microsecond.
 */
export const unixNanos = (ms: number): bigint =>
  BigInt(Math.round((performance.timeOrigin + ms) * NANOS_PER_MS));
