/** When the bucket of each name will be full; a name without a time has a full bucket. */
export interface BucketTimes {
  /** Names that are remembered. */
  readonly size: number;
  readonly get: (name: string, nowMs: number) => number | undefined;
  /**
   * Replaces the time that `get` gave; false, with nothing done, where another thread was faster.
   */
  readonly replace: (name: string, before: number | undefined, fullMs: number) => boolean;
}
