import type { CalldataLeg } from "./CalldataLeg.ts";

/**
 * A command of the Universal Router 2.0, which swaps through pools of one family that follow each
 * other on a path.
 */
export interface RouterCommand {
  /** By what a network's configuration names the one DEX whose pools its router reaches. */
  readonly dexKey: "v2DexId" | "v3DexId" | "v4DexId";
  /** Where what pools before give has to lie: in the first pool, or in the router. */
  readonly entrance: "pool" | "router";
  /**
   * Whether the router weighs what the payee of an exact input gains. Where it goes by what pools
   * say, nobody may be paid straight.
   */
  readonly weighsOutput: boolean;
  /** All amounts are below. */
  readonly amountEnd: bigint;
  /** The one fee that the router reckons with, where pools cannot say theirs. */
  readonly feePips?: number;
  readonly exactIn: (swap: RouterExactIn) => EncodedCommand;
  readonly exactOut: (swap: RouterExactOut) => EncodedCommand;
}

/** Hex digits: the command, and what it is given. */
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
  /** By the router otherwise. */
  readonly isPaidBySender: boolean;
}

interface RouterExactIn extends RouterSwap {
  /** Or what `entrance` asks for behind another pool: `PAID_ALREADY`, `ALL_OF_IT`. */
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
