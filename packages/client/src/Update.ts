/** A value of a subscription, the newest when it is read. */
export interface Update<A> {
  readonly data: A;
  /** The block that it is true for. */
  readonly blockNumber: string;
  readonly blockHash: string;
  /** Of the block; Unix epoch milliseconds. */
  readonly timestamp: number;
  /** When the server sent it; microseconds since the Unix epoch. */
  readonly sentAt: number;
  /**
   * Blocks were reverted since the update before: earlier data may be of blocks that are
   * no longer of the chain. "unknown" where the connection was lost in between, and the blocks do
   * not say: of the same number, they are the same block or they show a reorganisation.
   */
  readonly reorg: boolean | "unknown";
  /**
   * Values between the update before and this one that were not received: because the connection or
   * the reader was too slow. "unknown" where the connection was lost in between.
   */
  readonly missed: number | "unknown";
  /**
   * Blocks since the update before after which the server did not work the quote out, since the
   * client's budget was used up.
   */
  readonly unpaid: number;
}
