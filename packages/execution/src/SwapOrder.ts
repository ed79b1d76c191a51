import type { Address, QuoteKind } from "@millrace/core";
import type { Permit } from "./Permit.ts";

/**
 * A swap that somebody wants, built from a quote that they say they were given. Of the right types,
 * and else a stranger's word: nothing of it reaches a transaction before `reviewSwap` has looked.
 * Addresses are lower case; the native token is written as its wrapped form, with a flag.
 */
export interface SwapOrder {
  /** Who sends the transactions, and pays. */
  readonly sender: Address;
  /** Who gets the output; the sender where nothing is said. */
  readonly recipient?: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  /** Which side of the quote was asked for: with exactOut, `amountOut` is what must come out. */
  readonly kind: QuoteKind;
  /** As quoted, in smallest units. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * In the order of execution, path after path; a step that takes `tokenIn` begins one. Empty only
   * for native to wrapped and back.
   */
  readonly steps: ReadonlyArray<OrderedStep>;
  /** Parts per million, 0 … 500,000: 0.5 % = 5,000. */
  readonly slippagePpm: number;
  /** Taken of the output. Basis points, 0 … 1,000. */
  readonly fee?: { readonly recipient: Address; readonly bps: number };
  /** Unix time in seconds. 20 minutes ahead where nothing is said, at most 60. */
  readonly deadline?: number;
  /** Saves the approval of the router. */
  readonly permit?: Permit;
}

export interface OrderedStep {
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Required of the first step of each of several paths (exactIn), or of the last (exactOut). */
  readonly amountIn?: bigint;
  readonly amountOut?: bigint;
}
