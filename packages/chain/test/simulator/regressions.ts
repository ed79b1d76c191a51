/**
 * Seeds that once failed, and what they found. They run before all others; a new one is the seed
 * that a failing test prints, and a sentence.
 */
export const REGRESSIONS: ReadonlyArray<{ readonly seed: number; readonly sentence: string }> = [
  {
    seed: 54,
    sentence:
      "A reorganisation deeper than the journal between two ranges of discovery takes pools back that an earlier range had found, and makes others that no later range tells of",
  },
];
