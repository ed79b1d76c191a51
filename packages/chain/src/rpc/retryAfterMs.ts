/** A node that wants more is asked once in this time all the same. */
const PAUSE_MS_MAX = 600_000;

/**
 * How long a `Retry-After` header asks to wait, in milliseconds: seconds or an HTTP date, seen from
 * `wallMs`. Undefined when it is neither, at most ten minutes.
 */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  const text = header?.trim() ?? "";
  const waitMs = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1_000
    : /GMT$/.test(text)
      ? Date.parse(text) - wallMs
      : Number.NaN;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(waitMs, 0), PAUSE_MS_MAX);
}
