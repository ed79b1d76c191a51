/** How long the next range of blocks is, and what has to go well before a longer one is tried. */
export interface RangePace {
  readonly blockCount: number;
  /** Ranges in a row that went well with this length. */
  readonly successes: number;
  /** So many have to go well before the length is doubled. */
  readonly patience: number;
  /** This length is a trial: nothing of it has gone well yet. */
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

/** The pace after a range of full length that went well. */
export function faster(pace: RangePace): RangePace {
  const patience = pace.trial ? PACE_FIRST.patience : pace.patience;
  const successes = pace.successes + 1;
  if (successes < patience) return { ...pace, successes, patience, trial: false };
  const blockCount = Math.min(2 * pace.blockCount, BLOCK_COUNT_MAX);
  return { blockCount, successes: 0, patience, trial: blockCount > pace.blockCount };
}

/**
 * The pace after a range that failed, half of it. A longer one that failed at once is tried the
 * more seldom.
 */
export function slower(pace: RangePace, failedBlockCount: number): RangePace {
  const patience = pace.trial ? Math.min(2 * pace.patience, PATIENCE_MAX) : pace.patience;
  return { blockCount: Math.ceil(failedBlockCount / 2), successes: 0, patience, trial: false };
}
