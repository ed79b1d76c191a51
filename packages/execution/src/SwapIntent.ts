import type { Address, QuoteKind } from "@millrace/core";
import type { PoolKey } from "@millrace/protocols";

/**
 * What a transaction must do. Every value comes from our own graph and configuration, or is a
 * number or address of the request that was checked. Routers encode the intent; the decoder
 * compares the calldata with it. Addresses are lower case, amounts in smallest units.
 */
export interface SwapIntent {
  readonly chainId: number;
  readonly kind: QuoteKind;
  readonly sender: Address;
  readonly recipient: Address;
  /** The wrapped form where the native token goes in or comes out. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  readonly wrappedNative: Address;
  /** Executed one after the other; none for native to wrapped and back. */
  readonly paths: ReadonlyArray<IntentPath>;
  /** Totals over the paths, recomputed on block `blockNumber`. */
  readonly amountIn: bigint;
  /** Before the fee. */
  readonly amountOut: bigint;
  /**
   * exactIn: `amountIn`. exactOut: the most that may go in. It is either at least the sum of the
   * paths' `inputBound`s, or equal to `amountIn`, which as an exact input gives enough.
   */
  readonly amountInMax: bigint;
  /** The least that the recipient gets, after the fee; ≥ 1. exactOut: `amountOut` less the fee. */
  readonly amountOutMin: bigint;
  readonly fee?: { readonly recipient: Address; readonly bps: number };
  /** ⌊amountOut × bps / 10000⌋; 0 without a fee. */
  readonly feeAmount: bigint;
  /** Unix time in seconds. */
  readonly deadline: number;
  readonly blockNumber: number;
}

export interface IntentPath {
  /** exactIn: all of it goes into the first leg. exactOut: as recomputed. */
  readonly amountIn: bigint;
  /** exactOut: exactly this comes out of the last leg. exactIn: as recomputed. */
  readonly amountOut: bigint;
  /**
   * exactOut: the most that a router which computes the input from the output may need on block
   * `blockNumber`, with its own rounding; undefined where the pools may be too small for that.
   */
  readonly inputBound?: bigint;
  /**
   * One to four. The native token (0x000…0) and its wrapped form are two tokens here. Where one leg
   * gives one and the next leg, or the order, takes the other, the amount is wrapped or unwrapped
   * in between.
   */
  readonly legs: ReadonlyArray<SwapLeg>;
}

/** One pool of a path, as our graph knows it. */
export interface SwapLeg {
  readonly pool: Address;
  readonly dexId: string;
  /** `CalldataProtocol.name` of its legs. */
  readonly protocol: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The leg sells the pool's token0. */
  readonly zeroForOne: boolean;
  /** Positions of the tokens in the pool: see `CalldataLeg`. */
  readonly positionIn?: number;
  readonly positionOut?: number;
  readonly feePips: number;
  /** `PoolShape.parameter`. */
  readonly parameter: number;
  /** The key of a pool in a contract that holds many pools. */
  readonly key?: PoolKey;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}
