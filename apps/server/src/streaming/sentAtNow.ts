/** Microseconds since the Unix epoch: of the wall clock, as fine as it goes. */
export const sentAtNow = (): number =>
  Math.round((performance.timeOrigin + performance.now()) * 1_000);
