import type { Address, QuoteKind } from "@millrace/core";
import type { Permit } from "./Permit.ts";

/**
 * A swap that a client asks for, with the quote that it says it was given. Only the types are
 * right; the values are untrusted. No value reaches a transaction before `reviewSwap` has checked
 * it. Addresses are lower case; the native token is written as its wrapped form, with a flag.
 */
export interface SwapOrder {
  /** Who sends the transactions, and pays. */
  readonly sender: Address;
  /** Who gets the output; by default the sender. */
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
   * In the order of execution, path after path; a step that takes `tokenIn` begins a path. Empty
   * only for native to wrapped and back.
   */
  readonly steps: ReadonlyArray<OrderedStep>;
  /** Parts per million, 0 … 500,000: 0.5 % = 5,000. */
  readonly slippagePpm: number;
  /** Taken from the output. Basis points, 0 … 1,000. */
  readonly fee?: { readonly recipient: Address; readonly bps: number };
  /** Unix time in seconds, at most 60 minutes ahead; by default 20 minutes. */
  readonly deadline?: number;
  /** Replaces the approval of the router. */
  readonly permit?: Permit;
}

export interface OrderedStep {
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Required with several paths: on the first step of each (exactIn), or the last (exactOut). */
  readonly amountIn?: bigint;
  readonly amountOut?: bigint;
}
