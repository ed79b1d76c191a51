/** A few are often enough; and with many it is soon known how close anything can come. */
const COUNTS = [8, 64];

/** How many paths are tried one after the other, up to a number, which may be Infinity. */
export const pathCounts = (most: number): ReadonlyArray<number> => [
  ...COUNTS.filter((count) => count < most),
  most,
];
