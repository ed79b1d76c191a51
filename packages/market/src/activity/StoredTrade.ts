import type { Address, BlockStamp } from "@millrace/core";
import type { TradedSwap } from "./TradedBlock.ts";

/** A stored trade; pools and tokens are numbers of `Subjects`. */
export interface StoredTrade extends ChainPosition {
  readonly stamp: BlockStamp;
  readonly pool: number;
  readonly tokenIn: number;
  readonly tokenOut: number;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** See `TradedSwap.value`. */
  readonly value: number;
  readonly transactionHash: string;
  /** See `SwapEvent.maker`. */
  readonly maker: Address | undefined;
  /** Numbers in the list of the neighbouring trades of the same pool. */
  older: number | undefined;
  newer: number | undefined;
}

/** The place of a trade on the chain. */
export interface ChainPosition {
  readonly blockNumber: number;
  readonly logIndex: number;
}

/** The trades that were left out are here or before. */
export interface TradeFloor extends ChainPosition {
  readonly timestampMs: number;
}

export function storedTrade(stamp: BlockStamp, swap: TradedSwap): StoredTrade {
  return {
    stamp,
    blockNumber: stamp.number,
    logIndex: swap.logIndex,
    pool: swap.pool,
    tokenIn: swap.tokenIn,
    tokenOut: swap.tokenOut,
    amountIn: swap.amountIn,
    amountOut: swap.amountOut,
    value: swap.value,
    transactionHash: swap.transactionHash,
    maker: swap.maker,
    older: undefined,
    newer: undefined,
  };
}

export function isBefore(position: ChainPosition, other: ChainPosition): boolean {
  return position.blockNumber !== other.blockNumber
    ? position.blockNumber < other.blockNumber
    : position.logIndex < other.logIndex;
}

/** `blockNumber-logIndex` */
export function idOf({ blockNumber, logIndex }: ChainPosition): string {
  return `${blockNumber}-${logIndex}`;
}

/** The position that an id names; undefined for an invalid id. */
export function positionOfId(id: string): ChainPosition | undefined {
  const parts = /^(\d{1,15})-(\d{1,15})$/.exec(id);
  if (parts === null) return undefined;
  return { blockNumber: Number(parts[1]), logIndex: Number(parts[2]) };
}
