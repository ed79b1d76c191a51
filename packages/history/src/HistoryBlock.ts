import type { Address, BlockStamp } from "@millrace/core";

/** A block of a chain, with all its swaps. */
export interface HistoryBlock {
  readonly stamp: BlockStamp;
  /** In the order of the chain: log indexes ascend. */
  readonly swaps: ReadonlyArray<HistorySwap>;
  /**
   * Prices of the tokens traded in the block, at its end: US dollars of a whole token. A token
   * without a price is absent.
   */
  readonly prices: ReadonlyMap<Address, number>;
}

/** One swap. Addresses are in lower case; amounts in smallest units. */
export interface HistorySwap {
  /** The pool's address, or the 20 bytes that stand for a longer id. */
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * The pool's mid price right after the swap: of one unit of the token with the lower address, in
   * the other token, both in smallest units; 0 when unknown.
   */
  readonly priceAfter: number;
  /** Whole ten-thousandths of a US dollar; 0 when unknown. */
  readonly value: number;
  readonly transactionHash: string;
  /** The maker, where the log names one. */
  readonly maker?: Address | undefined;
  readonly logIndex: number;
}

/** A swap with the stamp of its block. */
export interface HistoryTrade extends HistorySwap {
  readonly stamp: BlockStamp;
}
