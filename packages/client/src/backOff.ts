/** Pauses between attempts, in milliseconds. */
export interface BackOff {
  /** The first. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause after so many failures in a row: doubled each time, and uneven, between half and all of
 * it, so that the clients of one server do not come back all at once.
 */
export function pauseMs({ firstMs, longestMs }: BackOff, failures: number): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures, DOUBLINGS_MAX));
  return whole * (0.5 + Math.random() / 2);
}

const DOUBLINGS_MAX = 30;
