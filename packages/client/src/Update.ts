/** A value of a subscription, the newest when it is read. */
export interface Update<A> {
  readonly data: A;
  /** The block that the value is of. */
  readonly blockNumber: string;
  readonly blockHash: string;
  /** Time of that block, in Unix epoch milliseconds. */
  readonly timestamp: number;
  /** When the server sent it, in microseconds since the Unix epoch. */
  readonly sentAt: number;
  /**
   * Blocks were reverted since the update before, so earlier data may be of blocks that are no
   * longer in the chain. "unknown" where the connection was lost in between and the block numbers
   * differ; at the same number, the hashes tell.
   */
  readonly reorg: boolean | "unknown";
  /**
   * Values between the update before and this one that the reader did not get, because the
   * connection or the reader was too slow. "unknown" where the connection was lost in between.
   */
  readonly missed: number | "unknown";
  /**
   * Blocks since the update before for which the server did not compute the quote, because the
   * client's budget was used up.
   */
  readonly unpaid: number;
}
