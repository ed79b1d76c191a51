import type { Address, TokenPosition } from "@millrace/core";

/** A swap through one pool, by the positions of its tokens there. */
export interface QuotedSwap {
  readonly pool: Address;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
  readonly amountIn: bigint;
}
