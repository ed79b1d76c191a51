/** So far the fine clock may be from the wall clock: more means that somebody set that. */
const TOLERATED_MS = 5;

let originMs = performance.timeOrigin;

/** Microseconds since the Unix epoch: of the wall clock, as fine as it goes. */
export function sentAtNow(): number {
  const wallMs = Date.now();
  const sinceMs = performance.now();
  if (Math.abs(originMs + sinceMs - wallMs) > TOLERATED_MS) originMs = wallMs - sinceMs;
  return Math.round((originMs + sinceMs) * 1_000);
}
