/** How far the fine clock may be from the wall clock: more means that the wall clock was set. */
const TOLERATED_MS = 5;

let originMs = performance.timeOrigin;

/** Microseconds since the Unix epoch: the wall clock, at the finest resolution available. */
export function sentAtNow(): number {
  const sinceMs = performance.now();
  if (isApart(Date.now() - sinceMs)) {
    // A thread that was suspended between both readings finds them apart only once.
    const readAgainMs = performance.now();
    const wallOriginMs = Date.now() - readAgainMs;
    if (isApart(wallOriginMs)) originMs = wallOriginMs;
  }
  return Math.round((originMs + sinceMs) * 1_000);
}

function isApart(wallOriginMs: number): boolean {
  return Math.abs(wallOriginMs - originMs) > TOLERATED_MS;
}
