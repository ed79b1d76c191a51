import type { Address, BlockStamp } from "@millrace/core";

/** A block of a chain, and all that was swapped in it. */
export interface HistoryBlock {
  readonly stamp: BlockStamp;
  /** In the order of the chain: log indexes ascend. */
  readonly swaps: ReadonlyArray<HistorySwap>;
  /**
   * US dollars of one whole token at the end of the block, of tokens that traded in it; a token
   * without a price has none here.
   */
  readonly prices: ReadonlyMap<Address, number>;
}

/** One swap. Addresses are in lower case; amounts in smallest units. */
export interface HistorySwap {
  /** The pool's address, or the 20 bytes by which a longer id is known. */
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * The pool's mid price right after it: of one of the two tokens with the lower address, in the
   * other, both in smallest units; 0 when unknown.
   */
  readonly priceAfter: number;
  /** Ten-thousandths of a US dollar, whole; 0 when unknown. */
  readonly value: number;
  readonly transactionHash: string;
  /** Whom the log names, where it does. */
  readonly maker?: Address | undefined;
  readonly logIndex: number;
}

/** A swap with the block that it stands in. */
export interface HistoryTrade extends HistorySwap {
  readonly stamp: BlockStamp;
}
