/** A node that asks for a longer pause is asked again after this time all the same. */
const PAUSE_MS_MAX = 600_000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds, at most ten minutes: seconds or
 * an HTTP date, relative to `wallMs`. Undefined when the header is neither.
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
