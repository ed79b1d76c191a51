/** How far the fine clock may be from the wall clock: more means that the wall clock was set. */
const TOLERATED_MS = 5;

let originMs = performance.timeOrigin;

/** Microseconds since the Unix epoch: the wall clock, at the finest resolution available. */
export function sentAtNow(): number {
  const wallMs = Date.now();
  const sinceMs = performance.now();
  if (Math.abs(originMs + sinceMs - wallMs) > TOLERATED_MS) originMs = wallMs - sinceMs;
  return Math.round((originMs + sinceMs) * 1_000);
}
