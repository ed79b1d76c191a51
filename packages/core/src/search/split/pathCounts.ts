/** A few are often enough; and a search with many soon shows how close any can come. */
const COUNTS = [8, 64];

/** The numbers of paths to try one after the other, up to `most`, which may be Infinity. */
export const pathCounts = (most: number): ReadonlyArray<number> => [
  ...COUNTS.filter((count) => count < most),
  most,
];
