/** A value of a subscription, as it is when it is read. */
export interface Update<A> {
  readonly data: A;
  /** The block that it is true for. */
  readonly blockNumber: string;
  readonly blockHash: string;
  /** Of the block; Unix epoch milliseconds. */
  readonly timestamp: number;
  /** When the server sent it; microseconds since the Unix epoch. */
  readonly sentAt: number;
  /** Blocks were taken back since the update before. */
  readonly reorg: boolean;
  /**
   * Values between the update before and this one that were not told: because the connection or
   * the reader was too slow. -1 after the connection was lost: then nobody knows how many.
   */
  readonly missed: number;
}
