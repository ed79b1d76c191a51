/** The length of the next range of blocks, and what must succeed before a longer one is tried. */
export interface RangePace {
  readonly blockCount: number;
  /** Ranges of this length that succeeded in a row. */
  readonly successes: number;
  /** Number of successes before the length is doubled. */
  readonly patience: number;
  /** This length is a trial: no range of it has succeeded yet. */
  readonly trial: boolean;
}

export const PACE_FIRST: RangePace = {
  blockCount: 10_000,
  successes: 0,
  patience: 2,
  trial: true,
};

const BLOCK_COUNT_MAX = 200_000;
const PATIENCE_MAX = 64;

/** The pace after a range of full length succeeded. */
export function faster(pace: RangePace): RangePace {
  const patience = pace.trial ? PACE_FIRST.patience : pace.patience;
  const successes = pace.successes + 1;
  if (successes < patience) return { ...pace, successes, patience, trial: false };
  const blockCount = Math.min(2 * pace.blockCount, BLOCK_COUNT_MAX);
  return { blockCount, successes: 0, patience, trial: blockCount > pace.blockCount };
}

/**
 * The pace after a range failed: half its length. When a trial of a longer one fails at once, the
 * next trial comes later.
 */
export function slower(pace: RangePace, failedBlockCount: number): RangePace {
  const patience = pace.trial ? Math.min(2 * pace.patience, PATIENCE_MAX) : pace.patience;
  return { blockCount: Math.ceil(failedBlockCount / 2), successes: 0, patience, trial: false };
}
