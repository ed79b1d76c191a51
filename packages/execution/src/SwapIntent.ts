import type { Address, QuoteKind } from "@millrace/core";
import type { PoolKey } from "@millrace/protocols";

/**
 * What a transaction must do: everything here comes from our own graph and configuration, or is a
 * stranger's number or address that was checked. Routers encode it, the decoder compares with it.
 * Addresses are lower case, amounts in smallest units.
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
  /** Recomputed on the block of `blockNumber`; what the paths take and give together. */
  readonly amountIn: bigint;
  /** Before the fee. */
  readonly amountOut: bigint;
  /**
   * exactIn: `amountIn`. exactOut: the most that may go in. Either that is no less than the
   * `inputBound`s of the paths together, or it is `amountIn`, and put in that gives enough.
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
   * exactOut: as much as a router that works the input back may need in the block that was looked
   * at, by its own rounding; none where the pools may be too small for that.
   */
  readonly inputBound?: bigint;
  /**
   * One to four. Native (0x000…0) and wrapped are two tokens here: where one leg gives the one and
   * the next takes the other, or the order does, it is wrapped or unwrapped in between.
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
  /** It sells the pool's token0. */
  readonly zeroForOne: boolean;
  /** In the pool: see `CalldataLeg`. */
  readonly positionIn?: number;
  readonly positionOut?: number;
  readonly feePips: number;
  /** `PoolShape.parameter`. */
  readonly parameter: number;
  /** Of a pool that one contract holds with others: what that contract knows it by. */
  readonly key?: PoolKey;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}
