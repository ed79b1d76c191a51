import type { CalldataLeg } from "./CalldataLeg.ts";

/**
 * A command of the Universal Router 2.0 that swaps through consecutive pools of one family on a
 * path.
 */
export interface RouterCommand {
  /** The key in a network's configuration of the one DEX whose pools its router reaches. */
  readonly dexKey: "v2DexId" | "v3DexId" | "v4DexId";
  /** Where earlier pools have to pay their output: to the first pool, or to the router. */
  readonly entrance: "pool" | "router";
  /**
   * Whether the router compares the balance of an exact input's payee with the minimum. Where it
   * trusts what pools return, it must not pay anybody directly.
   */
  readonly weighsOutput: boolean;
  /** All amounts are below this. */
  readonly amountEnd: bigint;
  /** The one fee that the router computes with, where pools cannot report theirs. */
  readonly feePips?: number;
  readonly exactIn: (swap: RouterExactIn) => EncodedCommand;
  readonly exactOut: (swap: RouterExactOut) => EncodedCommand;
}

/** Hex digits: the command, and its input. */
export interface EncodedCommand {
  readonly code: string;
  readonly input: string;
}

export interface RouterLeg extends CalldataLeg {
  readonly tokenIn: `0x${string}`;
}

interface RouterSwap {
  /** In the order of the trade. */
  readonly legs: ReadonlyArray<RouterLeg>;
  readonly recipient: `0x${string}`;
  /** Otherwise the router pays. */
  readonly isPaidBySender: boolean;
}

interface RouterExactIn extends RouterSwap {
  /** After another pool, as `entrance` requires: `PAID_ALREADY` or `ALL_OF_IT`. */
  readonly amountIn: bigint;
  readonly amountOutMin: bigint;
}

interface RouterExactOut extends RouterSwap {
  readonly amountOut: bigint;
  readonly amountInMax: bigint;
}

/** As an amount: all that the router has (`ActionConstants.CONTRACT_BALANCE`). */
export const ALL_OF_IT = 1n << 255n;
/** As an amount: the first pool has been paid (`Constants.ALREADY_PAID`). */
export const PAID_ALREADY = 0n;
/** Permit2 moves amounts of 160 bits. */
export const PERMIT2_AMOUNT_END = 1n << 160n;
