import { idOf } from "./StoredTrade.ts";
import { type Trade, VALUES_A_DOLLAR } from "./TradedBlock.ts";

/** A kept swap, with addresses. */
export interface KeptTrade extends Omit<Trade, "id" | "valueUsd" | "side" | "price" | "maker"> {
  /** See `TradedSwap.value`. */
  readonly value: number;
  readonly maker?: Trade["maker"] | undefined;
}

/** A swap as seen from its base, one of its tokens; unknown decimals are NaN. */
export function tradeView(
  { value, maker, ...trade }: KeptTrade,
  isBuy: boolean,
  decimals: { readonly ofIn: number; readonly ofOut: number },
): Trade {
  const paidIn = Number(trade.amountIn) / 10 ** decimals.ofIn;
  const paidOut = Number(trade.amountOut) / 10 ** decimals.ofOut;
  const price = isBuy ? paidIn / paidOut : paidOut / paidIn;
  return {
    id: idOf({ blockNumber: trade.stamp.number, logIndex: trade.logIndex }),
    stamp: trade.stamp,
    pool: trade.pool,
    transactionHash: trade.transactionHash,
    tokenIn: trade.tokenIn,
    tokenOut: trade.tokenOut,
    amountIn: trade.amountIn,
    amountOut: trade.amountOut,
    valueUsd: value / VALUES_A_DOLLAR,
    side: isBuy ? "buy" : "sell",
    price: price > 0 && price < Number.POSITIVE_INFINITY ? price : 0,
    ...(maker !== undefined && { maker }),
    logIndex: trade.logIndex,
  };
}
