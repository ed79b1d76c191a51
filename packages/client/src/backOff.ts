/** Pauses between attempts, in milliseconds. */
export interface BackOff {
  /** The first pause. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause after so many failures in a row. It doubles with each failure. It is a random value
 * between half of that and all of it, so that the clients of one server do not all return at once.
 */
export function pauseMs({ firstMs, longestMs }: BackOff, failures: number): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures, DOUBLINGS_MAX));
  return whole * (0.5 + Math.random() / 2);
}

const DOUBLINGS_MAX = 30;
