/** When the bucket of each name will be full; a name without a time has a full one. */
export interface BucketTimes {
  /** Names that are remembered. */
  readonly size: number;
  readonly get: (name: string, nowMs: number) => number | undefined;
  /** Replaces what `get` gave; false, with nothing done, where another thread was faster. */
  readonly replace: (name: string, before: number | undefined, fullMs: number) => boolean;
}
